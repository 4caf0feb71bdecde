"""Talk as plain text: ``User:`` and ``Assistant:`` at the beginning of lines, or as headings.

The first line tells which of the two. What looks like a speaker in a fence is quoted.
"""

from collections.abc import Iterator

from ctx.hosts.plain_text import Message, PlainText, fenced
from ctx.model import JsonObject
from ctx.model.transcripts import Line
from ctx.text.regex import regex

_NAMES = (
    rb"(?P<user>user|human|you)"
    rb"|(?P<assistant>assistant|agent|ai|model|bot|claude|chatgpt|codex|gemini|copilot|cursor)"
    rb"|(?P<tool>tool|function|system)"
)
_FORMS = (
    regex(rb"(?i)(?:\*\*)?(?:%s)(?:\*\*)?:(?:\*\*)?(?:[ \t]+(?P<text>.*)|\s*)" % _NAMES),
    regex(rb"(?i)#{1,4}[ \t]+(?:\*\*)?(?:%s)(?:\*\*)?:?(?P<text>)\s*" % _NAMES),
)


class RoleLines(PlainText):
    """Reads what one speaker says."""

    name = "text"

    def begins(self, data: bytes, /) -> bool:
        """Whether a line names a speaker."""
        return any(form.fullmatch(data.rstrip()) for form in _FORMS)

    def objects(self, lines: Iterator[Line], _path: str, /) -> Iterator[tuple[Line, JsonObject]]:
        """Yield what is said between one line that names a speaker and the next one."""
        current: Message | None = None
        form, fence = _FORMS[0], b""
        for line in lines:
            data = line.data.rstrip()
            if current is None:
                form = next(form for form in _FORMS if form.fullmatch(data))
            found = None if fence else form.fullmatch(data)
            if found:
                if current:
                    yield current.made()
                begin = (found["text"] or b"").decode("utf-8", "replace")
                role = next(name for name in ("user", "assistant", "tool") if found[name])
                current = Message(self.name, line, role, begin=begin)
            elif current:
                fence = fenced(data, fence)
                current.texts.append(line.data.decode("utf-8", "replace").removesuffix("\r"))
        if current:
            yield current.made()


FORMAT = RoleLines()

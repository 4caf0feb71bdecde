"""The chat history of Aider: ``.aider.chat.history.md`` in the repository.

From ``append_chat_history``, ``user_input`` and ``ai_output`` in ``aider/io.py``, and
``split_chat_history_markdown`` in ``aider/utils.py``, of ``Aider-AI/aider`` (looked up in
2026-11).

A line with the time begins a session. Lines of the user begin with ``####``, those of the program
with ``>``, and both end in two spaces, but for those of the user before 0.60; the other lines are
the model's. The time of a turn is that of its session's beginning, in the machine's local time.
"""

from collections.abc import Iterator

from ctx.hosts.plain_text import Message, PlainText
from ctx.model import JsonObject
from ctx.model.transcripts import Home, Line
from ctx.text.regex import regex

_BEGINNING = regex(rb"# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*")
_MARKS = {b"#### ": "user", b"> ": "note of Aider"}
_OWN_END = b"  "
_OLD = regex(rb"> Aider v0\.[0-5]?\d\.")  # before 0.60
_FENCE = b"```"
_REFUSED = regex(rb"> # \d+ SEARCH/REPLACE blocks? failed to match!\s*")
"""The first line of a note of several, which ends where two spaces end a line."""


def _kind(data: bytes, *, marked: set[str], is_fenced: bool) -> str:
    kind = next((kind for mark, kind in _MARKS.items() if data.startswith(mark)), "")
    is_own = data.endswith(_OWN_END) if kind in marked else not is_fenced
    return kind if kind and is_own else "assistant"


class Aider(PlainText):
    """Reads a message of a history."""

    name = "aider"
    has_ids = True  # made of the session's beginning and the text
    names_sessions = True
    places = (Home("AIDER_CHAT_HISTORY_FILE", ".aider.chat.history.md", ""),)

    def begins(self, data: bytes, /) -> bool:
        """Whether a line begins a session: a history begins with one."""
        return _BEGINNING.fullmatch(data) is not None

    def objects(self, lines: Iterator[Line], _path: str, /) -> Iterator[tuple[Line, JsonObject]]:
        """Yield each message as an object for ``read``, without lines too long."""
        started, current = "", Message(self.name, Line(0, b"", 0, ended=True), "")
        marked, is_fenced, is_old, is_refused = set[str](), False, False, False
        for line in lines:
            data = line.data.removesuffix(b"\r")
            beginning = _BEGINNING.fullmatch(data)
            is_old = not beginning and (is_old or _OLD.match(data) is not None)
            kind = "" if beginning else _kind(data, marked=marked, is_fenced=is_fenced)
            is_refused = not beginning and (is_refused or _REFUSED.fullmatch(data) is not None)
            kind = _MARKS[b"> "] if is_refused else kind
            is_refused = is_refused and not data.endswith(_OWN_END)
            if kind != current.role:
                if current.role:
                    yield _made(current)
                current = Message(self.name, line, kind, started)
            if beginning:
                started, is_fenced = f"{beginning[1].decode()}T{beginning[2].decode()}", False
                continue
            text = data.decode("utf-8", "replace")
            if kind == "assistant":
                is_fenced ^= data.startswith(_FENCE)
            else:
                # Without those spaces (an editor removed them) a fence tells what is the model's.
                if data.endswith(_OWN_END) and not is_old:
                    marked.add(kind)
                is_fenced = False
                text = text.partition(" ")[2].rstrip()
            current.texts.append(text)
        if current.role:
            yield _made(current)


def _made(message: Message) -> tuple[Line, JsonObject]:
    if "\n".join(message.texts).strip() == "<blank>":
        message.texts.clear()
    session = f"aider-{message.time.replace(':', '-')}" if message.time else ""
    return message.made(session=session)


FORMAT = Aider()

"""What formats share that write talk as text: a line names who speaks; what is said follows."""

from collections.abc import Iterator

from ctx.hosts.fields import answered, string
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import About, Format, Line, NotATurnError, Piece, Skip

_FENCE = (b"```", b"~~~")


class PlainText(Format):
    """Reads a message of such a text."""

    has_ids = False

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether this is an object of ``objects``."""
        return fields.get("written") == self.name

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield what an object of ``objects`` holds."""
        if fields.get("written") != self.name:
            raise NotATurnError(f"is no message of {self.name}")
        role, text = string(fields, "role"), string(fields, "text").strip()
        named = string(fields, "session") or session
        turn = Turn("", named, string(fields, "time"), role, text)
        if not role:
            yield About(named, string(fields, "title"))
        elif role == "tool":
            yield answered(turn, text, "", failed=False)
        elif role in ("user", "assistant"):
            yield turn
        else:
            yield Skip(role)


class Message:
    """A message that is being read."""

    def __init__(self, form: str, line: Line, role: str, time: str = "", begin: str = "") -> None:
        self.line, self.role, self.time = line, role, time
        self.texts = [begin] if begin else []
        self._form = form

    def made(self, **more: str) -> tuple[Line, JsonObject]:
        """Return what ``objects`` yields of it."""
        text = "\n".join(self.texts)
        return self.line, {
            "written": self._form, "role": self.role, "time": self.time, "text": text, **more,
        }  # fmt: skip


def fenced(data: bytes, fence: bytes) -> bytes:
    """Return the fence that is open behind a line, empty for none, where ``fence`` was before."""
    line = data.lstrip()
    if not line.startswith(_FENCE):
        return fence
    mark = line[: len(line) - len(line.lstrip(line[:1]))]
    if not fence:
        return mark
    is_end = mark[:1] == fence[:1] and len(mark) >= len(fence) and not line.strip(mark[:1] + b" \r")
    return b"" if is_end else fence

"""ctx's own transcripts: stored turns a line each, and likewise what people and scripts write."""

import json
from collections.abc import Iterator, Mapping

from ctx.model import Json, JsonObject, Turn
from ctx.model.transcripts import About, Format, NotATurnError, Note, Piece, Skip
from ctx.text.times import moment, time_of

ROLES: Mapping[str, str] = {  # by names of programs; a system prompt counts as a tool's
    "user": "user", "human": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "bot": "assistant",
    "tool": "tool", "function": "tool", "tool_result": "tool",
    "system": "tool", "developer": "tool",
}  # fmt: skip
BACK = "taken_back"
"""The field of a stored line that names turns which the user took back."""
_PROMPTS = ("system", "developer")
_KNOWN = frozenset({"id", "session", "ts", "role", "speaker", "text", "bundle"})


class Own(Format):
    """Reads a line of a stored session."""

    name = "ctx"
    names_sessions = True
    is_wrapped = False

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line has a role and a text."""
        return "role" in fields and ("text" in fields or "content" in fields)

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the turn of a line, after notes about it; or the title of its session."""
        if title := title_of(fields):
            yield About(_word(fields, "session"), title)
            return
        if taken_back(fields):
            yield Skip("note of turns that were taken back")
            return
        read = turn(fields, session)
        yield from (Note(f"unknown field {field!r} kept") for field in read.extra)
        if read.ts and moment(read.ts) is None:
            yield Note("time that cannot be read kept as written")
        yield read


FORMAT = Own()


def title_of(fields: JsonObject) -> str:
    """Return the title that a stored line gives its session; empty where it is none."""
    title = fields.get("title")
    return title if isinstance(title, str) and "role" not in fields else ""


def taken_back(fields: JsonObject) -> list[str]:
    """Return the ids of the turns that a stored line takes back; none where it is another."""
    names = fields.get(BACK) if "role" not in fields else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def turn(fields: JsonObject, session: str = "") -> Turn:
    """Return the turn of ``fields``; ``id`` and ``ts`` may be empty. Raises NotATurnError."""
    role = fields.get("role")
    plain = ROLES.get(role.strip().lower()) if isinstance(role, str) else None
    if plain is None:
        raise NotATurnError(f"has the role {_short(role)}" if "role" in fields else "has no role")
    text_field = "text" if "text" in fields else "content"
    ts_field = "ts" if "ts" in fields else "timestamp"
    speaker = _word(fields, "speaker")
    if not speaker and isinstance(role, str) and role.strip().lower() in _PROMPTS:
        speaker = role.strip().lower()
    return Turn(
        _word(fields, "id"),
        _word(fields, "session") or session,
        time_of(fields.get(ts_field)),
        plain,
        _text(fields.get(text_field)),
        speaker,
        _word(fields, "bundle"),
        {
            field: value
            for field, value in fields.items()
            if field not in _KNOWN and field not in (text_field, ts_field)
        },
    )


def _word(fields: JsonObject, field: str) -> str:
    value = fields.get(field)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise NotATurnError(f"has no text as its {field}: {_short(value)}")
    return str(value)


def _text(value: Json) -> str:
    """Return a text, or the texts of a list of content blocks, joined by line ends."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise NotATurnError("has no text")
    parts = [block.get("text") if isinstance(block, dict) else block for block in value]
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        raise NotATurnError("has content other than text")
    return "\n".join(texts)


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 40 else f"{text[:37]}..."  # noqa: PLR2004 - as 37 and three dots

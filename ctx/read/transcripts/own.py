"""ctx's own transcripts: stored turns a line each, and likewise what people and scripts write."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from ctx.model import Json, JsonObject, Turn
from ctx.read.transcripts.format import About, NotATurnError, Note, Piece, Place

name = "ctx"
places: tuple[Place, ...] = ()

ROLES: Mapping[str, str] = {  # by names of programs; a system prompt counts as a tool's
    "user": "user", "human": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "bot": "assistant",
    "tool": "tool", "function": "tool", "tool_result": "tool",
    "system": "tool", "developer": "tool",
}  # fmt: skip
_PROMPTS = ("system", "developer")
_KNOWN = frozenset({"id", "session", "ts", "role", "speaker", "text", "bundle"})
_MILLISECONDS = 1e11  # from here a number counts milliseconds: as seconds it is the year 5138


def recognises(fields: JsonObject) -> bool:
    """Whether a line has a role and a text."""
    return "role" in fields and ("text" in fields or "content" in fields)


def title_of(fields: JsonObject) -> str:
    """Return the title that a stored line gives its session; empty where it is none."""
    title = fields.get("title")
    return title if isinstance(title, str) and "role" not in fields else ""


def read(fields: JsonObject, session: str) -> Iterator[Piece]:
    """Yield the turn of a line, after notes about it; or the title of its session."""
    if title := title_of(fields):
        yield About(_word(fields, "session"), title)
        return
    read = turn(fields, session)
    yield from (Note(f"unknown field {field!r} kept") for field in read.extra)
    if read.ts and moment(read.ts) is None:
        yield Note("time that cannot be read kept as written")
    yield read


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


def time_of(value: Json) -> str:
    """Return a time as ISO 8601: text as written, a number of the epoch in UTC, None as empty.

    A number counts seconds, or milliseconds from 1e11 up; anything else becomes JSON.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
        except (OverflowError, ValueError, OSError):
            pass
    return json.dumps(value, ensure_ascii=True)


def moment(ts: str) -> datetime | None:
    """Return the time ``ts`` as a datetime, in UTC where it names no zone; None for no time."""
    try:
        time = datetime.fromisoformat(ts)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)

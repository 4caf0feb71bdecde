"""Chats of Qwen Code: ``~/.qwen/projects/*/chats/*.jsonl``, as 0.24.4 wrote them (seen in 2026-11).

The envelope is that of Claude Code's transcripts, the message in it that of Gemini's API; each line
tells its provenance.
"""

from collections.abc import Iterator

from ctx.hosts.claude.transcript import ClaudeCode
from ctx.hosts.fields import inner, string
from ctx.hosts.gemini.transcript import content
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import Home, Piece, Skip
from ctx.text.times import time_of

_PERSON = ("", "real_user")


class Qwen(ClaudeCode):
    """Reads a line of a chat."""

    name = "qwen"
    places = (Home("QWEN_HOME", ".qwen", "projects/*/chats/*.jsonl"),)

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line has the envelope, and what Claude Code's has not."""
        is_own = "provenance" in fields or "parts" in inner(fields, "message")
        return "uuid" in fields and is_own

    def turns(self, fields: JsonObject, _kind: str, session: str, /) -> Iterator[Piece]:
        """Yield a turn for each part of a message."""
        provenance = string(fields, "provenance")
        if string(fields, "type") == "user" and provenance not in _PERSON:
            yield Skip(f"{provenance} (put in by Qwen Code)")
            return
        named = string(fields, "sessionId") or session
        turn = Turn(string(fields, "uuid"), named, time_of(fields.get("timestamp")), "", "")
        yield from content(inner(fields, "message"), turn)


FORMAT = Qwen()

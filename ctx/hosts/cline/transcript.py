"""Sessions of Cline: ``~/.cline/data/sessions/ID/ID.messages.json``, and those of its extension.

As 3.0.65 wrote them (seen in 2026-11); ``api_conversation_history.json`` of the extension is a list
of the same messages. Neither tells its folder.
"""

import json
from collections.abc import Iterator

from ctx.hosts.fields import blocks, objects, string
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import About, Format, Line, NotATurnError, Piece, Skip
from ctx.text.regex import regex
from ctx.text.times import time_of

_LIST = regex(rb'\[\s*(?:\{\s*"role"|$)')  # how a list of messages begins
_ROLES = ("user", "assistant")


class Cline(Format):
    """Reads a document."""

    name = "cline"

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether this is a list of messages that tells its agent."""
        return isinstance(fields.get("messages"), list) and "agent" in fields

    def begins(self, data: bytes, /) -> bool:
        """Whether a line begins the list of the extension."""
        return _LIST.match(data) is not None

    def objects(self, lines: Iterator[Line], _path: str, /) -> Iterator[tuple[Line, JsonObject]]:
        """Yield the list of the extension as a document."""
        every = list(lines)
        try:
            messages = json.loads(b"\n".join(line.data for line in every))
        except (ValueError, RecursionError):
            messages = None
        yield every[0], {"messages": messages, "agent": "lead"}

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the turns of all messages."""
        if not isinstance(fields.get("messages"), list):
            raise NotATurnError("has no messages")
        session = string(fields, "sessionId") or session
        yield About(session, helper=string(fields, "agent") != "lead")
        for message in objects(fields, "messages"):
            role, time = string(message, "role"), time_of(message.get("ts"))
            if role in _ROLES:
                turn = Turn(string(message, "id"), session, time, role, "")
                yield from blocks(message.get("content"), turn)
            else:
                yield Skip(f"message of role {role}")


FORMAT = Cline()

"""What formats share that write a line of JSON for each message of a tree.

The first line names the session and its folder; messages are as Anthropic's API writes them.
"""

from collections.abc import Iterator

from ctx.hosts.fields import answered, blocks, inner, string, texts
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import About, Format, Node, NotATurnError, Piece, Skip
from ctx.text.times import time_of

_ROLES = ("user", "assistant")


class Lines(Format):
    """Reads a line of such a transcript."""

    head: str  # the type of the first line

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether this is the first line."""
        return fields.get("type") == self.head and isinstance(fields.get("id"), str)

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield a turn for each block of a message; other lines are skipped."""
        kind, message = string(fields, "type"), inner(fields, "message")
        if not kind:
            raise NotATurnError("has no type")
        if kind == self.head:
            yield About(string(fields, "id"), string(fields, "title"), string(fields, "cwd"))
            return
        role = string(message, "role")
        yield Node(string(fields, "id"), string(fields, "parentId"), role == "user")
        turn = Turn(string(fields, "id"), session, time_of(fields.get("timestamp")), role, "")
        if kind == "message" and role == "toolResult":
            text, call = texts(message.get("content")), string(message, "toolCallId")
            yield answered(turn, text, call, failed=message.get("isError") is True)
        elif kind == "message" and role in _ROLES:
            yield from blocks(message.get("content"), turn)
        else:
            yield Skip(f"type {kind}" if kind != "message" else f"message of role {role}")

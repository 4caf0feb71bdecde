"""Transcripts of Cursor's agent: ``~/.cursor/projects/*/agent-transcripts/*/*.jsonl``.

Its makers do not document the form. People who read such files describe it (looked up in
2026-11): ``Dicklesworthstone/coding_agent_session_search`` issue 306, ``vectorize-io/hindsight``
issue 2464, ``caura-ai/caura`` pull request 612 and ``MemPalace/mempalace`` pull request 2540, all
on GitHub.

A line is a message of a ``role``, or an event with a ``type``. It has neither an id nor a time nor
the output of tools, and no line tells session or folder: hooks do, and files named by hand.
"""

from collections.abc import Iterator

from ctx.hosts.fields import blocks, inner, string
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import Format, NotATurnError, Piece, Skip

_ROLES = ("user", "assistant")
_THOUGHT = "[REDACTED]"  # what stands in place of thinking


class Cursor(Format):
    """Reads a message of Cursor's agent."""

    name = "cursor"
    has_ids = False

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line is a message with a role beside it, or the end of a turn."""
        is_message = fields.get("role") in _ROLES and isinstance(fields.get("message"), dict)
        return (is_message and "type" not in fields) or fields.get("type") == "turn_ended"

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield a turn for each text and call of a message; other lines are skipped."""
        role, content = string(fields, "role"), inner(fields, "message").get("content")
        if "type" in fields:
            yield Skip(f"type {fields['type']}")
            return
        if role not in _ROLES:
            raise NotATurnError("has no role and message with content")
        for piece in blocks(content, Turn("", session, "", role, "")):
            if isinstance(piece, Turn):
                yield piece._replace(text=piece.text.strip().removesuffix(_THOUGHT).rstrip())
            else:
                yield piece


FORMAT = Cursor()

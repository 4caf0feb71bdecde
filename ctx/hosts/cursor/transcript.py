"""Transcripts of Cursor's agent: ``~/.cursor/projects/*/agent-transcripts/*/*.jsonl``.

Its makers do not document the form. People who read such files describe it (looked up in
2026-11): ``Dicklesworthstone/coding_agent_session_search`` issue 306, ``vectorize-io/hindsight``
issue 2464, ``caura-ai/caura`` pull request 612 and ``MemPalace/mempalace`` pull request 2540, all
on GitHub.

A line is a message of a ``role``, or an event with a ``type``. It has neither an id nor a time nor
the output of tools, and no line tells session or folder: hooks do, and files named by hand.
"""

from collections.abc import Iterator

from ctx.hosts.fields import called, inner, string
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import Format, NotATurnError, Piece, Skip

_ROLES = ("user", "assistant")
_BEGIN, _END = "<user_query>", "</user_query>"
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
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if role not in _ROLES or not isinstance(content, list):
            raise NotATurnError("has no role and message with content")
        turn = Turn("", session, "", role, "")
        for block in content:
            kind = string(block, "type") if isinstance(block, dict) else ""
            if isinstance(block, dict) and kind == "text":
                text = string(block, "text")
                if role == "user":
                    text = _asked(text) or text
                yield turn._replace(text=text.strip().removesuffix(_THOUGHT).rstrip())
            elif isinstance(block, dict) and kind == "tool_use":
                yield called(turn, string(block, "name"), block.get("input"), "")
            else:
                yield Skip(f"block of type {kind}")


def _asked(text: str) -> str:
    parts = [part.partition(_END) for part in text.split(_BEGIN)[1:]]
    return "\n".join(asked.strip() for asked, end, _ in parts if end)


FORMAT = Cursor()

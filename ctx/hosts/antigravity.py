"""Transcripts of Antigravity: ``transcript.jsonl``, a line for each step of a conversation.

Its makers do not document the form; it is that of transcripts that people have published (2026-11).
A step has a ``source`` and a ``type``; no line tells session or folder.
"""

from collections.abc import Iterator

from ctx.hosts.fields import answered, string
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import Format, NotATurnError, Piece, Skip

_PERSON, _MODEL = "USER_EXPLICIT", "MODEL"


class Antigravity(Format):
    """Reads a step."""

    name = "antigravity"
    has_ids = False

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line is a step."""
        return "step_index" in fields and "source" in fields

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the turn of a step that a person or the model made."""
        source, kind, text = (string(fields, name) for name in ("source", "type", "content"))
        if not source or not kind:
            raise NotATurnError("has no source and type")
        turn = Turn("", session, string(fields, "created_at"), "user", text)
        if source == _PERSON and kind == "USER_INPUT":
            yield turn
        elif source == _MODEL and kind == "PLANNER_RESPONSE":
            yield turn._replace(role="assistant")
        elif source == _MODEL and text:
            yield answered(turn, text, "", failed=string(fields, "status") == "ERROR")
        else:
            yield Skip(f"step of type {kind}")


FORMAT = Antigravity()

"""Events of Copilot CLI: ``~/.copilot/session-state/*/events.jsonl``.

From ``nodejs/src/generated/session-events.ts`` of ``github/copilot-sdk``; the folder from "cli
config dir reference" on ``docs.github.com`` (both looked up in 2026-11).

A line is an event with ``type``, ``id``, ``parentId`` and ``data``. ``session.start`` names the
session and its folder. Neither the reasoning of a model nor what subagents do is imported.
"""

from collections.abc import Iterator

from ctx.hosts.fields import answered, called, inner, objects, string, texts
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import (
    SUBAGENT,
    About,
    Format,
    Home,
    Node,
    NotATurnError,
    Piece,
    Rewound,
    Skip,
)
from ctx.text.times import time_of


class Copilot(Format):
    """Reads an event."""

    name = "copilot"
    places = (
        Home("COPILOT_HOME", ".copilot", "session-state/*/events.jsonl"),
        Home("COPILOT_HOME", ".copilot", "session-state/*.jsonl"),
    )

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line is an event."""
        return isinstance(fields.get("data"), dict) and {"type", "id", "parentId"} <= fields.keys()

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the turns of a message or the result of a tool; other events are skipped."""
        kind, data = string(fields, "type"), fields.get("data")
        if not kind or not isinstance(data, dict):
            raise NotATurnError("has no type and data")
        if kind == "session.start":
            context = inner(data, "context")
            folder, branch = string(context, "cwd"), string(context, "branch")
            yield About(string(data, "sessionId"), folder=folder, branch=branch)
        if kind == "session.title_changed":
            yield About(title=string(data, "title"))
        yield Node(string(fields, "id"), None, kind == "user.message")
        if kind == "session.snapshot_rewind":
            yield Rewound(string(data, "upToEventId"))
        turn = Turn(string(fields, "id"), session, time_of(fields.get("timestamp")), "", "")
        if data.get("parentToolCallId") or fields.get("agentId"):
            yield Skip(SUBAGENT)
        elif kind == "user.message" and data.get("source") not in (None, "", "user"):
            yield Skip(f"{data['source']} (put in by the program)")
        elif kind == "user.message":
            yield turn._replace(role="user", text=texts(data.get("content")))
        elif kind == "assistant.message":
            yield from _answer(data, turn)
        elif kind == "tool.execution_complete":
            failed = data.get("success") is False
            result = inner(data, "error" if failed else "result")
            text = string(result, "content") or string(result, "message")
            yield answered(turn, text, string(data, "toolCallId"), failed=failed)
        else:
            yield Skip(f"type {kind}")


def _answer(data: JsonObject, turn: Turn) -> Iterator[Piece]:
    if text := texts(data.get("content")):
        yield turn._replace(role="assistant", text=text)
    for call in objects(data, "toolRequests"):
        bundle = string(call, "toolCallId")
        made = called(turn, string(call, "name"), call.get("arguments"), bundle)
        yield made._replace(id=f"{turn.id}/{bundle}" if turn.id else "")


FORMAT = Copilot()

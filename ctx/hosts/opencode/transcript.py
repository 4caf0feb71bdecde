"""Sessions of OpenCode: what ``opencode export ID`` writes, one JSON document.

From ``packages/opencode/src/cli/cmd/export.ts``, ``session/index.ts`` and
``session/message-v2.ts`` of ``anomalyco/opencode`` (looked up in 2026-11).

Its storage has changed from files to a database; the export has stayed the same. A fork copies
messages under other ids with the same times, so turns are known by their content. Reasoning is
never imported, nor what OpenCode puts into messages and its summaries.
"""

from collections.abc import Iterator

from ctx.hosts.fields import answered, called, inner, shown, string
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import About, Format, NotATurnError, Piece, Skip
from ctx.text.times import time_of

_ROLES = ("user", "assistant")


class OpenCode(Format):
    """Reads an export."""

    name = "opencode"

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether this is an export: a session and its messages."""
        return isinstance(fields.get("info"), dict) and isinstance(fields.get("messages"), list)

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the turns of all messages."""
        info, messages = fields.get("info"), fields.get("messages")
        if not isinstance(info, dict) or not isinstance(messages, list):
            raise NotATurnError("has no session and messages")
        session = string(info, "id") or session
        yield About(session, string(info, "title"), string(info, "directory"))
        for message in messages:
            about = message.get("info") if isinstance(message, dict) else None
            parts = message.get("parts") if isinstance(message, dict) else None
            role = string(about, "role") if isinstance(about, dict) else ""
            if not isinstance(about, dict) or role not in _ROLES or not isinstance(parts, list):
                yield Skip("message without role and parts")
            elif about.get("summary") is True:
                yield Skip("summary (put in by OpenCode)")
            else:
                turn = Turn("", session, _time(about, "created"), role, "")
                for part in parts:
                    yield from _part(part, turn) if isinstance(part, dict) else ()


def _part(part: JsonObject, turn: Turn) -> Iterator[Piece]:
    kind, state = string(part, "type"), part.get("state")
    if kind == "text" and not (part.get("synthetic") or part.get("ignored")):
        yield turn._replace(text=string(part, "text"))
    elif kind == "tool" and isinstance(state, dict):
        turn = turn._replace(ts=_time(state, "start") or turn.ts)
        bundle = string(part, "callID")
        yield called(turn, string(part, "tool"), state.get("input"), bundle)
        failed = state.get("status") == "error"
        if text := string(state, "error" if failed else "output"):
            turn = turn._replace(ts=_time(state, "end") or turn.ts)
            yield answered(turn, text, bundle, failed=failed)
    elif kind == "file":
        source: JsonObject = {"url": string(part, "filename") or string(part, "mime")}
        yield turn._replace(text=shown("file", {"source": source}))
    else:
        yield Skip("thinking" if kind == "reasoning" else f"part of type {kind}")


def _time(fields: JsonObject, name: str) -> str:
    return time_of(inner(fields, "time").get(name))


FORMAT = OpenCode()

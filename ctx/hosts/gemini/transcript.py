"""Chats of Gemini CLI: ``~/.gemini/tmp/*/chats/session-*.jsonl``, and older ones as one document.

From ``packages/core/src/services/chatRecordingTypes.ts``, ``chatRecordingService.ts`` and
``packages/core/src/core/logger.ts`` (checkpoints, ``/chat save``) of
``google-gemini/gemini-cli`` (looked up in 2026-11).

The first line names the session and a digest of the project's folder; older releases wrote all
of it as one document with ``messages``. A message is written again whenever a call of a tool in
it is done. A checkpoint is read where it is named: it repeats a chat without ids and times.
Thoughts are never imported.
"""

from collections.abc import Iterator, Sequence

from ctx.hosts.fields import answered, called, count, inner, inside, newest, objects, string, texts
from ctx.hosts.gemini.hooks import is_command
from ctx.hosts.wrappers import spoken
from ctx.model import Json, JsonObject, Turn
from ctx.model.transcripts import About, Format, Home, Node, NotATurnError, Piece, Rewound, Skip
from ctx.text.regex import regex
from ctx.text.times import time_of

_ROLES = {"user": "user", "gemini": "assistant"}
_NOTES = ("info", "error", "warning")
_CHANGES = ("$set", "$rewindTo")
_DIGEST = regex(rb'"projectHash":\s*"([0-9a-f]{64})"')


class Gemini(Format):
    """Reads a line, or a document."""

    name = "gemini"
    places = (Home("GEMINI_CLI_HOME", "", ".gemini/tmp/*/chats/session-*.json*"),)

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether this is the head of a chat, one of its messages, or a change of it."""
        kind = fields.get("type")
        is_message = "content" in fields and "timestamp" in fields and "role" not in fields
        return (
            ("sessionId" in fields and "projectHash" in fields)
            or (is_message and isinstance(kind, str) and kind in (*_ROLES, *_NOTES))
            or (isinstance(fields.get("history"), list) and "sessionId" not in fields)
            or any(change in fields for change in _CHANGES)
        )

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the turns of a message, or of all messages of a document."""
        for message in objects(fields, "history"):  # of a checkpoint, without ids and times
            yield from content(message, Turn("", session, "", "", ""))
        about = fields.get("$set", fields)
        if isinstance(about, dict) and ("projectHash" in fields or "$set" in fields):
            session = string(about, "sessionId") or session
            yield About(string(about, "sessionId"), string(about, "summary"))
            for message in objects(fields, "messages"):
                yield from _turns(message, session)
            if "$set" in fields:
                yield Skip("change of the chat")
        elif "$rewindTo" in fields:
            yield Rewound(string(fields, "$rewindTo"))
            yield Skip("change of the chat")
        elif not isinstance(fields.get("history"), list):
            yield from _turns(fields, session)

    def folder(self, line: bytes, /) -> str:
        """Return the digest of the project's folder; empty where a line has none."""
        found = _DIGEST.search(line)
        return found[1].decode() if found else ""

    def usage(self, lines: Sequence[bytes], /) -> tuple[int | None, int | None]:
        """Return what the last message of a transcript counted, where it is a line of its own."""
        for line in newest(lines):
            used = count(inside(line, "tokens", "total"))
            if used is not None:
                return used, None
        return None, None


def content(message: JsonObject, turn: Turn) -> Iterator[Piece]:
    """Yield a turn for each part of a message as Gemini's API writes it."""
    role = "user" if message.get("role") == "user" else "assistant"
    for place, part in enumerate(objects(message, "parts"), 1):
        own = turn._replace(id=f"{turn.id}/{place}" if turn.id and place > 1 else turn.id)
        call, answer = inner(part, "functionCall"), inner(part, "functionResponse")
        if call:
            yield called(own, string(call, "name"), call.get("args"), string(call, "id"))
        elif part.get("thought") is True:
            yield Skip("thinking")
        elif answer:
            failed = "error" in inner(answer, "response")
            yield answered(own, _result(part), string(answer, "id"), failed=failed)
        elif text := _result(part):
            yield own._replace(text=text, role=role)


def _turns(message: JsonObject, session: str) -> Iterator[Piece]:
    kind = string(message, "type")
    if kind not in _ROLES:
        if not kind:
            raise NotATurnError("has no type")
        yield Skip(f"type {kind}")
        return
    yield Node(string(message, "id"), None, kind == "user")
    turn = Turn(string(message, "id"), session, time_of(message.get("timestamp")), _ROLES[kind], "")
    if message.get("thoughts"):
        yield Skip("thinking")
    if any("functionResponse" in part for part in objects(message, "content")):
        yield Skip("result of a tool that is in its call, too")
        return
    # What the user wrote, where the message also holds files and additional context.
    shown = message.get("displayContent") or message.get("content")
    parts = shown if isinstance(shown, list) else [shown]
    own = [words for part in parts if (words := spoken(texts(part))[0]).strip()]
    text = texts(shown)
    if kind == "user" and is_command(text):
        yield Skip("command of the program")
    elif text:
        yield turn._replace(text="\n".join((kind == "user" and own) or [text]))
    for call in objects(message, "toolCalls"):
        yield from _call(call, turn)


def _call(call: JsonObject, turn: Turn) -> Iterator[Turn]:
    bundle = string(call, "id")
    turn = turn._replace(id=f"{turn.id}/{bundle}", ts=string(call, "timestamp") or turn.ts)
    yield called(turn, string(call, "name"), call.get("args"), bundle)
    if text := _result(call.get("result")):
        turn = turn._replace(id=f"{turn.id}/result")
        yield answered(turn, text, bundle, failed=call.get("status") == "error")


def _result(result: Json) -> str:
    every = []
    for part in result if isinstance(result, list) else [result]:
        answer = inner(part, "functionResponse") if isinstance(part, dict) else {}
        response = answer.get("response")
        if isinstance(response, dict):
            every.append(texts(response.get("output", response.get("error"))))
        elif part is not None:
            every.append(texts(part))
    return "\n".join(filter(None, every))


FORMAT = Gemini()

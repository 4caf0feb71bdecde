"""Sessions of OpenCode and Kilo: their databases, and what ``opencode export ID`` writes.

From ``packages/opencode/src/cli/cmd/export.ts``, ``session/index.ts`` and
``session/message-v2.ts`` of ``anomalyco/opencode`` (looked up in 2026-11).

Releases before 1.2 keep files, for which there is the export, one JSON document. A fork copies
messages under other ids with the same times, so turns are known by their content. Reasoning is
never imported, nor what OpenCode puts into messages and its summaries.
"""

import json
import os
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

from ctx.hosts.fields import answered, called, inner, shown, string
from ctx.model import Json, JsonObject, Turn
from ctx.model.transcripts import About, Format, Home, Line, NotATurnError, Piece, Skip
from ctx.text.times import time_of

if TYPE_CHECKING:
    from sqlite3 import Connection

_ROLES = ("user", "assistant")
_DATABASE = b"SQLite format 3\0"
_SESSIONS = "SELECT id, title, directory, parent_id, revert FROM session ORDER BY time_created, id"
_ROWS = "SELECT id, data FROM {} WHERE {}_id = ? ORDER BY time_created, id"


class OpenCode(Format):
    """Reads an export."""

    name = "opencode"
    holds_all = True
    places = (
        Home("XDG_DATA_HOME", ".local/share", "opencode/opencode*.db"),
        Home("XDG_DATA_HOME", ".local/share", "kilo/kilo*.db"),
    )

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether this is an export: a session and its messages."""
        return isinstance(fields.get("info"), dict) and isinstance(fields.get("messages"), list)

    def begins(self, data: bytes, /) -> bool:
        """Whether a file is a database."""
        return data.startswith(_DATABASE)

    def objects(self, lines: Iterator[Line], path: str, /) -> Iterator[tuple[Line, JsonObject]]:
        """Yield each session of the database at ``path`` as it would be exported."""
        import sqlite3  # only where there is one

        if not path:
            raise OSError("a database cannot be read from a pipe")
        line = next(lines)._replace(data=b"")
        uri = f"file:{quote(os.path.abspath(path))}?mode=ro"
        try:
            with closing(sqlite3.connect(uri, uri=True)) as base:
                for number, row in enumerate(base.execute(_SESSIONS).fetchall(), 1):
                    name, title, folder, parent, revert = row
                    info: JsonObject = {
                        "id": name, "title": title, "directory": folder, "parentID": parent,
                        "revert": json.loads(revert or "null"),
                    }  # fmt: skip
                    messages: list[Json] = [
                        {"info": about, "parts": [*_rows(base, "part", "message", about["id"])]}
                        for about in _rows(base, "message", "session", name)
                    ]
                    yield line._replace(number=number), {"info": info, "messages": messages}
        except (sqlite3.Error, ValueError) as error:
            raise OSError(f"its database is of another form: {error}") from error

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the turns of all messages."""
        info, messages = fields.get("info"), fields.get("messages")
        if not isinstance(info, dict) or not isinstance(messages, list):
            raise NotATurnError("has no session and messages")
        session = string(info, "id") or session
        helper = bool(info.get("parentID"))
        yield About(session, string(info, "title"), string(info, "directory"), helper=helper)
        for each in messages:
            message = each if isinstance(each, dict) else {}
            about, parts = inner(message, "info"), message.get("parts")
            role = string(about, "role")
            if role not in _ROLES or not isinstance(parts, list):
                yield Skip("message without role and parts")
            elif about.get("summary") is True:
                yield Skip("summary (put in by OpenCode)")
            else:
                turn = Turn("", session, _time(about, "created"), role, "")
                for part in parts:
                    yield from _part(part, turn) if isinstance(part, dict) else ()


def _rows(base: "Connection", kind: str, above: str, name: Json) -> Iterator[JsonObject]:
    for id_, data in base.execute(_ROWS.format(kind, above), [name]):
        yield {**json.loads(data), "id": id_}


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

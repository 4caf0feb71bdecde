"""Values out of the context directory: ids of entries, sessions, turns and summaries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ctx.app.find import find
from ctx.app.sessions import state_of
from ctx.cli.completing import MOST, Value
from ctx.read.sessions import FOLDER
from ctx.read.transcripts import stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ctx.cli.completing import Asked
    from ctx.model import Context, Entry

_STORED = ("turn", "summary")
"""Kinds of which there are thousands: offered to whoever begins with their folder."""
_CLOSED = ("done", "skipped")
_DATED = ("decision", "learning")


def root_of(asked: Asked) -> str:
    """Return the context directory that the line speaks of; raises NoDirectoryError."""
    return find(str(asked.given.get("dir_") or ""), asked.world)


def _state(asked: Asked) -> str:
    """Return the folder that its sessions lie below; FileError where there can be none."""
    return state_of(root_of(asked), asked.world)


# --- entries ------------------------------------------------------------------------------


def entries(asked: Asked) -> Iterator[Value]:
    """Return entries by their ids, the newest first; turns only once their folder is typed."""
    whole = asked.word.startswith(f"{FOLDER}/")
    yield from _newest_first(_held(asked, lambda one: whole or one.kind not in _STORED))


def open_tasks(asked: Asked) -> Iterator[Value]:
    """Return tasks that are neither done nor skipped, in the order of their file."""
    found = _held(asked, lambda one: one.kind == "task" and one.status not in _CLOSED)
    yield from (Value(one.id, one.title) for one in found)


def other_tasks(asked: Asked) -> Iterator[Value]:
    """Return tasks that are more than to do, in the order of their file."""
    found = _held(asked, lambda one: one.kind == "task" and bool(one.status))
    yield from (Value(one.id, one.title) for one in found)


def replaceable(asked: Asked) -> Iterator[Value]:
    """Return entries of the kind that is added which nothing supersedes yet, the newest first."""
    kind = str(asked.given.get("kind") or "")
    kinds = (kind,) if kind in _DATED else _DATED
    yield from _newest_first(
        _held(asked, lambda one: one.kind in kinds and one.status != "superseded")
    )


def phases(asked: Asked) -> Iterator[Value]:
    """Return the headings that entries of the kind that is added stand under."""
    kind = str(asked.given.get("kind") or "task")
    found = _held(asked._replace(word=""), lambda one: one.kind == kind)
    yield from (Value(one.group, one.source) for one in found if one.group)


def _newest_first(found: list[Entry]) -> Iterator[Value]:
    # Stable: what has no date stays in the order of its file, behind what has one.
    for one in sorted(found, key=lambda one: one.timestamp, reverse=True):
        yield Value(one.id, one.title)


def _held(asked: Asked, wanted: Callable[[Entry], bool]) -> list[Entry]:
    """Return the ``wanted`` entries whose ids begin with what is typed, in authored order."""
    from ctx.app.options import PacketOptions
    from ctx.app.workspace import Workspace

    root = root_of(asked)

    def look(context: Context) -> list[Entry]:
        return [one for one in context.entries if one.id.startswith(asked.word) and wanted(one)]

    return Workspace(PacketOptions(), asked.world, root=root).read(look)


# --- sessions -----------------------------------------------------------------------------


def sessions(asked: Asked) -> Iterator[Value]:
    """Return the stored sessions by their ids, those first that were written last."""
    state = _state(asked)
    for name in _newest(state)[:MOST]:
        yield Value(stored.identity(state, name), name)


def _newest(state: str) -> list[str]:
    def written(name: str) -> float:
        try:
            return os.stat(os.path.join(state, FOLDER, name)).st_mtime
        except OSError:
            return 0.0

    return sorted(stored.names(state), key=written, reverse=True)


def transcripts(_: Asked) -> Iterable[Value]:
    """Return the forms of transcripts that can be imported: the same in every directory."""
    from ctx.read.transcripts import FORMATS

    return map(Value, FORMATS)


def turns(asked: Asked) -> Iterator[Value]:
    """Return the turns of the session that the line names, the last ones first."""
    from ctx.app.sessions import named

    state = _state(asked)
    found = stored.turns(state, named(state, str(asked.given.get("session") or "")))
    values = [
        Value(one.turn.id, one.turn.text[:_BEGINNING])
        for one in found
        if one.turn.id.startswith(asked.word)
    ]
    yield from reversed(values)


def summaries(asked: Asked) -> Iterator[Value]:
    """Return the summaries of all sessions."""
    from ctx.model import Summary
    from ctx.read import lineage

    state = _state(asked)
    for name in lineage.names(state):
        for one in lineage.counting(state, name):
            if isinstance(one, Summary):
                yield Value(one.id, one.text[:_BEGINNING])


_BEGINNING = 200
"""Characters of a text that a description is made of."""

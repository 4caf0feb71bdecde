"""Values out of the context directory: ids of entries, sessions, turns and summaries."""

import os
from collections.abc import Callable, Iterator

from ctx.app.find import find
from ctx.app.options import PacketOptions
from ctx.app.sessions import named, state_of
from ctx.cli.completing import MOST, Asked, Value
from ctx.model import Context, Entry
from ctx.read import lineage, stored
from ctx.read.sessions import FOLDER

_STORED = ("turn", "summary")  # there are thousands: offered once their folder is typed
_CLOSED = ("done", "skipped")
_DATED = ("decision", "learning")
_BEGINNING = 200  # characters of a text that a description is made of


def root_of(asked: Asked) -> str:
    """Return the context directory that the line speaks of; raises NoDirectoryError."""
    return find(str(asked.given.get("dir_") or ""), asked.world)


def _state(asked: Asked) -> str:
    return state_of(root_of(asked), asked.world)


def entries(asked: Asked) -> Iterator[Value]:
    """Return entries by their ids, the newest first; turns only once their folder is typed."""
    whole = asked.word.startswith(f"{FOLDER}/")
    yield from _newest_first(_matching(asked, lambda entry: whole or entry.kind not in _STORED))


def open_tasks(asked: Asked) -> Iterator[Value]:
    """Return tasks that are neither done nor skipped, in the order of their file."""
    found = _matching(asked, lambda entry: entry.kind == "task" and entry.status not in _CLOSED)
    yield from (Value(entry.id, entry.title) for entry in found)


def other_tasks(asked: Asked) -> Iterator[Value]:
    """Return tasks that are more than to do, in the order of their file."""
    found = _matching(asked, lambda entry: entry.kind == "task" and bool(entry.status))
    yield from (Value(entry.id, entry.title) for entry in found)


def replaceable(asked: Asked) -> Iterator[Value]:
    """Return entries of the kind that is added which nothing supersedes yet, the newest first."""
    kind = str(asked.given.get("kind") or "")
    kinds = (kind,) if kind in _DATED else _DATED
    yield from _newest_first(
        _matching(asked, lambda entry: entry.kind in kinds and entry.status != "superseded")
    )


def phases(asked: Asked) -> Iterator[Value]:
    """Return the headings that entries of the kind that is added stand under."""
    kind = str(asked.given.get("kind") or "task")
    found = _matching(asked._replace(word=""), lambda entry: entry.kind == kind)
    yield from (Value(entry.group, entry.source) for entry in found if entry.group)


def _newest_first(found: list[Entry]) -> Iterator[Value]:
    # Stable: what has no date stays in the order of its file, behind what has one.
    for entry in sorted(found, key=lambda entry: entry.timestamp, reverse=True):
        yield Value(entry.id, entry.title)


def _matching(asked: Asked, wanted: Callable[[Entry], bool]) -> list[Entry]:
    from ctx.app.workspace import Workspace  # sessions need none

    root = root_of(asked)

    def look(context: Context) -> list[Entry]:
        return [
            entry for entry in context.entries if entry.id.startswith(asked.word) and wanted(entry)
        ]

    return Workspace(PacketOptions(), asked.world, root=root).read(look)


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


def turns(asked: Asked) -> Iterator[Value]:
    """Return the turns of the session that the line names, the last ones first."""
    state = _state(asked)
    found = stored.turns(state, named(state, str(asked.given.get("session") or "")))
    values = [
        Value(stored_turn.turn.id, stored_turn.turn.text[:_BEGINNING])
        for stored_turn in found
        if stored_turn.turn.id.startswith(asked.word)
    ]
    yield from reversed(values)


def summaries(asked: Asked) -> Iterator[Value]:
    """Return the summaries of all sessions."""
    state = _state(asked)
    for name in lineage.names(state):
        for summary in lineage.summaries(state, name):
            yield Value(summary.id, summary.text[:_BEGINNING])

"""Removing stored sessions, with all that ctx keeps of them."""

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import date

from ctx.app import capture, noting
from ctx.app.promotion import source_of
from ctx.edit import atomic
from ctx.edit.atomic import explained, settle
from ctx.model import Context
from ctx.read import files, stored
from ctx.read.files import RefusedError
from ctx.read.sessions import FOLDER
from ctx.sessions.files import ASIDE, SUMMARIES, check
from ctx.sessions.importing import TIMEOUT, rejected_of
from ctx.store import Store
from ctx.store.sweep import clear, family
from ctx.text.names import shown

_ENDINGS = {ASIDE: ".txt", SUMMARIES: ".jsonl"}


def older(
    state: str, names: Iterable[str], day: date, complain: Callable[[str], object]
) -> Iterator[str]:
    """Yield the sessions that ended before ``day``; of one without times nobody knows that."""
    for name in names:
        try:
            ended = stored.ended(state, name)
        except RefusedError as error:
            complain(str(error))
            continue
        if ended is None:
            complain(f"{FOLDER}/{shown(name)}: tells no time: forget it by its id")
        elif ended.date() < day:
            yield name


def promoted(context: Context, names: Iterable[str]) -> list[str]:
    """Return the ids of entries that cite turns of the sessions in these files."""
    sources = tuple(source_of(name, "") for name in names)
    return [
        shown(entry.id)
        for source in context.sources
        if not source.path.startswith(f"{FOLDER}/")
        for entry in source.entries
        if any(cited in entry.body for cited in sources)
    ]


def forget(state: str, name: str, session: str, store: Store) -> None:
    """Remove the ``session`` in the file ``name``, and what agents received of it.

    That is in any context directory of the repository. Its summaries and the rejected lines of its
    name go before it: a removal that was interrupted can be repeated. Raises FileError.
    """
    folder = check(state)
    stem = name.removesuffix(".jsonl")
    made = (rejected_of(folder, stem), os.path.join(folder, ASIDE, f"{stem}.txt"))
    _remove(folder, (*made, os.path.join(folder, SUMMARIES, name), os.path.join(folder, name)))
    capture.forget(state, session)
    code = noting.code_of(state, session)
    noting.drop(state, lambda one: one.code == code != "")
    for other in family(store.state):
        for mark in ("", "#start ", "#same "):  # as hooks note their packets
            Store(state=other).empty(session, mark + session)


def forget_rest(state: str, caches: str, *, every: bool) -> None:
    """Remove what is of no one session: the caches, and, with ``every``, what lost its session.

    ``caches`` is the folder of one of them; empty where they stay. Raises FileError.
    """
    for inner, ending in _ENDINGS.items() if every else ():
        place = os.path.join(check(state), inner)
        with explained(place, "read"):
            names = files.names(place, ending)
        _remove(check(state), (os.path.join(place, name) for name in names))
    for folder in family(caches) if caches else ():
        clear(folder)


def _remove(folder: str, paths: Iterable[str]) -> None:
    """Remove those of ``paths`` that exist, once no import or compaction writes to them."""
    for path in filter(os.path.lexists, paths):
        with (
            atomic.lock(folder, timeout=TIMEOUT),
            atomic.lock(path, timeout=TIMEOUT),
            explained(path, "removed"),
        ):
            os.unlink(path)
        settle(os.path.dirname(path))

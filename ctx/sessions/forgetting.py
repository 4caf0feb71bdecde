"""Removing stored sessions with all that ctx keeps of them."""

import os
from collections.abc import Iterable

from ctx.edit import atomic
from ctx.edit.atomic import explained, settle
from ctx.read import files
from ctx.sessions.files import ASIDE, SUMMARIES, check
from ctx.sessions.importing import TIMEOUT, rejected_of

_ENDINGS = {ASIDE: ".txt", SUMMARIES: ".jsonl"}


def forget(state: str, name: str) -> None:
    """Remove the session in the file ``name``; raises FileError.

    Its summaries and the rejected lines of its name go before it: a removal that was interrupted
    can be repeated.
    """
    folder = check(state)
    stem = name.removesuffix(".jsonl")
    made = (rejected_of(folder, stem), os.path.join(folder, ASIDE, f"{stem}.txt"))
    _remove(folder, (*made, os.path.join(folder, SUMMARIES, name), os.path.join(folder, name)))


def forget_rest(state: str) -> None:
    """Remove rejected lines and summaries of sessions that are gone; raises FileError."""
    folder = check(state)
    for inner, ending in _ENDINGS.items():
        place = os.path.join(folder, inner)
        with explained(place, "read"):
            names = files.names(place, ending)
        _remove(folder, (os.path.join(place, name) for name in names))


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

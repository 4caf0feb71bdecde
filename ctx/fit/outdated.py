"""What a session was told and is not so any more."""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from typing import NamedTuple

from ctx.detail import dated_title, digest_at
from ctx.model import NEVER, Context, Entry, Gone, Memory

_OVER = frozenset({"done", "skipped", "superseded"})


class Outdated(NamedTuple):
    """What a session was told and is not so any more, by id."""

    gone: dict[str, Gone]
    """Said by no file, or as out of date."""
    changed: dict[str, Entry]
    """Said otherwise: as it is now."""


def outdated(context: Context, memory: Memory | None) -> Outdated:
    """Compare what a session was told with what the files say now."""
    told = {} if memory is None else memory.items
    known = {key for key, item in told.items() if item.digest != NEVER and key[:1] != "#"}
    # A file's name may hold a # of its own.
    sources = {key[:at] for key in known for at, char in enumerate(key) if char == "#"}
    there = {
        entry.id: entry
        for source in context.sources
        for part in source.parts
        if part.source in sources
        for entry in map(part.entry, range(len(part)))
        if entry.id in known
    }
    found = Outdated({key: Gone(key, "", "removed") for key in sorted(known - there.keys())}, {})
    for key, entry in there.items():
        same = told[key].digest == digest_at(entry, told[key].level)
        if entry.status in _OVER and not same:  # else it was told as what it is
            found.gone[key] = Gone(key, dated_title(entry._replace(status="")), entry.status)
        elif not same:
            found.changed[key] = entry
    return found

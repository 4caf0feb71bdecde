"""Entries put out of date by what another entry says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctx.model import Entry, Source

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_STAMPED = re.compile(r"^\[?(\d{4}-\d{2}-\d{2}(?:-\d{4,6})?)\]?")
_EDGES = " \t.,;:\"'`*_“”‘’"


def mark_superseded(sources: list[Source]) -> list[Source]:
    """Return the sources with every entry that another one supersedes marked so.

    A name counts only where it is exactly the title, id or timestamp of an entry, so that
    prose which happens to use the word puts nothing out of date.
    """
    claims = [
        (entry, claim)
        for source in sources
        for entry in source.entries
        if entry.supersedes
        for claim in entry.supersedes.split("\n")
    ]
    if not claims:
        return sources
    names = _names(entry for source in sources for entry in source.entries)
    gone = {
        target
        for entry, claim in claims
        for name in _readings(claim)
        for target in names.get(name, ())
        if target != entry.id
    }
    return [source._replace(entries=tuple(_marked(source.entries, gone))) for source in sources]


def _names(entries: Iterable[Entry]) -> dict[str, list[str]]:
    """Return the ids that each title, id and timestamp stands for."""
    names: dict[str, list[str]] = {}
    for entry in entries:
        if entry.section in ("decisions", "learnings"):
            for name in {entry.id.casefold(), entry.title.casefold(), entry.timestamp}:
                names.setdefault(name, []).append(entry.id)
    names.pop("", None)
    # A date that several entries share names none of them.
    return {name: ids for name, ids in names.items() if len(ids) == 1 or not _STAMPED.match(name)}


def _readings(claim: str) -> Iterator[str]:
    """Yield what a claim may name: all of it, its quoted or linked part, its timestamp."""
    text = _LINK.sub(r"\1", claim).strip(_EDGES).casefold()
    yield text
    yield text.strip("[]" + _EDGES)
    stamped = _STAMPED.match(text)
    if stamped:
        yield stamped[1]
        yield text[stamped.end() :].strip(_EDGES)
    quoted = re.match(r"[\"“`']([^\"”`']+)[\"”`']", claim.strip())
    if quoted:
        yield quoted[1].strip(_EDGES).casefold()


def _marked(entries: Iterable[Entry], gone: set[str]) -> Iterator[Entry]:
    for entry in entries:
        yield entry._replace(status="superseded") if entry.id in gone else entry

"""Entries put out of date by what another entry says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.read.columns import Columns

_LINK = re.compile(r"\[([^\[\]]{0,200})\]\([^()]{0,300}\)")
_STAMPED = re.compile(r"^\[?(\d{4}-\d{2}-\d{2}(?:-\d{4,6})?)\]?")
_QUOTED = re.compile(r"[\"“`']([^\"”`']+)[\"”`']")
_EDGES = " \t.,;:\"'`*_“”‘’"

_Place = tuple[int, int]
"""A file by number and a place in it."""


def mark_superseded(files: Sequence[Columns]) -> None:
    """Mark as gone every entry of ``files`` that another one says it supersedes.

    A name counts only where it is exactly the title, id or timestamp of one entry, so that
    prose which happens to use the word puts nothing out of date.
    """
    claims = [
        ((number, place), claim)
        for number, file in enumerate(files)
        for place, text in file.claims().items()
        for claim in text.split("\n")
    ]
    if not claims:
        return
    wanted = {name for _, claim in claims for name in _readings(claim)}
    named = _named(files, wanted)
    for claimer, claim in claims:
        for name in _readings(claim):
            for number, place in named.get(name, ()):
                if (number, place) != claimer:
                    files[number].gone.add(place)


def _named(files: Sequence[Columns], wanted: set[str]) -> dict[str, set[_Place]]:
    """Return the entries that each of the ``wanted`` names stands for.

    A date that several entries share names none of them.
    """
    named: dict[str, set[_Place]] = {}
    for number, file in enumerate(files):
        for place, (title, stamp) in enumerate(zip(file.titles, file.timestamps, strict=True)):
            for name in (title.casefold(), stamp, file.id_of(place).casefold()):
                if name in wanted:
                    named.setdefault(name, set()).add((number, place))
    return {
        name: places for name, places in named.items() if len(places) == 1 or not _is_date(name)
    }


def _is_date(name: str) -> bool:
    return _STAMPED.match(name) is not None


def _readings(claim: str) -> Iterator[str]:
    """Yield what a claim may name: all of it, its quoted or linked part, its timestamp."""
    text = _LINK.sub(r"\1", claim).strip(_EDGES).casefold()
    yield from filter(None, (text, text.strip("[]" + _EDGES)))
    stamped = _STAMPED.match(text)
    if stamped:
        yield stamped[1]
        yield text[stamped.end() :].strip(_EDGES) or stamped[1]
    quoted = _QUOTED.match(claim.strip())
    if quoted:
        yield quoted[1].strip(_EDGES).casefold()

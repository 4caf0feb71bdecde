"""Entries put out of date by what another entry says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.text.supersedes import is_date, readings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.read.columns import Columns

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
    wanted = {name for _, claim in claims for name in readings(claim)}
    named = _named(files, wanted)
    for claimer, claim in claims:
        for name in readings(claim):
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
    return {name: places for name, places in named.items() if len(places) == 1 or not is_date(name)}

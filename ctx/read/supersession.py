"""Entries that another entry supersedes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.text.supersedes import is_date, readings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.read.columns import Columns

_Place = tuple[int, int]
"""The number of a file, and a place in it."""


def mark_superseded(files: Sequence[Columns]) -> None:
    """Mark as gone every entry of ``files`` that another one supersedes.

    A name counts only where it is exactly the title, id or timestamp of one entry, so that
    prose which happens to use the word supersedes nothing.
    """
    references = [
        ((number, place), name)
        for number, file in enumerate(files)
        for place, text in file.supersedes().items()
        for line in text.split("\n")
        for name in readings(line)
    ]
    if not references:
        return
    named = _named(files, {name for _, name in references})
    for source, name in references:
        for number, place in named.get(name, ()):
            if (number, place) != source:
                files[number].superseded.add(place)


def _named(files: Sequence[Columns], wanted: set[str]) -> dict[str, set[_Place]]:
    """Return the entries of each of the ``wanted`` names.

    A date that several entries share names none of them.
    """
    named: dict[str, set[_Place]] = {}
    for number, file in enumerate(files):
        for place, (title, stamp) in enumerate(zip(file.titles, file.timestamps, strict=True)):
            for name in (title.casefold(), stamp, file.id_of(place).casefold()):
                if name in wanted:
                    named.setdefault(name, set()).add((number, place))
    return {name: places for name, places in named.items() if len(places) == 1 or not is_date(name)}

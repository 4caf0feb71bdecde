"""Records of a file of summaries as they are remembered: as far as they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctx.model import Summary
from ctx.read.compacted import Declined, Elevated, Run

if TYPE_CHECKING:
    from ctx.read.compacted import Record

Edge = list[Any]
"""The type of a record, and what it covers (``summaries`` makes it)."""


def of_edge(edge: Edge) -> Record:
    """Return a record of which only what an edge keeps is told.

    Its turns are none where their number was not that of its sources: it fits nowhere.
    """
    match edge:
        case ["run", start, end]:
            return Run(start, end, 0, 0, 0, 1, "", "")
        case ["elevated", line, name]:
            return Elevated(line, name)
        case ["declined", level, lines, sources, turns]:
            return Declined(level, _spans(lines), tuple(sources), turns, "")
        case [_, name, level, lines, sources, turns]:
            told = sources if level > 1 else [*sources] * turns
            return Summary(
                name, "", level, "", tuple(told), _spans(lines), turns,
                0, 0, "", "", "", "", "", "", 0.0, "",
            )  # fmt: skip
        case _:
            raise ValueError("no edge")


def _spans(lines: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((first, last) for first, last in lines)

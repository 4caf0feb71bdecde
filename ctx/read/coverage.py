"""Which summaries stand for which turns of a session, and which turns gave rules, for packets."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx.read.compactions import Edge

FOLDER = "sessions/summaries"
"""Relative to the context directory; each file is named as its session's."""


class Coverage:
    """The edges of one session, both ways up: from a line, and from a summary."""

    def __init__(self, path: str, pieces: Iterable[Sequence[Edge]]) -> None:
        """Join the edges of the ``pieces`` of ``path``, in their order, as far as they count."""
        from ctx.read.compactions import Lineage, of_edge

        self._path = path
        self._spans: list[tuple[int, int, str]] = []
        self._above: dict[str, str] = {}
        self.elevated: Mapping[int, str] = {}
        """Lines of turns in which a user gave a rule, and the names of these turns."""
        self.last = (0, "")
        """The last line that a summary stands for, and the name of its turn."""
        self.odd: list[list[int]] = []
        """By piece, which of its summaries do not count."""
        elevated: dict[int, str] = {}
        lineage = Lineage()
        for piece in pieces:
            odd, place = [], -1
            for edge in piece:
                place += edge[0] == "summary"
                if lineage.take(of_edge(edge)):
                    self._take(edge, elevated)
                elif edge[0] == "summary":
                    odd.append(place)
            self.odd.append(odd)
        self._spans.sort()
        self._starts = [first for first, _, _ in self._spans]
        self.elevated = elevated

    def _take(self, edge: Edge, elevated: dict[int, str]) -> None:
        if edge[0] == "elevated":
            elevated[edge[1]] = edge[2]
        elif edge[0] == "summary":
            _, name, level, lines, sources, _ = edge
            if level == 1:
                self._spans += [(first, last, name) for first, last in lines]
                self.last = max(self.last, (lines[-1][1], sources[-1]))
            else:
                self._above |= dict.fromkeys(sources, name)

    def of_line(self, line: int) -> tuple[str, ...]:
        """Return the ids of the summaries that stand for a turn, the nearest first."""
        at = bisect_right(self._starts, line) - 1
        if at < 0 or line > self._spans[at][1]:
            return ()
        name = self._spans[at][2]
        return (f"{self._path}#{name}", *self.of_summary(name))

    def of_summary(self, name: str) -> tuple[str, ...]:
        """Return the ids of the summaries that stand for another one, the nearest first."""
        found = []
        while above := self._above.get(name):  # levels rise, so this ends
            found.append(f"{self._path}#{above}")
            name = above
        return tuple(found)

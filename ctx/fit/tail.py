"""The recent tail of a session: which of its last turns are said, and never a part of a bundle.

Source: ``retrieval-math`` sections 7.2 and 7.8 (continuity). Turns are told apart by index,
counted from 0 at the session's begin; a tail is named by the index at which it starts.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctx.model import Thread


class Boundaries:
    """Where a session can be cut without splitting turns that belong together."""

    def __init__(self, bundles: Iterable[tuple[int, str]]) -> None:
        """Take the index and the bundle of every turn that has one, by rising index."""
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        for index, bundle in bundles:
            first.setdefault(bundle, index)
            last[bundle] = index
        self._begins: list[int] = []
        self._ends: list[int] = []
        # A cut before turn i splits a bundle where begin < i <= end. Spans that share a cut,
        # or meet in one, act as one.
        for begin, end in sorted((first[name], last[name]) for name in first):
            if self._ends and begin <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._begins.append(begin)
                self._ends.append(end)

    def back(self, index: int) -> int:
        """Return ``index``, or the nearest one before it where a cut splits no bundle."""
        at = bisect_left(self._begins, index) - 1
        return self._begins[at] if at >= 0 and index <= self._ends[at] else index


def base_start(thread: Thread, least: int, boundaries: Boundaries) -> int:
    """Return where the base tail starts: the shortest suffix with at least ``least`` turns.

    All of the session where it is shorter.
    """
    return boundaries.back(max(0, len(thread) - least))


def longest(start: int, boundaries: Boundaries, price: Callable[[int], int], room: int) -> int:
    """Return where the longest suffix starts that adds at most ``room`` tokens before ``start``.

    ``price`` is what a turn costs by its index. Steps go bundle by bundle; the first that
    does not fit ends them, since what is said must be a suffix.
    """
    while start:
        earlier = boundaries.back(start - 1)
        cost = 0
        for index in range(start - 1, earlier - 1, -1):
            cost += price(index)
            if cost > room:
                return start
        start, room = earlier, room - cost
    return start

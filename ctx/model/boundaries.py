"""Where a session can be cut, for a tail or a summary, without splitting a bundle of turns."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sized
from functools import cached_property


class Boundaries:
    """Where a session can be cut without splitting turns that belong together."""

    def __init__(self, bundles: Iterable[tuple[int, str]] = ()) -> None:
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        for index, bundle in bundles:
            self.add(index, bundle)

    def add(self, index: int, bundle: str) -> None:
        """Record, before the first question, that the turn at ``index`` is in ``bundle``."""
        self._first.setdefault(bundle, index)
        self._last[bundle] = index

    @cached_property
    def _spans(self) -> tuple[list[int], list[int]]:
        """First and last turns of spans: a cut before turn i splits one where first < i <= last.

        Bundles that share a cut, or meet in one, act as one.
        """
        begins: list[int] = []
        ends: list[int] = []
        for begin, end in sorted((first, self._last[name]) for name, first in self._first.items()):
            if ends and begin <= ends[-1]:
                ends[-1] = max(end, ends[-1])
            else:
                begins.append(begin)
                ends.append(end)
        return begins, ends

    def back(self, index: int) -> int:
        """Return ``index``, or the nearest one before it where a cut splits no bundle."""
        begins, ends = self._spans
        at = bisect_left(begins, index) - 1
        return begins[at] if at >= 0 and index <= ends[at] else index


def base_start(turns: Sized, least: int, boundaries: Boundaries) -> int:
    """Return where the base tail starts: the shortest suffix with at least ``least`` turns."""
    return boundaries.back(max(0, len(turns) - least))


def longest(start: int, boundaries: Boundaries, price: Callable[[int], int], room: int) -> int:
    """Return where the longest suffix starts that adds at most ``room`` tokens, by bundle."""
    while start:
        earlier = boundaries.back(start - 1)
        cost = 0
        for index in range(start - 1, earlier - 1, -1):
            cost += price(index)
            if cost > room:
                return start
        start, room = earlier, room - cost
    return start

"""Which records of a file of summaries count: those that fit what stands before them.

The file is not trusted: lines count that nothing covers yet, within those of their run, and
summaries of the level below that nothing covers yet. So no line is covered twice, every summary
leads to turns, and no path ends where it began.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Protocol

from ctx.model import Lines, Summary
from ctx.read.compacted import Declined, Elevated, Record, Run

# --- runs of lines ------------------------------------------------------------------------


class Spans:
    """Lines, kept as runs of lines that follow each other."""

    def __init__(self) -> None:
        """Begin with none."""
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def __contains__(self, line: int) -> bool:
        """Whether ``line`` is among them."""
        at = bisect_right(self._firsts, line) - 1
        return at >= 0 and line <= self._lasts[at]

    def copy(self) -> "Spans":
        """Return another one with the same lines."""
        made = Spans()
        made._firsts, made._lasts = [*self._firsts], [*self._lasts]
        return made

    def meets(self, first: int, last: int) -> bool:
        """Return whether any line from ``first`` to ``last`` is among them."""
        at = bisect_right(self._firsts, last) - 1
        return at >= 0 and self._lasts[at] >= first

    def add(self, first: int, last: int) -> None:
        """Add lines, of which none is among them yet."""
        start = bisect_left(self._lasts, first - 1)
        stop = bisect_right(self._firsts, last + 1)
        if start < stop:
            first = min(first, self._firsts[start])
            last = max(last, self._lasts[stop - 1])
        self._firsts[start:stop] = [first]
        self._lasts[start:stop] = [last]

    def runs(self) -> Lines:
        """Return them, rising."""
        return tuple(zip(self._firsts, self._lasts, strict=True))

    @property
    def last(self) -> int:
        """The last of them; 0 where there is none."""
        return self._lasts[-1] if self._lasts else 0


def joined(every: Iterable[Lines]) -> Lines:
    """Return the lines of ``every`` one, of which no two share a line, as runs."""
    spans = Spans()
    for one in every:
        for first, last in one:
            spans.add(first, last)
    return spans.runs()


def count(spans: Lines) -> int:
    """Return how many lines these are."""
    return sum(last - first + 1 for first, last in spans)


# --- what counts --------------------------------------------------------------------------


class Ids(Protocol):
    """A set of names, wherever it is kept."""

    def __contains__(self, name: object, /) -> bool:
        """Whether ``name`` was added."""
        ...

    def add(self, name: str, /) -> None:
        """Add ``name``."""
        ...


class Lineage:
    """Which records of one file count, taken one by one in the file's order."""

    def __init__(self, ids: Ids | None = None) -> None:
        """Begin with none; ``ids`` remembers the names of summaries, if memory is not to."""
        self.ids: Ids = set[str]() if ids is None else ids
        self.run: Run | None = None
        """The run that is being done, or was last."""
        self.before = Spans()
        """Lines that were done before it began."""
        self.done = Spans()
        """Lines that are covered, elevated or declined."""
        self.turns = 0
        """Turns of the run that are covered or declined."""
        self.elevated = 0
        """Turns of the run that are elevated."""
        self.melted = 0
        """Last line of the run that is covered or declined."""
        self.raised = 0
        """Last line of the run that is elevated."""
        self.waiting: dict[int, list[Summary]] = {}
        """By level, the summaries that no other one covers, in the order of the file."""
        self.last: dict[int, str] = {}
        """By level, the text of the last summary."""
        self.odd = 0
        """Lines that are no records, and records that do not fit."""

    @property
    def whole(self) -> bool:
        """Whether all that the run was to do is done."""
        run = self.run
        return run is None or (self.turns >= run.turns and self.elevated >= run.elevated)

    def take(self, one: Record | None) -> bool:
        """Take the next record; return whether it counts."""
        match one:
            case Run():
                taken = self._begin(one)
            case Elevated():
                taken = self._elevate(one)
            case Declined() | Summary() if one.level == 1:
                taken = self._melt(one)
            case Declined() | Summary():
                taken = self._climb(one)
            case _:
                taken = False
        self.odd += not taken
        return taken

    def _begin(self, run: Run) -> bool:
        self.run, self.before = run, self.done.copy()
        self.turns = self.elevated = self.melted = self.raised = 0
        return True

    def _elevate(self, one: Elevated) -> bool:
        if not self._fits(((one.line, one.line),)):
            return False
        self.done.add(one.line, one.line)
        self.elevated += 1
        self.raised = max(self.raised, one.line)
        return True

    def _melt(self, one: Declined | Summary) -> bool:
        whole = isinstance(one, Declined) or len(one.sources) == one.turns
        if not whole or count(one.lines) != one.turns or not self._fits(one.lines):
            return False
        if isinstance(one, Summary) and not self._keep(one):
            return False
        for first, last in one.lines:
            self.done.add(first, last)
        self.turns += one.turns
        self.melted = max(self.melted, one.lines[-1][1])
        return True

    def _fits(self, spans: Lines) -> bool:
        """Whether lines are within the run's, and none of them is done."""
        run = self.run
        if run is None or spans[0][0] < run.start or spans[-1][1] > run.end:
            return False
        return not any(self.done.meets(first, last) for first, last in spans)

    def _climb(self, one: Declined | Summary) -> bool:
        below = self.waiting.get(one.level - 1, [])
        wanted = set(one.sources)
        found = [child for child in below if child.id in wanted]
        if len(found) != len(one.sources) or one.turns != sum(child.turns for child in found):
            return False
        if one.lines != joined(child.lines for child in found):
            return False
        if isinstance(one, Summary) and not self._keep(one):
            return False
        self.waiting[one.level - 1] = [child for child in below if child.id not in wanted]
        return True

    def _keep(self, one: Summary) -> bool:
        """Keep a summary until another one covers it; False where its name is taken."""
        if one.id in self.ids:
            return False
        self.ids.add(one.id)
        self.waiting.setdefault(one.level, []).append(one)
        self.last[one.level] = one.text
        return True

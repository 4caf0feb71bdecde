"""The next fragment to choose, out of ten thousand, without looking at all of them each time.

An entry waits by the best that any of its fragments could be ranked; only one that comes to the
front is read. A fragment waits by the least that it could cost; only one that comes to the front
is priced. What is chosen meanwhile can but lower a rank, so it is looked at again when its turn
comes, not before.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import takewhile
from typing import TYPE_CHECKING

from ctx.fit.preference import Candidate, fixed, rank, score
from ctx.model import Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ctx.fit.preference import Progress
    from ctx.model import Fragment, Level, Measure, Prospect

    Affordable = Callable[[int, Level], bool]


class Queue:
    """The fragments of prospects, best first, each once."""

    def __init__(self, prospects: Sequence[Prospect], measure: Measure, progress: Progress) -> None:
        """Weigh ``prospects`` at the prices of ``measure``, after what ``progress`` has chosen."""
        self._prospects = prospects
        self._measure = measure
        self._progress = progress
        self._unread = [(-self._highest(one), at) for at, one in enumerate(prospects)]
        heapify(self._unread)
        self._read: list[tuple[int, int, Candidate]] = []
        """Fragments: the best that the rank can be, a number, fragment."""
        self._number = 0
        self._equals = _Equals((), progress)
        """The fragments of the best rank."""

    def _highest(self, one: Prospect) -> int:
        """Return the best rank that any fragment of an entry could have, unread."""
        least = self._measure.least(Said(one.scored, "title"))
        return rank(score(one.bound, least), covers=True)

    def take(self, left: int, affordable: Affordable) -> Candidate | None:
        """Return the best fragment and let it go; None when there is none.

        ``left`` are the tokens to spend. What is not ``affordable``, told by an entry's place
        and the level, is passed over, unread if it is the title.
        """
        while True:
            for fallen in self._equals.fallen():
                self._keep(fallen)
            best = self._equals.take(left)
            if best is None:
                if not self._gather(affordable):
                    return None
            elif affordable(best.place, best.fragment.level):
                return best

    def _gather(self, affordable: Affordable) -> bool:
        """Collect the fragments of the best rank there is; return whether there are any."""
        best: list[Candidate] = []
        top = 0
        while self._unread or self._read:
            if self._unread and (not self._read or self._unread[0][0] <= self._read[0][0]):
                if best and -self._unread[0][0] < top:
                    break
                place = heappop(self._unread)[1]
                if affordable(place, "title"):
                    self._look(place, affordable)
                continue
            known, _, one = self._read[0]
            if best and -known < top:
                break
            heappop(self._read)
            if not one.priced:
                if affordable(one.place, one.fragment.level):
                    prospect = self._prospects[one.place]
                    self._keep(priced(prospect, one.fragment, one.place, self._measure))
            elif self._progress.rank(one) < -known:
                self._keep(one)  # it has fallen since it was looked at
            else:
                top = -known
                best.append(one)
        self._equals = _Equals(best, self._progress)
        return bool(best)

    def _look(self, place: int, affordable: Affordable) -> None:
        """Read an entry, and let its fragments wait by the least that they could cost."""
        prospect = self._prospects[place]
        entry = prospect.scored.entry
        for fragment in prospect.fragments():
            if affordable(place, fragment.level):
                least = self._measure.least(Said(prospect.scored, fragment.level))
                self._keep(Candidate(fragment, least, place, entry.source, entry.id, priced=False))

    def _keep(self, one: Candidate) -> None:
        self._number += 1
        heappush(self._read, (-self._progress.rank(one), self._number, one))


def priced(prospect: Prospect, fragment: Fragment, place: int, measure: Measure) -> Candidate:
    """Return a fragment of ``prospect``, which was offered at ``place``, with what it costs."""
    entry = prospect.scored.entry
    cost = measure.unit(Said(prospect.scored, fragment.level))
    return Candidate(fragment, cost, place, entry.source, entry.id)


class _Equals:
    """Fragments of one rank, in the order of the tie-breaks."""

    def __init__(self, found: Iterable[Candidate], progress: Progress) -> None:
        self._progress = progress
        self._uncovered = progress.uncovered
        self._runs: dict[Level, list[Candidate]] = {}
        """By level, the best last: it is taken from the end."""
        for one in sorted(found, key=lambda one: (fixed(one.fragment), one.id), reverse=True):
            self._runs.setdefault(one.fragment.level, []).append(one)

    def fallen(self) -> list[Candidate]:
        """Return and let go what covers nothing new any more, and is ranked lower for it."""
        if self._uncovered == self._progress.uncovered:
            return []
        before, self._uncovered = self._uncovered, self._progress.uncovered
        found: list[Candidate] = []
        for level, run in self._runs.items():
            kept: list[Candidate] = []
            for one in run:
                covers = one.fragment.covers
                fell = covers & before and not covers & self._uncovered
                (found if fell else kept).append(one)
            self._runs[level] = kept
        return found

    def take(self, left: int) -> Candidate | None:
        """Return the best and let it go; None when there is none."""
        heads = [(self._head(run, left), run) for run in self._runs.values() if run]
        if not heads:
            return None
        at, run = min(heads, key=lambda head: self._progress.key(head[1][head[0]], left))
        return run.pop(at)

    def _head(self, run: Sequence[Candidate], left: int) -> int:
        """Return where the best of one level is: among its equals so far, by the rules that move.

        Those stand together, by id.
        """
        last = len(run) - 1
        first = fixed(run[last].fragment)
        equal = takewhile(lambda at: fixed(run[at].fragment) == first, range(last, -1, -1))
        if self._progress.is_late(left):
            return min(equal, key=lambda at: self._progress.key(run[at], left))
        return next((at for at in equal if not self._progress.is_recent(run[at])), last)

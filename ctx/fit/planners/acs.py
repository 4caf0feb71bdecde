"""Choose by benefit and cost (``planner.md``): a priority queue over fragments."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import takewhile
from typing import TYPE_CHECKING

from ctx.fit.planner import Chosen, Room
from ctx.fit.preference import Candidate, Progress, fixed, rank, score
from ctx.model import LEVELS, LodMix, Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ctx.fit.ledger import Ledger, Run
    from ctx.fit.offer import Offer
    from ctx.model import Fragment, Level, Measure, Prospect, Request

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


WORTH_OVERSHOOT = 0.9
"""Benefit above which a single entry may pass the budget, where that is allowed."""


def choose(room: Room, choice: Offer, request: Request) -> Chosen:
    """Say the fragments that are worth most, as far as the budget goes.

    Without a candidate, or with a budget of 0, nothing is chosen.
    """
    places = {
        one.entry.id: (run, place) for run in room.runs for place, one in enumerate(run.ranked)
    }
    prospects = [one for one in choice.planned.prospects if one.scored.entry.id in places]
    if not prospects or request.budget <= 0:
        return Chosen()
    progress = Progress(len(choice.planned.terms), room.ledger.left, LodMix())
    where = [places[one.scored.entry.id] for one in prospects]
    choosing = _Choosing(room.ledger, prospects, where, progress)
    told = Chosen() if choosing.any_whole() else choosing.best_alone(request)
    if not told.overshoot:
        choosing.greedy()
    for run in room.runs:
        run.budget = run.used  # there are no shares: each section has what it was chosen for
    return told


class _Choosing:
    """One choice, as far as it has come."""

    def __init__(
        self,
        ledger: Ledger,
        prospects: Sequence[Prospect],
        where: Sequence[tuple[Run, int]],
        progress: Progress,
    ) -> None:
        """Choose from ``prospects``; ``where`` is the run of each, and its place in it."""
        self._ledger = ledger
        self._prospects = prospects
        self._where = where
        self._progress = progress
        self._chosen: dict[int, Candidate] = {}
        """By place among the prospects."""

    def greedy(self) -> None:
        """Choose the best fragment that fits, again and again, until none does."""
        queue = Queue(self._prospects, self._ledger.measure, self._progress)
        while (one := queue.take(self._ledger.left, self._affordable)) is not None:
            self._say(one)

    def any_whole(self) -> bool:
        """Whether any entry fits whole into what is left."""
        ledger = self._ledger
        if any(ledger.say(run, place, "full", ledger.left) for run, place in self._where):
            ledger.take_back()
            return True
        return False

    def best_alone(self, request: Request) -> Chosen:
        """Say the best entry where none fits whole: past the budget, or as far as it fits.

        Past the budget only where the request allows it and the benefit is above .9.
        """
        at, whole = _most_beneficial(self._prospects)
        id_ = self._prospects[at].scored.entry.id
        if request.allow_overshoot and whole.benefit > WORTH_OVERSHOOT:
            cost = self._say_beyond(at)
            return Chosen(
                overshoot=f"{id_} costs {cost:,} tokens and is said whole, "
                f"as --allow-overshoot asks (benefit {whole.benefit:.2f})."
            )
        left = self._ledger.left
        level = self._say_at_best(at)
        how = f"said by its {'key lines' if level == 'key' else 'title'}" if level else "left out"
        return Chosen(
            note=f"no entry fits whole into the {left:,} tokens that rules, tasks and "
            f"conventions leave; the best one, {id_}, is {how}"
        )

    def _affordable(self, at: int, level: Level) -> bool:
        """Whether an entry is not said at ``level`` or better, and could be, by its least price."""
        run, place = self._where[at]
        measure, one = self._ledger.measure, run.ranked[place]
        known = run.levels.get(place)
        least = measure.least(Said(one, level))
        if known is not None:
            if LEVELS.index(level) >= LEVELS.index(known):
                return False
            least -= measure.unit(Said(one, known))
        # What the line costs that counts what is left out is free once nothing is.
        return least <= self._ledger.left + (run.reserved if run.unsaid <= one.entry.covers else 0)

    def _say(self, one: Candidate) -> bool:
        """Say a fragment if it fits, instead of a lesser level of the same entry."""
        run, place = self._where[one.place]
        if not self._ledger.say(run, place, one.fragment.level, self._ledger.left):
            return False
        self._progress.choose(one, self._chosen.get(one.place))
        self._chosen[one.place] = one
        return True

    def _say_at_best(self, at: int) -> Level | None:
        """Say an entry at the best level that fits, and return that; None where none does."""
        prospect = self._prospects[at]
        by_level = {fragment.level: fragment for fragment in prospect.fragments()}
        for level in LEVELS:
            fragment = by_level.get(level)
            if fragment and self._say(priced(prospect, fragment, at, self._ledger.measure)):
                return level
        return None

    def _say_beyond(self, at: int) -> int:
        """Say an entry whole whatever is left; return what it costs by itself."""
        run, place = self._where[at]
        said = Said(run.ranked[place], "full")
        # More than it costs, and than it is estimated to: nothing may turn it away.
        room = self._ledger.price(run, place, "full") + self._ledger.measure.least(said) + 1
        self._ledger.say(run, place, "full", room, extra=room + self._ledger.budget)
        return self._ledger.measure.unit(said)


def _most_beneficial(prospects: Sequence[Prospect]) -> tuple[int, Fragment]:
    """Return the place of what is worth most when said whole, and what it is worth.

    Of several the newest, and so on by the tie-breaks.
    """
    found: list[tuple[tuple[object, ...], int, Fragment]] = []
    most = 0.0
    for at in sorted(range(len(prospects)), key=lambda at: -prospects[at].bound):
        one = prospects[at]
        if found and one.bound < most:
            break  # none that follows can be worth as much
        whole = next(fragment for fragment in one.fragments() if fragment.level == "full")
        most = max(most, whole.benefit)
        found.append(((-whole.benefit, *fixed(whole), one.scored.entry.id), at, whole))
    _, at, whole = min(found, key=lambda one: one[0])
    return at, whole

"""Choose by benefit and cost (``planner.md``): a priority queue over fragments."""

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import takewhile

from ctx.fit.degrade import GAP, Prefix, entries, include
from ctx.fit.ledger import Ledger, Run
from ctx.fit.offer import Offer
from ctx.fit.planner import Chosen, Room
from ctx.fit.preference import Candidate, Progress, fixed, rank, score
from ctx.model import LEVELS, Fragment, Included, Level, LodMix, Measure, Prospect, Request

WORTH_OVERSHOOT = 0.9  # benefit above which one entry may exceed the budget, where allowed
Affordable = Callable[[int, Level], bool]


class Queue:
    """The fragments of prospects, best first, each once."""

    def __init__(self, prospects: Sequence[Prospect], measure: Measure, progress: Progress) -> None:
        self._prospects = prospects
        self._measure = measure
        self._progress = progress
        self._unread: list[tuple[int, int]] = []  # best rank of an entry, negated, and its place
        for place, prospect in enumerate(prospects):
            least = measure.least(Included(prospect.scored, "title"))
            self._unread.append((-rank(score(prospect.bound, least), covers=True), place))
        heapify(self._unread)
        self._read: list[tuple[int, int, Candidate]] = []  # best rank, negated, number and fragment
        self._number = 0
        self._equals = _Equals((), progress)  # the fragments of the best rank

    def take(self, left: int, affordable: Affordable) -> Candidate | None:
        """Remove and return the best ``affordable`` fragment for ``left`` tokens, or None."""
        while True:
            for fallen in self._equals.fallen():
                self._keep(fallen)
            if (best := self._equals.take(left)) is None:
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
                    self._open(place, affordable)
                continue
            known, _, candidate = self._read[0]
            if best and -known < top:
                break
            heappop(self._read)
            if not candidate.priced:
                if affordable(candidate.place, candidate.fragment.level):
                    prospect = self._prospects[candidate.place]
                    priced_ = priced(prospect, candidate.fragment, candidate.place, self._measure)
                    self._keep(priced_)
            elif self._progress.rank(candidate) < -known:
                self._keep(candidate)  # its rank has fallen since
            else:
                top = -known
                best.append(candidate)
        self._equals = _Equals(best, self._progress)
        return bool(best)

    def _open(self, place: int, affordable: Affordable) -> None:
        """Read an entry, and queue its fragments by the least that they could cost."""
        prospect = self._prospects[place]
        entry = prospect.scored.entry
        for fragment in prospect.fragments():
            if affordable(place, fragment.level):
                least = self._measure.least(Included(prospect.scored, fragment.level))
                self._keep(Candidate(fragment, least, place, entry.source, entry.id, priced=False))

    def _keep(self, candidate: Candidate) -> None:
        self._number += 1
        heappush(self._read, (-self._progress.rank(candidate), self._number, candidate))


def priced(prospect: Prospect, fragment: Fragment, place: int, measure: Measure) -> Candidate:
    """Return a fragment of ``prospect``, which was offered at ``place``, with its cost."""
    entry = prospect.scored.entry
    cost = measure.unit(Included(prospect.scored, fragment.level))
    return Candidate(fragment, cost, place, entry.source, entry.id)


class _Equals:
    def __init__(self, found: Iterable[Candidate], progress: Progress) -> None:
        self._progress = progress
        self._uncovered = progress.uncovered
        self._runs: dict[Level, list[Candidate]] = {}  # by level, the best last: taken from the end
        best_last = sorted(found, key=lambda each: (fixed(each.fragment), each.id), reverse=True)
        for candidate in best_last:
            self._runs.setdefault(candidate.fragment.level, []).append(candidate)

    def fallen(self) -> list[Candidate]:
        """Remove and return the fragments that no longer cover a new term: their rank fell."""
        if self._uncovered == self._progress.uncovered:
            return []
        before, self._uncovered = self._uncovered, self._progress.uncovered
        fallen: list[Candidate] = []
        for level, run in self._runs.items():
            left: list[Candidate] = []
            for candidate in run:
                covers = candidate.fragment.covers
                fell = covers & before and not covers & self._uncovered
                (fallen if fell else left).append(candidate)
            self._runs[level] = left
        return fallen

    def take(self, left: int) -> Candidate | None:
        heads = [(self._head(run, left), run) for run in self._runs.values() if run]
        if not heads:
            return None
        at, run = min(heads, key=lambda head: self._progress.key(head[1][head[0]], left))
        return run.pop(at)

    def _head(self, run: Sequence[Candidate], left: int) -> int:
        """Return the place of the best of one level: of its equals the one that is best by now."""
        last = len(run) - 1
        first = fixed(run[last].fragment)
        equal = takewhile(lambda at: fixed(run[at].fragment) == first, range(last, -1, -1))
        if self._progress.is_late(left):
            return min(equal, key=lambda at: self._progress.key(run[at], left))
        return next((at for at in equal if not self._progress.is_recent(run[at])), last)


def choose(room: Room, choice: Offer, request: Request) -> Chosen:
    """Include the fragments that are worth most, as far as the budget goes."""
    ledger = room.ledger
    include(ledger, entries(ledger, room.tasks), room.tasks.budget)
    include(ledger, Prefix(ledger, room.conventions), room.conventions.budget)
    places = {
        scored.entry.id: (run, place)
        for run in room.runs
        for place, scored in enumerate(run.ranked)
    }
    prospects = [
        prospect for prospect in choice.planned.prospects if prospect.scored.entry.id in places
    ]
    if not prospects or request.budget <= 0:
        return Chosen()
    progress = Progress(len(choice.planned.terms), room.ledger.left, LodMix())
    where = [places[prospect.scored.entry.id] for prospect in prospects]
    choosing = _Choosing(room.ledger, prospects, where, progress)
    chosen = Chosen() if choosing.any_whole() else choosing.best_alone(request)
    if not chosen.overshoot:
        choosing.greedy()
    for run in room.runs:
        run.budget = run.used  # there are no shares: each section has what was chosen for it
    return chosen


class _Choosing:
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
        self._chosen: dict[int, Candidate] = {}  # by place among the prospects
        self._refused = False  # whether a fragment did not fit

    def greedy(self) -> None:
        """Choose the best fragment that fits, again and again, to ``GAP`` behind one too large."""
        ledger = self._ledger
        queue = Queue(self._prospects, ledger.measure, self._progress)
        while (candidate := queue.take(ledger.left, self._affordable)) is not None:
            if self._refused and ledger.left <= GAP * ledger.budget:
                return
            self._include(candidate)

    def any_whole(self) -> bool:
        ledger = self._ledger
        if any(ledger.include(run, place, "full", ledger.left) for run, place in self._where):
            ledger.undo()
            return True
        return False

    def best_alone(self, request: Request) -> Chosen:
        """Include the best if none fits whole; over budget if allowed, at a benefit over .9."""
        at, whole = _most_beneficial(self._prospects)
        id_ = self._prospects[at].scored.entry.id
        if request.allow_overshoot and whole.benefit > WORTH_OVERSHOOT:
            cost = self._include_beyond(at)
            return Chosen(
                overshoot=f"{id_} costs {cost:,} tokens and is included in full, "
                f"as --allow-overshoot asks (benefit {whole.benefit:.2f})."
            )
        left = self._ledger.left
        level = self._include_at_best(at)
        how = (
            f"included by its {'key lines' if level == 'key' else 'title'}" if level else "left out"
        )
        return Chosen(
            note=f"no entry fits whole into the {left:,} tokens that rules, tasks and "
            f"conventions leave; the best one, {id_}, is {how}"
        )

    def _affordable(self, at: int, level: Level) -> bool:
        """Return whether an entry is below ``level``, and could be at it, by its least price."""
        run, place = self._where[at]
        measure, scored = self._ledger.measure, run.ranked[place]
        known = run.levels.get(place)
        least = measure.least(Included(scored, level))
        if known is not None:
            if LEVELS.index(level) >= LEVELS.index(known):
                return False
            least -= measure.unit(Included(scored, known))
        # The line that counts omitted entries is refunded once there are none.
        is_last = run.omitted <= scored.entry.covers
        fits = least <= self._ledger.left + (run.reserved if is_last else 0)
        self._refused |= not fits
        return fits

    def _include(self, candidate: Candidate) -> bool:
        run, place = self._where[candidate.place]
        if not self._ledger.include(run, place, candidate.fragment.level, self._ledger.left):
            return False
        self._progress.choose(candidate, self._chosen.get(candidate.place))
        self._chosen[candidate.place] = candidate
        return True

    def _include_at_best(self, at: int) -> Level | None:
        """Include an entry at the best level that fits, and return that; None if none does."""
        prospect = self._prospects[at]
        by_level = {fragment.level: fragment for fragment in prospect.fragments()}
        for level in LEVELS:
            fragment = by_level.get(level)
            if fragment and self._include(priced(prospect, fragment, at, self._ledger.measure)):
                return level
        return None

    def _include_beyond(self, at: int) -> int:
        """Include an entry whole whatever is left; return what it costs by itself."""
        run, place = self._where[at]
        whole = Included(run.ranked[place], "full")
        # More than its cost and its estimate: nothing may refuse it.
        room = self._ledger.price(run, place, "full") + self._ledger.measure.least(whole) + 1
        self._ledger.include(run, place, "full", room, extra=room + self._ledger.budget)
        return self._ledger.measure.unit(whole)


def _most_beneficial(prospects: Sequence[Prospect]) -> tuple[int, Fragment]:
    """Return the place of the entry that is worth most whole, by the tie-breaks, and that."""
    rows: list[tuple[tuple[object, ...], int, Fragment]] = []
    most = 0.0
    for place in sorted(range(len(prospects)), key=lambda place: -prospects[place].bound):
        prospect = prospects[place]
        if rows and prospect.bound < most:
            break  # none that follows can be worth as much
        whole = next(each for each in prospect.fragments() if each.level == "full")
        most = max(most, whole.benefit)
        rows.append(((-whole.benefit, *fixed(whole), prospect.scored.entry.id), place, whole))
    _, place, whole = min(rows, key=lambda row: row[0])
    return place, whole

"""The benefit/cost planner: fragments at three levels of detail, by what they bring for a token.

Source: ``acs-planner``, sections Greedy Selection Algorithm, Edge Cases and Budget Overshoot
Policy, and ``planner.md``. What is worth more comes first; what does not fit is passed over; a
better level takes the place of a worse one of the same entry where room is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.fit.planner import Chosen, Room
from ctx.fit.preference import Progress, fixed
from ctx.fit.queue import Queue, priced
from ctx.model import LEVELS, LodMix, Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.fit.ledger import Ledger, Run
    from ctx.fit.offer import Offer
    from ctx.fit.preference import Candidate
    from ctx.model import Fragment, Level, Prospect, Request

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

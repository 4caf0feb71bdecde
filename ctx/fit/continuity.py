"""The tail: the last turns of a session, word for word."""

from collections.abc import Sequence
from itertools import accumulate

from ctx.fit.ledger import Apart, Ledger
from ctx.fit.offer import Total, tail_limit
from ctx.model import Entry, Included, Measure, Request, Scored, Section, Thread
from ctx.model.boundaries import Boundaries, base_start, longest


class Suffixes:
    """Suffixes of a tail as sections, each made when needed: there may be thousands."""

    def __init__(
        self, turns: Sequence[Scored], starts: Sequence[int], base: int, measure: Measure
    ) -> None:
        """Take the places in ``turns`` where a suffix may start, rising, from ``base`` on."""
        self._turns = turns
        self._starts = [start for start in starts if start >= base]
        costs = [measure.unit(Included(turn, "full")) for turn in reversed(turns[base:])]
        self._costs = [*accumulate(costs, initial=0)]  # cost of the last turns, by their number

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, number: int) -> Section:
        turns = tuple(Included(turn, "full") for turn in self._turns[self._starts[number] :])
        used = self._costs[len(turns)]
        return Section("tail", used, used, turns, (), 0, "")


class Tail:
    """Chooses the tail; without a session it is empty."""

    def __init__(self, thread: Thread | None, request: Request, measure: Measure) -> None:
        """Read the last turns of ``thread``, as many as the tail's share could hold."""
        self.measure = measure
        self._request = request
        self._turns: list[Scored] = []  # from the farthest that the share allows to the last
        self._steps: list[int] = [0]  # where the tail may start in ``_turns``, base first, falling
        self._base = 0  # place where the base starts
        self._included = 0  # number of included turns, which are the last ones
        self.run = Apart("tail", self._turns, Total(0, 0), "")
        if thread is not None and len(thread):
            self._read(thread)

    def _read(self, thread: Thread) -> None:
        boundaries = Boundaries(thread.bundles())
        base = base_start(thread, self._request.settings.tail_turns, boundaries)
        turns: dict[int, Scored] = {}

        def turn(index: int) -> Scored:
            return turns.setdefault(index, Scored(thread.turn(index), 0.0, ()))

        def price(index: int) -> int:
            return self.measure.unit(Included(turn(index), "full"))

        cost = sum(map(price, range(base, len(thread))))
        limit = tail_limit(self._request.budget, self._request.settings.tail_share, cost, 0)
        first = longest(base, boundaries, price, limit - cost)
        self._turns = [turn(index) for index in range(first, len(thread))]
        self._base = base - first
        starts = {boundaries.back(index) - first for index in range(first, len(thread) + 1)}
        self._steps = sorted(starts, reverse=True)

    def bases(self) -> Suffixes:
        """Return the base tail, then its suffixes, longest first, no bundle split, then none."""
        return Suffixes(self._turns, sorted(self._steps), self._base, self.measure)

    def keep(self, turns: int) -> None:
        """Include the last ``turns`` and no others."""
        self.run = Apart("tail", self._turns, Total(0, 0), "")
        places = range(len(self._turns) - turns, len(self._turns))
        self.run.levels = dict.fromkeys(places, "full")
        self.run.used = sum(
            self.measure.unit(Included(turn, "full")) for turn in self._turns[places.start :]
        )
        self.run.opened.add("heading")
        self._included = turns

    def extend(self, ledger: Ledger, kept: int) -> None:
        """Include earlier turns by bundle before a whole base, up to their share less ``kept``."""
        start = len(self._turns) - self._included
        spent = ledger.spent - self.run.used + kept
        limit = tail_limit(ledger.budget, self._request.settings.tail_share, self.run.used, spent)
        self.run.budget = limit
        if start > self._base:
            return
        for step in self._steps:
            if step >= start:
                continue
            room = limit - self.run.used
            if not ledger.include_together(self.run, range(start - 1, step - 1, -1), room):
                return
            start, self._included = step, len(self._turns) - step

    def reach(self) -> list[Entry]:
        """Return the turns that may be included."""
        return [turn.entry for turn in self._turns]

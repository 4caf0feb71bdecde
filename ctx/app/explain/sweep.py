"""The same packet at many budgets: what comes in where, found by assembling it there.

What comes in at one budget may go again at a larger one: a summary gives way to the turns it
covers, and other tasks give other keywords. So nothing here is worked out; every figure is of
a packet that was made.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from ctx.model import Counter, Fields, Indexes, Level, Library, Outcome, Packet, Part, Text

STEPS = 64  # steps from nothing to the greatest budget: the sixteenth is the budget itself
TIMES = 4  # the greatest budget, as a multiple of the one that was asked for
LEAST = 1_000  # tokens that are swept at least, where the budget is less than a quarter of it
EDGES = 16  # changes of one entry that are looked for to the token: each takes some ten packets
EFFORT = 80_000
"""What the packets of a sweep may cost together: of each its entries, and a fiftieth of their
tokens. 200 KB are swept in 20 to 60 packets, small directories in all ``STEPS``."""
FEWEST = 9  # packets that are made where they cost no more than ``MOST_EFFORT`` together
MOST_EFFORT = (
    135_000  # of more than 10,000 entries or so only the packets of three budgets are made
)
LEAST_PACKETS = 3  # made whatever they cost: the one that was asked for, the least, the greatest
ANY: frozenset[Level] = frozenset({"full", "key", "title"})
WHOLE: frozenset[Level] = frozenset({"full"})


class Share(NamedTuple):
    """What a section had of one packet."""

    given: int  # tokens that the plan gave it
    used: int  # tokens of its entries
    included: int  # entries that are included by more than their title
    titles: int
    omitted: int


class Step(NamedTuple):
    """A packet at one budget."""

    budget: int
    tokens: int
    degraded: str  # why the hard tier is over its limits; empty where it is not
    shares: Mapping[str, Share]  # by section
    levels: Mapping[str, Level]  # the level of each entry that is included, by id


class Span(NamedTuple):
    """Budgets at which an entry is included."""

    start: int
    """The smallest budget from which on every packet that was made includes it, up to ``end``."""
    end: int | None  # the last such budget; None where that is the greatest one


class Takes(NamedTuple):
    """The budgets that include an entry; None where no budget that was tried does."""

    title: Span | None  # at all: by its title, its key lines or in full
    full: Span | None  # in full


def step_of(packet: Packet) -> Step:
    """Return what a packet shows of itself in a sweep."""
    sections = packet.selection.sections
    return Step(
        packet.request.budget,
        packet.tokens,
        packet.selection.degraded,
        {
            each.name: Share(
                each.budget, each.used, len(each.included), len(each.titles), each.omitted
            )
            for each in sections
        },
        {each.entry.id: each.level for each in packet.selection.entries},
    )


def grid(budget: int) -> list[int]:
    """Return the budgets of a sweep: ``STEPS`` equal ones from 0 to 4 times ``budget``."""
    most = max(TIMES * budget, LEAST)
    return sorted({budget, *(most * at // STEPS for at in range(STEPS + 1))})


def allowed(entries: int, tokens: int) -> int:
    """Return how many packets of so many ``entries`` and ``tokens`` may be made."""
    each = max(1, entries + tokens // 50)
    return max(LEAST_PACKETS, min(FEWEST, MOST_EFFORT // each), EFFORT // each)


def coarse_first(budgets: Sequence[int]) -> Iterator[int]:
    """Yield the first and the last, then what halves the gaps: whoever stops has an even grid."""
    seen: set[int] = set()
    stride = 1 << max(0, len(budgets) - 1).bit_length()
    while stride:
        for at in (*range(0, len(budgets), stride), len(budgets) - 1):
            if at not in seen:
                seen.add(at)
                yield budgets[at]
        stride //= 2


class Sweep:
    """Packets at many budgets, each made once, and no more than ``most`` of them."""

    def __init__(self, make: Callable[[int], Step], most: int = sys.maxsize) -> None:
        self._make = make
        self.most = most
        self._made: dict[int, Step] = {}

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is looked for: what is found is as near as the packets are."""
        return len(self._made) >= self.most

    def at(self, budget: int) -> Step:
        """Return the packet of ``budget``."""
        if budget not in self._made:
            self._made[budget] = self._make(budget)
        return self._made[budget]

    @property
    def steps(self) -> list[Step]:
        """All packets that were made, by budget."""
        return [self._made[budget] for budget in sorted(self._made)]

    def exactly(self, id_: str, ceiling: int) -> Takes:
        """Return the budgets that include an entry, to the token.

        Looks up to ``ceiling`` tokens where no packet so far includes it. At the start of a span
        the entry is included; with a token less it is not. Between the packets that were made
        nobody has looked.
        """
        while True:
            whole = self._start(id_, WHOLE, ceiling)
            budgets = Takes(self._start(id_, ANY, ceiling), whole)
            if budgets == takes(self.steps, id_):
                return budgets  # else looking for the one has shown something of the other

    def finely(self, id_: str, ceiling: int) -> Takes:
        """Return the same, having looked to the token for the first ``EDGES`` changes, too."""
        while True:
            budgets = self.exactly(id_, ceiling)
            before = len(self._made)
            self._edges(id_)
            if len(self._made) == before:
                return budgets  # else looking for changes may have shown something of the other

    def _edges(self, id_: str) -> None:
        changes = [pair for pair in pairwise(self.steps) if _changes(id_, *pair)]
        for low, high in changes[:EDGES]:
            self._edge(id_, low, high)

    def _edge(self, id_: str, low: Step, high: Step) -> None:
        """Make packets between two until those at which an entry changes are a token apart."""
        if high.budget - low.budget > 1 and _changes(id_, low, high) and not self.is_spent:
            middle = self.at((low.budget + high.budget) // 2)
            self._edge(id_, low, middle)
            self._edge(id_, middle, high)

    def _start(self, id_: str, wanted: AbstractSet[Level], ceiling: int) -> Span | None:
        if (reached := self._within_reach(id_, wanted, ceiling)) is None:
            return None
        start = reached.start
        below = max((budget for budget in self._made if budget < start), default=-1)
        while start - below > 1 and not self.is_spent:
            middle = (below + start) // 2
            if self.at(middle).levels.get(id_) in wanted:
                start = middle
            else:
                below = middle
        return Span(start, reached.end)

    def _within_reach(self, id_: str, wanted: AbstractSet[Level], ceiling: int) -> Span | None:
        """Return the span so far; where there is none, double the budget until there is."""
        reached = span(self.steps, id_, wanted)
        budget = max(self._made)
        while reached is None and budget < ceiling and not self.is_spent:
            budget = min(2 * budget, ceiling)
            self.at(budget)
            reached = span(self.steps, id_, wanted)
        return reached


def _changes(id_: str, one: Step, other: Step) -> bool:
    return one.levels.get(id_) != other.levels.get(id_)


def span(steps: Sequence[Step], id_: str, wanted: AbstractSet[Level]) -> Span | None:
    """Return the last run of ``steps`` that include an entry at one of the ``wanted`` levels."""
    end: int | None = None
    start: int | None = None
    for step in reversed(steps):
        if step.levels.get(id_) in wanted:
            if start is None and step is not steps[-1]:
                end = step.budget
            start = step.budget
        elif start is not None:
            break
    return None if start is None else Span(start, end)


class Run(NamedTuple):
    """Budgets at which the same became of an entry, in every packet that was made."""

    outcome: Outcome
    first: int
    last: int


def history(steps: Iterable[Step], id_: str) -> list[Run]:
    """Return what became of an entry from the smallest budget to the greatest."""
    runs: list[Run] = []
    for step in steps:
        outcome: Outcome = step.levels.get(id_) or "out"
        if runs and runs[-1].outcome == outcome:
            runs[-1] = runs[-1]._replace(last=step.budget)
        else:
            runs.append(Run(outcome, step.budget, step.budget))
    return runs


def takes(steps: Sequence[Step], id_: str) -> Takes:
    """Return the budgets that include an entry, to the next of ``steps``."""
    return Takes(span(steps, id_, ANY), span(steps, id_, WHOLE))


class Remembering:
    """A counter that counts a text once: packets that differ by a budget say the same."""

    def __init__(self, counter: Counter) -> None:
        self.name = counter.name
        self.count = cache(counter.count)


class Once:
    """A library that is asked once for the same: for many packets of the same entries."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: tuple[str, Indexes] | None = None

    def indexes(self, parts: Sequence[Part], fields: Fields, text: Text, query: str) -> Indexes:
        """Return what can be asked about ``parts``, which are the same in every call."""
        if self._known is None or self._known[0] != query:
            self._known = query, self._library.indexes(parts, fields, text, query)
        return self._known[1]

"""What has been said so far, at which level, and what it cost."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctx.fit.offer import Total
from ctx.model import BY_WORTH, Entry, Level, Measure, Said, Scored, Section, SectionName

_EXTRA = ("tail", "lore", "turns")
_WITHOUT_GROUPS = (*BY_WORTH, "tail")
"""Sections whose entries each have a heading of their own."""
_NOTED = "heading over all lists of titles"


class Run:
    """The entries of one section, in the order in which they are offered."""

    def __init__(
        self, name: SectionName, ranked: list[Scored], total: Total, places: str, dated: int
    ) -> None:
        """Offer ``ranked``, the best of ``total``, for a section; ``places`` names their files.

        ``dated`` is what a date costs before a title, at least.
        """
        self.name = name
        self.ranked = ranked
        self.total = total
        self.places = places
        self.title_sizes = [
            scored.entry.title_size + (dated if scored.entry.timestamp else 0) for scored in ranked
        ]
        """Tokens of each title with its date, by the heuristic."""
        self.levels: dict[int, Level] = {}
        """What is said, by place in ``ranked``."""
        self.budget = 0
        self.used = 0
        self.counted = False
        """Whether there is room for the line that counts what is left out."""
        self.reserved = 0
        """What that line costs; free again once nothing is left out."""
        self.opened: set[object] = set()
        """Headings and frames already paid for."""

    @property
    def unsaid(self) -> int:
        """How many entries are not said at any level."""
        return self.total.entries - len(self.levels)

    def missing(self) -> Iterator[int]:
        """Yield the places of entries not said at any level, best first."""
        return (place for place in range(len(self.ranked)) if place not in self.levels)

    def short(self) -> Iterator[int]:
        """Yield the places of entries not said whole, best first."""
        levels = self.levels
        return (place for place in range(len(self.ranked)) if levels.get(place) != "full")

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``."""
        return self.ranked[place].entry

    def section(self) -> Section:
        """Return what is said of this section."""
        said = [(place, level) for place, level in sorted(self.levels.items())]
        return Section(
            self.name,
            self.budget,
            self.used,
            tuple(Said(self.ranked[p], level) for p, level in said if level != "title"),
            tuple(Said(self.ranked[p], level) for p, level in said if level == "title"),
            self.unsaid if self.counted else 0,
            self.places,
        )


def sections(runs: Iterable[Run]) -> tuple[Section, ...]:
    """Return what is said of all sections: of those that not every directory has, if any."""
    return tuple(
        run.section() for run in runs if run.ranked or run.total.entries or run.name not in _EXTRA
    )


class _Move(NamedTuple):
    """One thing said, to be taken back if the whole turns out too long."""

    run: Run
    place: int
    before: Level | None
    cost: int
    freed: int
    """What the counting line cost, where this was the last entry that it counted."""
    opened: frozenset[object]
    """Headings and frames that it paid for."""
    joined: bool
    """Whether it is unsaid together with the one before it."""


class Ledger:
    """Says entries as long as the budget lasts, and can take the last ones back."""

    def __init__(self, measure: Measure, runs: Sequence[Run], budget: int, spent: int) -> None:
        """Start with ``spent`` of ``budget`` tokens used by the hard tier and the frame."""
        self.measure = measure
        self.budget = budget
        self.spent = spent
        self._runs = runs
        self._moves: list[_Move] = []
        self._held = 0

    def hold(self, tokens: int) -> None:
        """Keep ``tokens`` of what is left for later."""
        self._held = max(0, min(tokens, self.left))
        self.spent += self._held

    def release(self) -> None:
        """Have what was kept for later spent now."""
        self.spent -= self._held
        self._held = 0

    @property
    def left(self) -> int:
        """Tokens not spent."""
        return self.budget - self.spent

    def reserve(self, run: Run) -> None:
        """Set aside the line that counts what ``run`` leaves out, so that it can be said."""
        paid: set[object] = set()
        cost = self.measure.unsaid(run.total.entries, run.places) + self._titles(run, paid)
        if not run.total.entries or cost > self.left:
            return
        run.opened |= paid
        run.counted, run.reserved = True, cost
        self.spent += cost

    def price(self, run: Run, place: int, level: Level) -> int:
        """Return what saying an entry at ``level`` adds, headings and frames included."""
        return self._price(run, place, level, set())

    def _price(self, run: Run, place: int, level: Level, paid: set[object]) -> int:
        """Price an entry; add to ``paid`` the headings and frames that the price includes."""
        measure = self.measure
        scored = run.ranked[place]
        cost = measure.unit(Said(scored, level))
        before = run.levels.get(place)
        if before:
            cost -= measure.unit(Said(scored, before))
        if level == "title":
            cost += self._titles(run, paid)
            return cost + self._once(run, "noted", measure.noted(run.name), paid)
        entry = scored.entry
        cost += self._once(run, "heading", measure.heading(run.name), paid)
        if run.name in _WITHOUT_GROUPS:
            return cost
        group = (entry.source, entry.group)
        cost += self._once(run, group, measure.group(entry), paid)
        return cost + self._once(run, (group, entry.lead), measure.run(entry), paid)

    def _titles(self, run: Run, paid: set[object]) -> int:
        """Return the cost of the heading that ``run``'s titles and counting line need."""
        if run.name not in BY_WORTH:
            return self._once(run, "heading", self.measure.heading(run.name), paid)
        return 0 if self._noted else self._once(run, _NOTED, self.measure.noted_heading(), paid)

    @property
    def _noted(self) -> bool:
        """Whether the heading over all lists of titles is paid for."""
        return any(_NOTED in run.opened for run in self._runs)

    @staticmethod
    def _once(run: Run, what: object, cost: int, paid: set[object]) -> int:
        if what in run.opened:
            return 0
        paid.add(what)
        return cost

    def say_together(self, run: Run, places: Iterable[int], limit: int) -> bool:
        """Say entries whole if ``limit`` allows all of them; else none. They stay together."""
        mark, start = self.mark(), self.spent
        for place in places:
            room = limit - (self.spent - start)
            if not self.say(run, place, "full", room, joined=self.mark() > mark):
                self.take_back_to(mark)
                return False
        return True

    def say(  # noqa: PLR0913 - what, how, and the three ways in which it is bounded
        self,
        run: Run,
        place: int,
        level: Level,
        limit: int,
        extra: int = 0,
        *,
        joined: bool = False,
    ) -> bool:
        """Say an entry if ``limit`` and what is left allow its price; return whether it is said.

        ``extra`` tokens may be spent beyond what is left: reserves that will be set free. A
        ``joined`` entry is unsaid together with the one said before it.
        """
        freed = self._freed(run, place)
        limit = min(limit, self.left + extra) + (0 if extra else freed)
        if self._too_long(run, place, level, limit):
            return False
        paid: set[object] = set()
        cost = self._price(run, place, level, paid)
        if cost > limit or not self.measure.says(Said(run.ranked[place], level)):
            return False
        run.opened |= paid
        before = run.levels.get(place)
        self._moves.append(_Move(run, place, before, cost, freed, frozenset(paid), joined))
        run.levels[place] = level
        run.used += cost
        self.spent += cost - freed
        return True

    @staticmethod
    def _freed(run: Run, place: int) -> int:
        """Return what the counting line costs, where this entry is all that it counts."""
        last = run.counted and run.unsaid == 1 and place not in run.levels
        return run.reserved if last else 0

    def _too_long(self, run: Run, place: int, level: Level, limit: int) -> bool:
        """Whether estimates alone tell that an entry does not fit: spares counting it."""
        if limit <= 0:
            return True
        before = run.levels.get(place)
        freed = self.measure.unit(Said(run.ranked[place], before)) if before else 0
        return self.measure.least(Said(run.ranked[place], level)) - freed > limit

    def mark(self) -> int:
        """Return a mark to take back to."""
        return len(self._moves)

    def take_back_to(self, mark: int) -> None:
        """Unsay everything said since ``mark``."""
        while len(self._moves) > mark:
            self.take_back()

    def take_back(self) -> bool:
        """Unsay the last thing said, whole; return False when there is nothing to unsay."""
        if not self._moves:
            return False
        while self._unsay().joined:
            pass
        return True

    def _unsay(self) -> _Move:
        move = self._moves.pop()
        run = move.run
        if move.before is None:
            del run.levels[move.place]
        else:
            run.levels[move.place] = move.before
        run.opened -= move.opened
        run.used -= move.cost
        self.spent -= move.cost - move.freed
        return move

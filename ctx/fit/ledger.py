"""What has been said so far, at which level, and what it cost."""

from collections.abc import Iterator
from typing import NamedTuple

from ctx.model import Entry, Level, Measure, Said, Scored, Section, SectionName

_IN_LISTS_OF_TITLES = ("decisions", "learnings")
"""Sections whose titles stand together under one heading at the packet's end."""


class Run:
    """The entries of one section, in the order in which they are offered."""

    def __init__(self, name: SectionName, ranked: list[Scored], places: str) -> None:
        """Offer ``ranked`` for the section ``name``; ``places`` names their files."""
        self.name = name
        self.ranked = ranked
        self.places = places
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
        return len(self.ranked) - len(self.levels)

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


class _Move(NamedTuple):
    """One thing said, to be taken back if the whole turns out too long."""

    run: Run
    place: int
    before: Level | None
    cost: int


class Ledger:
    """Says entries as long as the budget lasts, and can take the last ones back."""

    def __init__(self, measure: Measure, budget: int, spent: int) -> None:
        """Start with ``spent`` of ``budget`` tokens used by the hard tier and the frame."""
        self.measure = measure
        self.budget = budget
        self.spent = spent
        self._noted = False
        self._moves: list[_Move] = []

    @property
    def left(self) -> int:
        """Tokens not spent."""
        return self.budget - self.spent

    def reserve(self, run: Run) -> None:
        """Set aside the line that counts what ``run`` leaves out, so that it can be said."""
        measure = self.measure
        cost = measure.unsaid(len(run.ranked), run.places) + self._open_titles(run, keep=False)
        if not run.ranked or cost > self.left:
            return
        self._open_titles(run, keep=True)
        run.counted, run.reserved = True, cost
        self.spent += cost

    def price(self, run: Run, place: int, level: Level) -> int:
        """Return what saying an entry at ``level`` adds, headings and frames included."""
        return self._price(run, place, level, keep=False)

    def _price(self, run: Run, place: int, level: Level, *, keep: bool) -> int:
        measure = self.measure
        scored = run.ranked[place]
        cost = measure.unit(Said(scored, level))
        before = run.levels.get(place)
        if before:
            cost -= measure.unit(Said(scored, before))
        if level == "title":
            cost += self._open_titles(run, keep=keep)
            return cost + self._once(run, "noted", measure.noted(run.name), keep=keep)
        entry = scored.entry
        cost += self._once(run, "heading", measure.heading(run.name), keep=keep)
        if run.name in _IN_LISTS_OF_TITLES:
            return cost
        group = (entry.source, entry.group)
        cost += self._once(run, group, measure.group(entry), keep=keep)
        return cost + self._once(run, (group, entry.lead), measure.run(entry), keep=keep)

    def _open_titles(self, run: Run, *, keep: bool) -> int:
        """Return the cost of the heading that ``run``'s titles and counting line need."""
        if run.name not in _IN_LISTS_OF_TITLES:
            return self._once(run, "heading", self.measure.heading(run.name), keep=keep)
        cost = 0 if self._noted else self.measure.noted_heading()
        self._noted = self._noted or keep
        return cost

    @staticmethod
    def _once(run: Run, what: object, cost: int, *, keep: bool) -> int:
        if what in run.opened:
            return 0
        if keep:
            run.opened.add(what)
        return cost

    def say(self, run: Run, place: int, level: Level, limit: int) -> bool:
        """Say an entry if ``limit`` and what is left allow its price; return whether it is said."""
        limit = min(limit, self.left)
        if self._too_long(run, place, level, limit):
            return False
        cost = self.price(run, place, level)
        if cost > limit:
            return False
        if not self.measure.says(Said(run.ranked[place], level)):
            return False
        self._price(run, place, level, keep=True)
        self._moves.append(_Move(run, place, run.levels.get(place), cost))
        run.levels[place] = level
        run.used += cost
        self.spent += cost
        return True

    def _too_long(self, run: Run, place: int, level: Level, limit: int) -> bool:
        """Whether estimates alone tell that an entry does not fit: spares counting it."""
        if limit <= 0:
            return True
        before = run.levels.get(place)
        freed = self.measure.unit(Said(run.ranked[place], before)) if before else 0
        return self.measure.least(Said(run.ranked[place], level)) - freed > limit

    def take_back(self) -> bool:
        """Unsay the last thing said; return False when there is nothing to unsay."""
        if not self._moves:
            return False
        run, place, before, cost = self._moves.pop()
        if before is None:
            del run.levels[place]
        else:
            run.levels[place] = before
        run.used -= cost
        self.spent -= cost
        return True

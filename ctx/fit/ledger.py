"""The ledger of a packet: what is included at which level, and the tokens that it costs."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ctx.fit.offer import Total
from ctx.model import BY_WORTH, Entry, Included, Level, Measure, Scored, Section, SectionName
from ctx.text.levels import is_prose
from ctx.typed import NamedTuple

_EXTRA = ("tail", "elevated", "lore", "turns")  # sections that not every directory has
_WITHOUT_GROUPS = (*BY_WORTH, "tail", "elevated")  # their entries each have a heading of their own
COUNTING_SHARE = 0.15  # share of what is left that a line which counts omitted entries may cost
_TITLES = "heading over all lists of titles"


class Lineage:
    """Which entries are included, of summaries and of what they summarise."""

    def __init__(self, included: Iterable[Entry] = ()) -> None:
        self._summaries: set[str] = set()
        self._below: Counter[str] = Counter()  # by summary, how many of its entries are included
        for entry in included:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Record that ``entry`` is included."""
        if is_summary(entry):
            self._summaries.add(entry.id)
        self._below.update(entry.ancestors)

    def remove(self, entry: Entry) -> None:
        """Record that ``entry`` is no longer included."""
        self._summaries.discard(entry.id)
        self._below.subtract(entry.ancestors)

    def forbids(self, entry: Entry) -> bool:
        """Return whether a summary of ``entry``, or what it summarises, is included."""
        if self._below[entry.id] > 0:
            return True
        return any(above in self._summaries for above in entry.ancestors)


def is_summary(entry: Entry) -> bool:
    """Return whether an entry summarises others."""
    return entry.kind == "summary"


def either(scored: Iterable[Scored]) -> list[Scored]:
    """Return ``scored`` without entries of which a summary, or a part, precedes them."""
    lineage, kept = Lineage(), []
    for candidate in scored:
        if not lineage.forbids(candidate.entry):
            lineage.add(candidate.entry)
            kept.append(candidate)
    return kept


def below(ranked: Sequence[Scored]) -> dict[str, list[int]]:
    """Return by summary the places in ``ranked`` of what it was made of."""
    places: dict[str, list[int]] = {}
    for place, scored in enumerate(ranked):
        if scored.entry.ancestors:
            places.setdefault(scored.entry.ancestors[0], []).append(place)
    return places


class Run:
    """The entries of one section, in the order in which they are offered."""

    def __init__(self, name: SectionName, ranked: list[Scored], total: Total, places: str) -> None:
        """Offer ``ranked``, the best of ``total``, for a section; ``places`` names their files."""
        self.name = name
        self.ranked = ranked
        self.total = total
        self.places = places
        self.levels: dict[int, Level] = {}  # levels of the included entries, by place in ``ranked``
        self.covered = 0  # entries that are included or summarised by an included one
        self.budget = 0
        self.used = 0
        self.counted = False  # whether there is room for the line that counts omitted entries
        self.reserved = 0  # cost of that line; refunded once nothing is omitted
        self.opened: set[object] = set()  # headings and other overhead already paid for

    @property
    def omitted(self) -> int:
        """How many entries are neither included nor summarised by an included one."""
        return max(0, self.total.entries - self.covered)

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``."""
        return self.ranked[place].entry

    def section(self) -> Section:
        """Return the included entries as a section."""
        levels = sorted(self.levels.items())
        return Section(
            self.name,
            self.budget,
            self.used,
            tuple(Included(self.ranked[p], level) for p, level in levels if level != "title"),
            tuple(Included(self.ranked[p], level) for p, level in levels if level == "title"),
            self.omitted if self.counted else 0,
            self.places,
        )


class Apart(Run):
    """Turns in a section of their own: whole, or offered with the other turns."""

    def included(self) -> list[Entry]:
        """Return the included turns, which no other section repeats; not quotations of parts."""
        return [entry for entry in map(self.entry, sorted(self.levels)) if entry.covers]

    @property
    def omitted(self) -> int:
        """Return 0: what is omitted here is counted with the others."""
        return 0


def sections(runs: Iterable[Run]) -> tuple[Section, ...]:
    """Return the sections of a packet, without empty ones that not every directory has."""
    return tuple(
        run.section() for run in runs if run.ranked or run.total.entries or run.name not in _EXTRA
    )


class Move(NamedTuple):
    """One inclusion, to be undone if the whole turns out too long."""

    run: Run
    place: int
    before: Level | None
    cost: int
    freed: int  # cost of the counting line, if this was the last entry that it counted
    opened: frozenset[object]  # headings and other overhead that it paid for
    joined: bool  # whether it is undone together with the one before it
    after: Level | None  # the level now; None if it made room for what it summarises


class Ledger:
    """Includes entries as long as the budget lasts, and can undo the last inclusions."""

    def __init__(self, measure: Measure, runs: Sequence[Run], budget: int, spent: int) -> None:
        """Start with ``spent`` of ``budget`` tokens used by the hard tier and the overhead."""
        self.measure = measure
        self.budget = budget
        self.spent = spent
        self._runs = runs
        self._moves: list[Move] = []
        self._lineage = Lineage(run.entry(place) for run in runs for place in run.levels)

    @property
    def left(self) -> int:
        """Tokens not spent."""
        return self.budget - self.spent

    def reserve(self, run: Run) -> None:
        """Reserve the line that counts what ``run`` omits, if there is room for it."""
        cost = self.measure.omitted(run.name, run.total.entries, run.places)
        if not run.total.entries or cost > COUNTING_SHARE * self.left:
            return
        run.counted, run.reserved = True, cost
        self.spent += cost

    def forbids(self, run: Run, place: int) -> bool:
        """Return whether a summary of an entry, or what it summarises, is included."""
        return self._lineage.forbids(run.entry(place))

    def price(self, run: Run, place: int, level: Level) -> int:
        """Return what including an entry at ``level`` adds, headings and overhead included."""
        return self._price(run, place, level, set())

    def _price(self, run: Run, place: int, level: Level, paid: set[object]) -> int:
        """Price an entry; add to ``paid`` the headings and overhead that the price includes."""
        measure = self.measure
        scored = run.ranked[place]
        cost = measure.unit(Included(scored, level))
        if before := run.levels.get(place):
            cost -= measure.unit(Included(scored, before))
        if level == "title":
            cost += self._titles(run, paid)
            return cost + self._once(run, "titles", measure.titles(run.name), paid)
        entry = scored.entry
        cost += self._once(run, "heading", measure.heading(run.name), paid)
        if run.name not in _WITHOUT_GROUPS:
            group = (entry.source, entry.group)
            cost += self._once(run, group, measure.group(entry), paid)
            key = (group, entry.lead, is_prose(entry))
            cost += self._once(run, key, measure.run(entry), paid)
        return cost

    def _titles(self, run: Run, paid: set[object]) -> int:
        """Return the cost of the heading that ``run``'s titles and counting line need."""
        if run.name not in BY_WORTH:
            return self._once(run, "heading", self.measure.heading(run.name), paid)
        if any(_TITLES in other.opened for other in self._runs):
            return 0
        return self._once(run, _TITLES, self.measure.titles_heading(), paid)

    @staticmethod
    def _once(run: Run, what: object, cost: int, paid: set[object]) -> int:
        if what in run.opened:
            return 0
        paid.add(what)
        return cost

    def include_together(self, run: Run, places: Iterable[int], limit: int) -> bool:
        """Include entries whole if ``limit`` allows all of them; else none. They stay together."""
        mark, start = self.mark(), self.spent
        for place in places:
            room = limit - (self.spent - start)
            if not self.include(run, place, "full", room, joined=self.mark() > mark):
                self.undo_to(mark)
                return False
        return True

    def include(  # noqa: PLR0913 - what, how, and the three ways in which it is bounded
        self,
        run: Run,
        place: int,
        level: Level,
        limit: int,
        extra: int = 0,
        *,
        joined: bool = False,
    ) -> bool:
        """Include an entry if ``limit`` and what is left allow its price; return whether it is.

        ``extra`` tokens may be spent beyond what is left: reserves that will be refunded. A
        ``joined`` entry is undone together with the one before it.
        """
        if run.levels.get(place) is None and self.forbids(run, place):
            return False  # its summary is included, or what it summarises
        if level == "title" and is_summary(run.entry(place)):
            return False  # a title of a summary tells nothing about its turns
        freed = self._freed(run, place)
        limit = min(limit, self.left + extra) + (0 if extra else freed)
        if self._too_long(run, place, level, limit):
            return False
        paid: set[object] = set()
        cost = self._price(run, place, level, paid)
        if cost > limit or not self.measure.has(Included(run.ranked[place], level)):
            return False
        before = run.levels.get(place)
        self._make(Move(run, place, before, cost, freed, frozenset(paid), joined, level))
        return True

    def unfold(self, run: Run, place: int, places: Iterable[int], *, titles: bool = False) -> bool:
        """Replace a summary by what it summarises, at ``places``, whole; return whether it is.

        All of it or nothing; with ``titles`` what does not fit whole by its title or not at all,
        if that spends more of the budget than before.
        """
        mark, left = self.mark(), self.left
        cost = self.measure.unit(Included(run.ranked[place], run.levels[place]))
        taken = run.reserved if run.counted and not run.omitted else 0
        before = run.levels[place]
        self._make(Move(run, place, before, -cost, -taken, frozenset(), False, None))
        rest = []
        for at in places:
            if not self.include(run, at, "full", self.left, joined=True):
                rest.append(at)
                if not titles:
                    break
        if titles:
            for at in rest:
                self.include(run, at, "title", self.left, joined=True)
        if self.left < 0 or (self.left >= left if titles else rest):
            self.undo_to(mark)
            return False
        return True

    def _make(self, move: Move) -> None:
        self._moves.append(move)
        move.run.opened |= move.opened
        self._set_level(move.run, move.place, move.before, move.after)
        move.run.used += move.cost
        self.spent += move.cost - move.freed

    def _set_level(self, run: Run, place: int, before: Level | None, after: Level | None) -> None:
        entry = run.entry(place)
        if before is None:
            run.covered += entry.covers
            self._lineage.add(entry)
        if after is None:
            del run.levels[place]
            run.covered -= entry.covers
            self._lineage.remove(entry)
        else:
            run.levels[place] = after

    @staticmethod
    def _freed(run: Run, place: int) -> int:
        """Return the cost of the counting line if this entry is all that it counts, else 0."""
        if not run.counted or place in run.levels or run.omitted <= 0:
            return 0
        return run.reserved if run.omitted <= run.entry(place).covers else 0

    def _too_long(self, run: Run, place: int, level: Level, limit: int) -> bool:
        """Return whether estimates alone show that an entry does not fit: spares counting it."""
        if limit <= 0:
            return True
        before = run.levels.get(place)
        freed = self.measure.unit(Included(run.ranked[place], before)) if before else 0
        return self.measure.least(Included(run.ranked[place], level)) - freed > limit

    def mark(self) -> int:
        """Return a mark for ``undo_to``."""
        return len(self._moves)

    def undo_to(self, mark: int) -> None:
        """Undo every inclusion since ``mark``."""
        while len(self._moves) > mark:
            self.undo()

    def undo(self) -> list[Move]:
        """Undo the last inclusion with those joined to it, and return them; empty without any."""
        undone: list[Move] = []
        while self._moves and (not undone or undone[-1].joined):
            move = self._moves.pop()
            self._set_level(move.run, move.place, move.after, move.before)
            move.run.opened -= move.opened
            move.run.used -= move.cost
            self.spent -= move.cost - move.freed
            undone.append(move)
        return undone

    def redo(self, undone: Sequence[Move]) -> None:
        """Make again what ``undo`` returned last."""
        for move in reversed(undone):
            self._make(move)

"""A measure with flat prices, so that the arithmetic of a plan is plain to see."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from math import inf

from ctx.fit import Offer, Total, plan
from ctx.model import (
    LEVELS,
    Document,
    Entry,
    Fragment,
    Included,
    Kind,
    Level,
    Request,
    Scored,
    Section,
    SectionName,
    Selection,
)
from tests.read.samples import entry

NO_MARKS = {"covers": 0, "moment": 0, "citations": 0, "unresolved": 0}
TITLE = 2
"""What a title costs."""


class Flat:
    """An entry costs its size, a key line a quarter of that, a title 2, the frame 0."""

    def __init__(
        self, *, line: int = 0, heading: int = 0, extra: int = 0, most: float = inf
    ) -> None:
        self.line = line
        self.most = most
        self.title = heading
        self.extra = extra
        self.keyed = True
        self.counted = 0

    def whole(self, selection: Selection) -> int:
        cost = self.extra + sum(self.section(one) for one in selection.sections)
        return 0 if selection.least and cost > self.most else cost

    def section(self, section: Section) -> int:
        pieces = sum(map(self.unit, (*section.included, *section.titles)))
        heading = self.title if pieces or section.omitted else 0
        return pieces + heading + (self.line if section.omitted else 0)

    def unit(self, included: Included) -> int:
        self.counted += 1
        size = included.entry.size
        return {"full": size, "key": size // 4, "title": TITLE}[included.level]

    def least(self, included: Included) -> int:  # noqa: ARG002 - knows nothing before it counts
        return 0

    def has(self, included: Included) -> bool:
        return included.level != "key" or self.keyed

    def heading(self, section: SectionName) -> int:  # noqa: ARG002 - all alike
        return self.title

    def titles(self, section: SectionName) -> int:  # noqa: ARG002 - all alike
        return 0

    def titles_heading(self) -> int:
        return 0

    def group(self, entry: Entry) -> int:  # noqa: ARG002 - all alike
        return 0

    def run(self, entry: Entry) -> int:  # noqa: ARG002 - all alike
        return 0

    def omitted(self, section: SectionName, count: int, places: str) -> int:  # noqa: ARG002 - alike
        return self.line


class Telling(Flat):
    """What a packet says of itself costs something as well, each part another figure."""

    HEAD = 5
    """Where only the news are said."""
    NAME = 3
    """A file to read, and what is gone."""
    FIGURES = 10
    """Beside 2 for each of the first three."""
    ID = 1
    """An id in the policy, each list of which costs 2 more."""
    NOTICE = 7
    """Why the budget is passed."""

    def whole(self, selection: Selection) -> int:
        told = self.HEAD * selection.news_only
        told += self.NAME * (len(selection.read_order) + len(selection.revoked))
        told += self.NOTICE * bool(selection.overshoot)
        if selection.metrics:
            told += self.FIGURES + 2 * len(selection.metrics.top3)
        if selection.policy:
            told += sum(2 + self.ID * len(ids) for ids in selection.policy)
        return super().whole(selection) + told


class Priced(Flat):
    """Each level of each entry has a price of its own."""

    def __init__(
        self, prices: Mapping[tuple[str, Level], int], least: int | None = None, *, line: int = 0
    ) -> None:
        super().__init__(line=line)
        self._prices = prices
        self._least = least

    def unit(self, included: Included) -> int:
        self.counted += 1
        return self._prices[included.entry.id, included.level]

    def least(self, included: Included) -> int:
        price = self._prices[included.entry.id, included.level]
        return price if self._least is None else min(price, self._least)


def fragment(level: Level = "full", benefit: float = 0.5, **marks: int) -> Fragment:
    """Return an entry at one level, with no marks but these."""
    return Fragment(level, benefit, **{**NO_MARKS, **marks})


class Likely:
    """An entry that the benefit/cost planner may choose: the double of ``Prospect``."""

    def __init__(
        self,
        one: Entry,
        fragments: Sequence[Fragment],
        *,
        bound: float | None = None,
        needs: Sequence[str] = (),
    ) -> None:
        self.bound = max(part.benefit for part in fragments) if bound is None else bound
        self.scored = Scored(one, self.bound, ())
        self.reads = 0
        """How often it was asked for its fragments."""
        self._fragments = tuple(fragments)
        self._needs = tuple(needs)

    def fragments(self) -> Sequence[Fragment]:
        self.reads += 1
        return self._fragments

    def needs(self) -> Sequence[str]:
        return self._needs


def likely(  # noqa: PLR0917 - what differs between entries, the most usual first
    title: str,
    size: int = 100,
    benefit: float = 0.5,
    covers: int = 0,
    levels_: Sequence[Level] = LEVELS,
    kind: Kind = "decision",
    *,
    source: str = "",
    bound: float | None = None,
    needs: Sequence[str] = (),
    **marks: int,
) -> Likely:
    """Return an entry of which every level is worth the same."""
    parts = [fragment(level, benefit, covers=covers, **marks) for level in levels_]
    one = entry(title, kind=kind, size=size, source=source)
    return Likely(one, parts, bound=bound, needs=needs)


def scored(kind: Kind, sizes: Iterable[int], status: str = "") -> list[Scored]:
    return [
        Scored(entry(f"{kind}{at}{status}", kind=kind, size=size, status=status), 1.0, ())
        for at, size in enumerate(sizes)
    ]


def offer(
    ranked: Mapping[SectionName, list[Scored]],
    names: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Offer:
    return Offer(
        ranked,
        {name: total(run) for name, run in ranked.items()},
        {name: f"{name.upper()}.md" for name in ranked},
        documents(names),
        warnings,
    )


def documents(names: Iterable[str]) -> tuple[Document, ...]:
    """Return files to read by their paths."""
    return tuple(Document(name, "", 100) for name in names)


def total(run: Iterable[Scored]) -> Total:
    """Return what a section holds, superseded entries apart."""
    sizes = [one.entry.size for one in run if one.entry.status != "superseded"]
    return Total(len(sizes), sum(sizes))


def fitted(choice: Offer, budget: int, measure: Flat | None = None) -> dict[str, Section]:
    selection = plan(choice, Request("/", date(2026, 1, 31), budget=budget), measure or Flat())
    return {section.name: section for section in selection.sections}


def levels(section: Section) -> str:
    """Return what became of a section: F whole, K key lines, t a title; and the count."""
    said = "".join("F" if one.level == "full" else "K" for one in section.included)
    return said + "t" * len(section.titles) + (f"+{section.omitted}" if section.omitted else "")

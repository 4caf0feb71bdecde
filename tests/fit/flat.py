"""A measure with flat prices, so that the arithmetic of a plan is plain to see."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from ctx.fit import Offer, Total, plan
from ctx.model import Request, Said, Scored, Section
from tests.read.samples import entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ctx.model import Entry, Kind, SectionName, Selection

TITLE = 2
"""What a title costs."""


class Flat:
    """An entry costs its size, a key line a quarter of that, a title 2, the frame 0."""

    def __init__(self, *, line: int = 0, heading: int = 0, extra: int = 0) -> None:
        """Price the counting ``line``, each ``heading``, and what only the whole shows."""
        self.line = line
        self.title = heading
        self.extra = extra
        self.keyed = True
        self.counted = 0

    def whole(self, selection: Selection) -> int:
        """Return the sum of the pieces that are there, and the extra."""
        return self.extra + sum(self.section(one) for one in selection.sections)

    def section(self, section: Section) -> int:
        """Return the sum of the pieces of a section."""
        pieces = sum(map(self.unit, (*section.said, *section.noted)))
        heading = self.title if pieces or section.unsaid else 0
        return pieces + heading + (self.line if section.unsaid else 0)

    def unit(self, said: Said) -> int:
        """Return the price of one entry."""
        self.counted += 1
        size = said.entry.size
        return {"full": size, "key": size // 4, "title": TITLE}[said.level]

    def least(self, said: Said) -> int:  # noqa: ARG002 - knows nothing before it counts
        """Return 0."""
        return 0

    def date(self) -> int:
        """Return 0."""
        return 0

    def longest_title(self, tokens: int) -> int:  # noqa: ARG002 - all cost the same
        """Return a size that no title has."""
        return 1_000_000

    def slack(self) -> int:
        """Return 0: the whole is the sum of its pieces."""
        return 0

    def says(self, said: Said) -> bool:
        """Return whether there are key lines."""
        return said.level != "key" or self.keyed

    def heading(self, section: SectionName) -> int:  # noqa: ARG002 - all alike
        """Return the price of a heading."""
        return self.title

    def noted(self, section: SectionName) -> int:  # noqa: ARG002 - all alike
        """Return 0."""
        return 0

    def noted_heading(self) -> int:
        """Return 0."""
        return 0

    def group(self, entry: Entry) -> int:  # noqa: ARG002 - all alike
        """Return 0."""
        return 0

    def run(self, entry: Entry) -> int:  # noqa: ARG002 - all alike
        """Return 0."""
        return 0

    def unsaid(self, count: int, places: str) -> int:  # noqa: ARG002 - all alike
        """Return the price of the line that counts what is left out."""
        return self.line


def scored(kind: Kind, sizes: Iterable[int], status: str = "") -> list[Scored]:
    """Return entries of ``kind`` with these sizes, best first."""
    return [
        Scored(entry(f"{kind}{at}{status}", kind=kind, size=size, status=status), 1.0, ())
        for at, size in enumerate(sizes)
    ]


def offer(
    ranked: Mapping[SectionName, list[Scored]],
    names: tuple[str, ...] = (),
    usual: int = 0,
    warnings: tuple[str, ...] = (),
) -> Offer:
    """Return an offer of sections, each in a file of its name."""
    return Offer(
        ranked,
        {name: total(run) for name, run in ranked.items()},
        {name: f"{name.upper()}.md" for name in ranked},
        names,
        usual,
        warnings,
    )


def total(run: Iterable[Scored]) -> Total:
    """Return what a section holds, superseded entries apart."""
    sizes = [one.entry.size for one in run if one.entry.status != "superseded"]
    return Total(len(sizes), sum(sizes))


def fitted(choice: Offer, budget: int, measure: Flat | None = None) -> dict[str, Section]:
    """Return the sections of a plan by name."""
    selection = plan(choice, Request("/", date(2026, 1, 31), budget=budget), measure or Flat())
    return {section.name: section for section in selection.sections}


def levels(section: Section) -> str:
    """Return what became of a section: F whole, K key lines, t a title; and the count."""
    said = "".join("F" if one.level == "full" else "K" for one in section.said)
    return said + "t" * len(section.noted) + (f"+{section.unsaid}" if section.unsaid else "")

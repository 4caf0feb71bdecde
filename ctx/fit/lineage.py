"""A summary or its turns, never both in one packet."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctx.model import Entry, Scored


class Lineage:
    """What is said so far, of entries that stand for others or are stood for."""

    def __init__(self, said: Iterable[Entry] = ()) -> None:
        """Begin with what is ``said``."""
        self._said: set[str] = set()
        """Summaries."""
        self._below: Counter[str] = Counter()
        """By summary, how many of what it stands for are said."""
        for entry in said:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Take note that ``entry`` is said."""
        if is_summary(entry):
            self._said.add(entry.id)
        self._below.update(entry.ancestors)

    def remove(self, entry: Entry) -> None:
        """Take note that ``entry`` is not said any more."""
        self._said.discard(entry.id)
        self._below.subtract(entry.ancestors)

    def forbids(self, entry: Entry) -> bool:
        """Whether what stands for ``entry``, or what it stands for, is said."""
        if self._below[entry.id] > 0:
            return True
        return any(above in self._said for above in entry.ancestors)


def is_summary(entry: Entry) -> bool:
    """Whether an entry stands for others."""
    return entry.kind == "summary"


def either(scored: Iterable[Scored]) -> list[Scored]:
    """Return ``scored`` without what stands for, or is stood for by, one that comes before it."""
    lineage, kept = Lineage(), []
    for one in scored:
        if not lineage.forbids(one.entry):
            lineage.add(one.entry)
            kept.append(one)
    return kept


def below(ranked: Sequence[Scored]) -> dict[str, list[int]]:
    """Return by summary the places of what it was made of, as far as that is among ``ranked``."""
    found: dict[str, list[int]] = {}
    for place, one in enumerate(ranked):
        if one.entry.ancestors:
            found.setdefault(one.entry.ancestors[0], []).append(place)
    return found

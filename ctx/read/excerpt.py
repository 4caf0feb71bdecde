"""Some of the entries of a file, seen as a file of their own."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.model import Entry, Kind, Part


class Excerpt:
    """Those entries of a part that are of one kind: the lore of an authored document."""

    def __init__(self, part: Part, places: Sequence[int], kind: Kind) -> None:
        """Show the entries of ``part`` at ``places`` (rising), all of ``kind``."""
        self.kind: Kind = kind
        self.name = f"{part.name}:{kind}"
        self.source = part.source
        self.digest = part.digest
        self.front = part.front
        self._part = part
        self._places = places

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._places)

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``, counted from 0 within the excerpt."""
        return self._part.entry(self._places[place])

    @property
    def timestamps(self) -> Sequence[str]:
        """``Entry.timestamp`` by place."""
        whole = self._part.timestamps
        return [whole[place] for place in self._places]

    @property
    def sizes(self) -> Sequence[int]:
        """``Entry.size`` by place."""
        whole = self._part.sizes
        return [whole[place] for place in self._places]

    @property
    def speakers(self) -> Sequence[str]:
        """``Entry.speaker`` by place; empty where nobody speaks."""
        whole = self._part.speakers
        return [whole[place] for place in self._places] if whole else []

    @property
    def confidences(self) -> Sequence[float]:
        """Nothing: no summary is part of another file."""
        return ()

    @property
    def gone(self) -> set[int]:
        """Places of superseded entries."""
        whole = self._part.gone
        return {at for at, place in enumerate(self._places) if place in whole}

    def holding(self, terms: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each of ``terms`` that is held here, and the places of its entries."""
        for term, places in self._part.holding(terms):
            held = [at for at in map(self._at, places) if at >= 0]
            if held:
                yield term, held

    def _at(self, place: int) -> int:
        at = bisect_left(self._places, place)
        return at if at < len(self._places) and self._places[at] == place else -1

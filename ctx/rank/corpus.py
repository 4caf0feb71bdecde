"""All entries of a directory in one sequence: by position, each made when asked for."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from ctx.rank.score import decay_rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.model import Entry, Kind, Part, Question


class Corpus:
    """The entries of all parts. Positions count them in order, as those of a ``Lexicon`` do."""

    def __init__(self, parts: Sequence[Part]) -> None:
        """Join ``parts``; the pieces of one session follow each other."""
        self.parts = parts
        self.starts = list(accumulate(map(len, parts), initial=0))
        """Where each part begins, and where the last one ends."""
        self._first: list[int] = []
        """Where the source of each part begins and, in ``_last``, ends."""
        self._last: list[int] = []
        self._span()

    def _span(self) -> None:
        begin = 0
        for number, part in enumerate(self.parts):
            if number and part.source != self.parts[number - 1].source:
                begin = number
            self._first.append(self.starts[begin])
        end = len(self.parts)
        for number in range(len(self.parts) - 1, -1, -1):
            if number + 1 < end and self.parts[number + 1].source != self.parts[number].source:
                end = number + 1
            self._last.append(self.starts[end])
        self._last.reverse()

    def __len__(self) -> int:
        """Return the number of entries."""
        return self.starts[-1]

    def _at(self, position: int) -> tuple[int, int]:
        number = bisect_right(self.starts, position) - 1
        return number, position - self.starts[number]

    def entry(self, position: int) -> Entry:
        """Return the entry at ``position``."""
        number, place = self._at(position)
        return self.parts[number].entry(place)

    def size(self, position: int) -> int:
        """Return ``Entry.size`` of the entry at ``position``."""
        number, place = self._at(position)
        return self.parts[number].sizes[place]

    def part(self, position: int) -> Part:
        """Return the part that the entry at ``position`` is of."""
        return self.parts[self._at(position)[0]]

    def timestamp(self, position: int) -> str:
        """Return ``Entry.timestamp`` of the entry at ``position``."""
        number, place = self._at(position)
        return self.parts[number].timestamps[place]

    def speaker(self, position: int) -> str:
        """Return who said the turn at ``position``; empty for other entries."""
        number, place = self._at(position)
        speakers = self.parts[number].speakers
        return speakers[place] if speakers else ""

    def decay(self, position: int) -> float | None:
        """Return how unsure a summary is, in [0, 1]; None for other entries."""
        number, place = self._at(position)
        confidences = self.parts[number].confidences
        return decay_rate(confidences[place]) if confidences else None

    def around(self, position: int, reach: int) -> tuple[int, int]:
        """Return where the turns within ``reach`` of the one at ``position`` begin and end.

        In the same session. Any other entry is alone: its neighbours are unrelated.
        """
        number = self._at(position)[0]
        if self.parts[number].kind != "turn":
            return position, position + 1
        return max(self._first[number], position - reach), min(
            self._last[number], position + reach + 1
        )

    def superseded(self) -> Iterator[int]:
        """Yield the positions of superseded entries."""
        for start, part in zip(self.starts, self.parts, strict=False):
            yield from (start + place for place in part.superseded)

    def sources(self) -> Iterator[tuple[int, int]]:
        """Yield where each file begins and ends, each once."""
        return iter(dict.fromkeys(zip(self._first, self._last, strict=True)))

    def asked_for(self, question: Question) -> Askable:
        """Return the entries that may answer ``question``."""
        return Askable(self, question)


class Askable:
    """The entries that may answer a question: of its kinds, young enough, not superseded."""

    def __init__(self, corpus: Corpus, question: Question) -> None:
        """Select from ``corpus`` by ``question``."""
        self._corpus = corpus
        self._kinds = [part.kind in question.kinds for part in corpus.parts]
        self._since = question.since

    def by_kind(self, positions: Iterable[int]) -> Iterator[list[int]]:
        """Yield those of ``positions`` that may be answers, the entries of each kind together."""
        by_kind: dict[Kind, list[int]] = {}
        parts, starts = self._corpus.parts, self._corpus.starts
        by_part: list[list[int]] = [[] for _ in parts]
        for position in positions:
            by_part[bisect_right(starts, position) - 1].append(position)
        for part, asked, held in zip(parts, self._kinds, by_part, strict=True):
            if asked and held:
                valid = (
                    held
                    if not (self._since or part.superseded)
                    else filter(self.__contains__, held)
                )
                by_kind.setdefault(part.kind, []).extend(valid)
        yield from by_kind.values()

    def __contains__(self, position: int) -> bool:
        """Return whether the entry at ``position`` may be an answer."""
        number, place = self._corpus._at(position)  # noqa: SLF001 - the other half of one class
        part = self._corpus.parts[number]
        return (
            self._kinds[number]
            and place not in part.superseded
            and (not self._since or part.timestamps[place][:10] >= self._since)
        )

"""Near-duplicates: entries that say already what a candidate says."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from ctx.model import Space, Vectors
from ctx.sessions.promotion.gate import HELD, told_apart
from ctx.text import similarity
from ctx.text.distinguishing_features import Particulars, differ, particulars
from ctx.text.similarity import ALIKE, COMPARED


class Twin(NamedTuple):
    """An entry that says the same."""

    id: str
    how: Literal["words", "meaning"]
    likeness: float
    """In [0, 1]: of words, or a cosine."""


class _Told:
    """The particulars of texts, each found out once and only where it is asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._found: dict[int, Particulars] = {}

    def __getitem__(self, at: int) -> Particulars:
        if at not in self._found:
            self._found[at] = particulars(self._texts[at])
        return self._found[at]


class Entries:
    """The entries that memory holds, as turns are compared with them."""

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        """Take their titles and texts."""
        held = list(entries)
        self.texts = [f"{title}\n{text}"[:COMPARED] for title, text in held]
        """What a space is given."""
        self._told = _Told([text[:COMPARED] for _, text in held])

    def near(self, text: str, cosines: Sequence[float]) -> list[float]:
        """Return how similar the nearest entries are to a text; little where they differ."""
        mine = _Told([text[:COMPARED]])
        return told_apart(cosines, lambda at: differ(mine[0], self._told[at]))


class Twins:
    """The entries that are there and those just accepted, beside the candidates."""

    def __init__(
        self, held: Sequence[tuple[str, str]], proposed: Sequence[str], space: Space
    ) -> None:
        """Compare the texts ``proposed`` with those ``held``, each with its id.

        Raises EmbeddingError as ``space`` does.
        """
        texts = [text[:COMPARED] for text in (*(text for _, text in held), *proposed)]
        self._told = _Told(texts)
        self._bare = [similarity.bare(text) for text in texts]
        self._vectors: Vectors | None = space.of(texts) if proposed else None
        self._first = len(held)
        self._ids = {at: name for at, (name, _) in enumerate(held)}

    def of(self, place: int) -> Twin | None:
        """Return the entry that the candidate at ``place`` repeats, None where none does.

        Words first; then meaning, from where the source counts a hit of S (``compaction.md``,
        Promotion). Never one that differs in what it denies, counts, names or swaps.
        """
        at = self._first + place
        if self._vectors is None or not self._ids:
            return None
        alike = ((self._alike(at, other), -other) for other in self._ids)
        for likeness, nearest in sorted((one for one in alike if one[0] >= ALIKE), reverse=True):
            if not self._differ(at, -nearest):
                return Twin(self._ids[-nearest], "words", likeness / 100)
        cosines = self._vectors.cosines(at)
        near = ((cosines[other], -other) for other in self._ids)
        for likeness, nearest in sorted((one for one in near if one[0] > HELD), reverse=True):
            if not self._differ(at, -nearest):
                return Twin(self._ids[-nearest], "meaning", likeness)
        return None

    def _differ(self, at: int, other: int) -> bool:
        return differ(self._told[at], self._told[other])

    def _alike(self, at: int, other: int) -> float:
        return similarity.texts(self._bare[at], self._bare[other])

    def accept(self, place: int, name: str) -> None:
        """Take the candidate at ``place`` for an entry from now on, called ``name``."""
        self._ids[self._first + place] = name

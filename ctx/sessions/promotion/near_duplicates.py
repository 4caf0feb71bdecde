"""Near-duplicates: entries that already say what a candidate says."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, NamedTuple

from ctx.model import Vectors, VectorSpace
from ctx.sessions.promotion.gate import HELD, without_differing
from ctx.text import similarity
from ctx.text.similarity import ALIKE, COMPARED, differ, features


class NearDuplicate(NamedTuple):
    """An entry that says the same."""

    id: str
    how: Literal["words", "meaning"]
    likeness: float  # in [0, 1]: of words, or a cosine


class Entries:
    """The durable entries, as turns are compared with them."""

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        held = list(entries)
        self.texts = [f"{title}\n{text}"[:COMPARED] for title, text in held]
        """What a vector space is given."""
        self._features = cache(lambda at: features(held[at][1][:COMPARED]))

    def near(self, text: str, cosines: Sequence[float]) -> list[float]:
        """Return how similar the nearest entries are to a text; little if they differ."""
        own = cache(lambda: features(text[:COMPARED]))
        return without_differing(cosines, lambda at: differ(own(), self._features(at)))


class NearDuplicates:
    """The existing entries and those just accepted, beside the candidates."""

    def __init__(
        self, held: Sequence[tuple[str, str]], proposed: Sequence[str], space: VectorSpace
    ) -> None:
        """Raises EmbeddingError as ``space`` does."""
        texts = [text[:COMPARED] for text in (*(text for _, text in held), *proposed)]
        self._features = cache(lambda at: features(texts[at]))  # only what is compared
        self._bare = [similarity.bare(text) for text in texts]
        self._vectors: Vectors | None = space.of(texts) if proposed else None
        self._first = len(held)
        self._ids = {at: name for at, (name, _) in enumerate(held)}

    def of(self, place: int) -> NearDuplicate | None:
        """Return the entry that the candidate at ``place`` repeats; None where it is new.

        By words first; then by meaning, from where the source counts a hit of S
        (``compaction.md``, Promotion). Never one that differs in what it denies, counts, names
        or swaps.
        """
        at = self._first + place
        if self._vectors is None or not self._ids:
            return None
        alike = (
            (likeness, -other)
            for other in self._ids
            if (likeness := similarity.texts(self._bare[at], self._bare[other])) >= ALIKE
        )
        if nearest := self._nearest(at, alike):
            return NearDuplicate(nearest[1], "words", nearest[0] / 100)
        cosines = self._vectors.cosines(at)
        near = ((cosines[other], -other) for other in self._ids if cosines[other] > HELD)
        if nearest := self._nearest(at, near):
            return NearDuplicate(nearest[1], "meaning", nearest[0])
        return None

    def _nearest(self, at: int, alike: Iterable[tuple[float, int]]) -> tuple[float, str] | None:
        """Return the likeness and the id of the most alike entry that does not differ."""
        for likeness, other in sorted(alike, reverse=True):
            if not differ(self._features(at), self._features(-other)):
                return likeness, self._ids[-other]
        return None

    def accept(self, place: int, name: str) -> None:
        """Treat the candidate at ``place`` as an entry called ``name`` from now on."""
        self._ids[self._first + place] = name

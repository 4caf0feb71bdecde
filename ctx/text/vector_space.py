"""Vector spaces in which texts are compared: TF-IDF, which needs no library, and an embedder's."""

from __future__ import annotations

from array import array
from collections import Counter
from math import fsum, log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from ctx.model import Embedder

TERM_DIGITS = 9  # of cosines: logarithms differ in their last bits from machine to machine
DIGITS = 6  # likewise for vectors of an embedder, whose components are of single precision

_NOWHERE = 1e-6  # a shorter mean counts as zero: it is the noise of vectors that cancel out
_BATCH = 256  # texts that an embedder is given at once


class TermSpace:
    """TF-IDF over the words of any script (``ctx.text.words.index_words``).

    A word that occurs tf times in a text weighs (1 + ln tf)·idf, with
    idf = 1 + ln((1 + n) / (1 + df)) where df of the n known texts hold it: above 0 even for a
    word that all of them hold, and finite for one that none does. Weights are never negative,
    so cosines are in [0, 1].
    """

    name = "tf-idf"

    def of(self, texts: Sequence[str], known: int | None = None) -> TermVectors:
        """Return the vectors of ``texts``; idf is that of the first ``known``, or of all."""
        from ctx.text.words import index_words  # loads the stemmer: only where texts are compared

        counts = [Counter(index_words(text)) for text in texts]
        known_counts = counts if known is None else counts[: max(known, 0)]
        frequency = Counter(word for count in known_counts for word in count)
        return TermVectors([_unit(count, frequency, len(known_counts)) for count in counts])


def _unit(count: Mapping[str, int], frequency: Mapping[str, int], n: int) -> dict[str, float]:
    weights = {
        word: (1 + log(tf)) * (1 + log((1 + n) / (1 + frequency.get(word, 0))))
        for word, tf in count.items()
    }
    length = sqrt(fsum(weight * weight for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()}


class TermVectors:
    """Sparse vectors: weights by word, of length 1, or empty; only shared words cost time."""

    def __init__(self, rows: Sequence[Mapping[str, float]]) -> None:
        self._rows = rows
        self._places: dict[str, tuple[array[int], array[float]]] = {}
        for place, row in enumerate(rows):
            for word, weight in row.items():
                if word not in self._places:
                    self._places[word] = (array("q"), array("d"))
                places, weights = self._places[word]
                places.append(place)
                weights.append(weight)

    def __len__(self) -> int:
        return len(self._rows)

    def cosines(self, at: int) -> list[float]:
        """Return the cosine of the text at ``at`` and of every text, in [0, 1]."""
        return self._near(self._rows[at])

    def cosine(self, one: int, two: int) -> float:
        """Return the cosine of two texts, as ``cosines`` does."""
        other = self._rows[two]
        total = sum(weight * other.get(word, 0.0) for word, weight in self._rows[one].items())
        return _rounded([total])[0]

    def to_mean(self, places: Sequence[int]) -> list[float]:
        """Return the cosine of every text and of the mean of those at ``places``, in [0, 1]."""
        total: dict[str, float] = {}
        for place in places:
            for word, weight in self._rows[place].items():
                total[word] = total.get(word, 0.0) + weight
        length = sqrt(fsum(weight * weight for weight in total.values()))
        return self._near({word: weight / length for word, weight in total.items()})

    def _near(self, row: Mapping[str, float]) -> list[float]:
        sums = [0.0] * len(self._rows)
        for word, weight in row.items():
            for place, other in zip(*self._places[word], strict=True):
                sums[place] += weight * other
        return _rounded(sums)


def _rounded(sums: Iterable[float]) -> list[float]:
    return [min(round(value, TERM_DIGITS), 1.0) for value in sums]


class EmbeddedSpace:
    """The space of an embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The name of the embedder."""
        return self._embedder.name

    def of(self, texts: Sequence[str], known: int | None = None) -> RowVectors:
        """Return the vectors of ``texts``; ``known`` changes nothing. Raises EmbeddingError."""
        del known
        import numpy as np  # only on the vector path

        filled = [place for place, text in enumerate(texts) if text.strip()]
        found = [
            self._embedder.embed([texts[place] for place in filled[start : start + _BATCH]])
            for start in range(0, len(filled), _BATCH)
        ]
        width = found[0].shape[1] if found else self._embedder.dim
        rows = np.zeros((len(texts), width), np.float64)
        if found:
            rows[filled] = np.concatenate(found)
        rows = np.clip(rows, -1.0, 1.0)
        length = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))  # NaN is over nothing
        return RowVectors(np.divide(rows, length, out=np.zeros_like(rows), where=length > _NOWHERE))


class RowVectors:
    """Dense vectors, scaled to unit length, or zero; what is not a number counts as 0."""

    def __init__(self, rows: npt.NDArray[np.float64]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def cosines(self, at: int) -> list[float]:
        """Return the cosine of the text at ``at`` and of every text, in [-1, 1]."""
        return self._near(self._rows[at])

    def to_mean(self, places: Sequence[int]) -> list[float]:
        """Return the cosine, in [-1, 1], of every text and the mean of some; 0 for none."""
        if not len(places):
            return [0.0] * len(self)
        mean = self._rows[list(places)].mean(axis=0)
        length = sqrt((mean * mean).sum())
        return self._near(mean / length) if length > _NOWHERE else [0.0] * len(self)

    def _near(self, row: npt.NDArray[np.float64]) -> list[float]:
        # Rounded, since machines sum products of matrices in different orders. Adding 0 makes -0
        # a plain 0.
        sums = (self._rows @ row).clip(-1.0, 1.0)
        cosines: list[float] = (sums.round(DIGITS) + 0.0).tolist()
        return cosines

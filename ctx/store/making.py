"""The vectors of one part while they are made: which are known, and which are missing yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.digest import blake2b
from ctx.model import EmbeddingError
from ctx.store.vector_file import HASH, MISSING, Kept

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    Bytes = npt.NDArray[np.int8]


class Making:
    """The vectors of one part while they are made."""

    def __init__(self, texts: Sequence[str], held: Kept) -> None:
        """Begin with those of ``texts`` that ``held`` has, wherever they stood there."""
        import numpy as np

        self._hashes = list(map(_hash, texts))
        self._rows = np.zeros((len(texts), held.rows.shape[1]), np.int8)
        self._changed = False
        known = dict(zip(held.hashes, held.rows, strict=True))
        known.pop(MISSING, None)
        for place, name in enumerate(self._hashes):
            if name in known:
                self._rows[place] = known[name]
        self.missing = [place for place, name in enumerate(self._hashes) if name not in known]
        """Places of the texts that have no vector yet."""

    def put(self, places: Sequence[int], rows: Bytes) -> None:
        """Take the vectors of the texts at ``places``.

        Where they have more or fewer components than those that were kept, the model has
        changed, and all texts are missing again; EmbeddingError where it changes once more.
        """
        import numpy as np

        width = rows.shape[1]
        if width != self._rows.shape[1]:
            if self._changed:
                raise EmbeddingError("the model answers now with more, now with fewer components")
            self._changed = True
            self._rows = np.zeros((len(self._hashes), width), np.int8)
            self.missing = list(range(len(self._hashes)))
        self._rows[places] = rows
        done = set(places)
        self.missing = [place for place in self.missing if place not in done]

    def kept(self, digest: bytes) -> Kept:
        """Return what there is so far; ``digest`` where that is all."""
        missing = set(self.missing)
        hashes = (MISSING if place in missing else name for place, name in enumerate(self._hashes))
        return Kept(digest, tuple(hashes), self._rows)


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=HASH, person=b"ctx text").digest()

"""The file of vectors: by model, and by the part that holds their entries."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, NamedTuple

from ctx.store.database import ODD, Disposable, connect, mark_of, name_of, open_to_read

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from ctx.model import Part

    Bytes = npt.NDArray[np.int8]

NAME = "vectors.db"
FORMAT = 3
"""Raised when the form of the rows changes: then every text is embedded again."""
HASH = 8
"""Bytes of the digest of a text; as many zeros for one that was not embedded yet."""
MISSING = b"\0" * HASH

_SCHEMA = (
    """CREATE TABLE vectors (
        model BLOB NOT NULL,
        part BLOB NOT NULL,
        digest BLOB NOT NULL,   -- of the file's bytes when all of it was embedded, else empty
        dim INTEGER NOT NULL,
        hashes BLOB NOT NULL,   -- of the texts, in order of place
        rows BLOB NOT NULL,
        damage INTEGER NOT NULL, -- CRC of all the others
        PRIMARY KEY (model, part)
    ) WITHOUT ROWID""",
    """CREATE TABLE tiers (
        model BLOB NOT NULL,
        part BLOB NOT NULL,
        dim INTEGER NOT NULL,
        source INTEGER NOT NULL, -- CRC of the full rows that these are derived from
        rows BLOB NOT NULL,
        damage INTEGER NOT NULL, -- CRC of these rows
        PRIMARY KEY (model, part, dim)
    ) WITHOUT ROWID""",
)


class Kept(NamedTuple):
    """The vectors of one part, in order of place."""

    digest: bytes
    """Of the file when all of it was embedded, else empty."""
    hashes: tuple[bytes, ...]
    """Of the texts."""
    rows: Bytes
    """One a text; without columns while nothing was embedded."""

    @property
    def done(self) -> int:
        """The number of texts that were embedded."""
        return sum(text != MISSING for text in self.hashes)


class VectorFile(Disposable):
    """The vectors of one model in one file; stores nothing where it cannot."""

    def __init__(self, folder: str, model: str, *, to_look: bool = False) -> None:
        """Open the file in ``folder``; an empty one stores nothing.

        With ``to_look`` nothing is changed there.
        """
        path = os.path.join(folder, NAME) if folder else ""
        self._model = model.encode("utf-8", "surrogatepass")
        use = open_to_read if to_look else connect
        super().__init__(path, use(path, mark_of("", FORMAT), _SCHEMA) if path else None)

    def load(self, part: Part) -> Kept:
        """Return the vectors of ``part``: none where they are damaged."""
        import numpy as np

        found = self._rows(
            "SELECT digest, dim, hashes, rows, damage FROM vectors WHERE model = ? AND part = ?",
            (self._model, name_of(part)),
        )
        if not found:
            return nothing()
        try:
            digest, dim, hashes, data, damage = found[0]
            names = tuple(hashes[at : at + HASH] for at in range(0, len(hashes), HASH))
            if self._checksum(part, digest, dim, hashes, data) != damage:
                return nothing()
            return Kept(digest, names, np.frombuffer(data, np.int8).reshape(len(names), dim))
        except ODD:
            return nothing()  # a value of another type: embedded again

    def _checksum(self, part: Part, digest: bytes, dim: int, hashes: bytes, rows: bytes) -> int:
        whose = b"\0".join((self._model, name_of(part), digest, b"%d" % dim))
        return zlib.crc32(rows, zlib.crc32(hashes, zlib.crc32(whose)))

    def save(self, part: Part, kept: Kept) -> None:
        """Store the vectors of ``part``."""
        hashes, rows = b"".join(kept.hashes), kept.rows.tobytes()
        dim = kept.rows.shape[1]
        damage = self._checksum(part, kept.digest, dim, hashes, rows)
        values = (self._model, name_of(part), kept.digest, dim, hashes, rows, damage)
        self._run("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?)", [values])

    def tier(self, name: bytes, dim: int, source: int) -> Bytes | None:
        """Return the tier of a part that was derived from rows of the checksum ``source``.

        None where it is missing, dirty or damaged.
        """
        import numpy as np

        for origin, data, damage in self._rows(
            "SELECT source, rows, damage FROM tiers WHERE model = ? AND part = ? AND dim = ?",
            (self._model, name, dim),
        ):
            try:
                if (origin, damage) == (source, zlib.crc32(data)):
                    return np.frombuffer(data, np.int8).reshape(-1, dim)
            except ODD:
                return None
        return None

    def save_tier(self, name: bytes, dim: int, source: int, rows: Bytes) -> None:
        """Store a tier that was derived from rows of the checksum ``source``."""
        data = rows.tobytes()
        values = (self._model, name, dim, source, data, zlib.crc32(data))
        self._run("INSERT OR REPLACE INTO tiers VALUES (?, ?, ?, ?, ?, ?)", [values])

    def forget(self) -> None:
        """Remove all vectors of the model."""
        self._run("DELETE FROM vectors WHERE model = ?", [(self._model,)])
        self._run("DELETE FROM tiers WHERE model = ?", [(self._model,)])

    def forget_others(self, parts: Sequence[Part]) -> None:
        """Remove the vectors of parts that are gone, by every model."""
        here = set(map(name_of, parts))
        rows = self._rows("SELECT DISTINCT part FROM vectors")
        gone = [(name,) for (name,) in rows if name not in here]
        for table in ("vectors", "tiers"):
            self._run(f"DELETE FROM {table} WHERE part = ?", gone)  # noqa: S608 - of two names

    def _run(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        self._change(lambda database: database.executemany(statement, rows))


def nothing() -> Kept:
    """Return the vectors of no text."""
    import numpy as np

    return Kept(b"", (), np.zeros((0, 0), np.int8))

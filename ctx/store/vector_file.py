"""The file that vectors are kept in: by model, and by the part whose entries they are of."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from ctx.store.database import FAILURES, ODD, connect, discard, is_damage, mark_of, open_to_read

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from ctx.model import Part

    Bytes = npt.NDArray[np.int8]

NAME = "vectors.db"
FORMAT = 3
"""Raised when what is remembered changes its form: then every text is embedded again."""
HASH = 8
"""Bytes that stand for a text; as many zeros for one that was not embedded yet."""
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
        """How many texts were embedded."""
        return sum(text != MISSING for text in self.hashes)


class VectorFile:
    """The vectors of one model in one file; keeps nothing where it cannot."""

    def __init__(self, folder: str, model: str, *, to_look: bool = False) -> None:
        """Open the file in ``folder``; an empty one keeps none between runs.

        ``to_look`` says that nothing may change there.
        """
        self._path = os.path.join(folder, NAME) if folder else ""
        self._model = model.encode("utf-8", "surrogatepass")
        mark = mark_of("", FORMAT)
        if not folder:
            self._database = None
        elif to_look:
            self._database = open_to_read(self._path, mark, _SCHEMA)
        else:
            self._database = connect(self._path, mark, _SCHEMA)

    def close(self) -> None:
        """Close the file."""
        if self._database:
            self._database.close()
            self._database = None

    def load(self, part: Part) -> Kept:
        """Return what is kept of ``part``: nothing where that is damaged."""
        import numpy as np

        row = self._one(
            "SELECT digest, dim, hashes, rows, damage FROM vectors WHERE model = ? AND part = ?",
            (self._model, name_of(part)),
        )
        if row is None:
            return nothing()
        try:
            digest, dim, hashes, data, damage = row
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
        """Keep the vectors of ``part``."""
        hashes, rows = b"".join(kept.hashes), kept.rows.tobytes()
        dim = kept.rows.shape[1]
        damage = self._checksum(part, kept.digest, dim, hashes, rows)
        values = (self._model, name_of(part), kept.digest, dim, hashes, rows, damage)
        self._change("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?)", [values])

    def tier(self, name: bytes, dim: int, source: int) -> Bytes | None:
        """Return the tier of a part that was derived from rows of the checksum ``source``.

        None where it is missing, dirty or damaged.
        """
        import numpy as np

        row = self._one(
            "SELECT source, rows, damage FROM tiers WHERE model = ? AND part = ? AND dim = ?",
            (self._model, name, dim),
        )
        try:
            if row is None or (row[0], row[2]) != (source, zlib.crc32(row[1])):
                return None
            return np.frombuffer(row[1], np.int8).reshape(-1, dim)
        except ODD:
            return None

    def save_tier(self, name: bytes, dim: int, source: int, rows: Bytes) -> None:
        """Keep a tier that was derived from rows of the checksum ``source``."""
        data = rows.tobytes()
        values = (self._model, name, dim, source, data, zlib.crc32(data))
        self._change("INSERT OR REPLACE INTO tiers VALUES (?, ?, ?, ?, ?, ?)", [values])

    def forget(self) -> None:
        """Forget all vectors of the model."""
        self._change("DELETE FROM vectors WHERE model = ?", [(self._model,)])
        self._change("DELETE FROM tiers WHERE model = ?", [(self._model,)])

    def forget_others(self, parts: Sequence[Part]) -> None:
        """Forget the vectors of parts that are gone, by every model."""
        if self._database is None:
            return
        here = {name_of(part) for part in parts}
        try:
            rows = self._database.execute("SELECT DISTINCT part FROM vectors").fetchall()
        except FAILURES as error:
            self._give_up(error)
            return
        gone = [(name,) for (name,) in rows if name not in here]
        for table in ("vectors", "tiers"):
            self._change(f"DELETE FROM {table} WHERE part = ?", gone)  # noqa: S608 - of two names

    def _one(self, query: str, values: tuple[object, ...]) -> tuple[Any, ...] | None:
        if self._database is None:
            return None
        try:
            row: tuple[Any, ...] | None = self._database.execute(query, values).fetchone()
        except FAILURES as error:
            self._give_up(error)
            return None
        return row

    def _change(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        if self._database is None:
            return
        try:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.executemany(statement, rows)
        except FAILURES as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Do without the file; remove it where it is damaged, for the next run to make anew."""
        self.close()
        if is_damage(error):
            discard(self._path)


def nothing() -> Kept:
    """Return the vectors of nothing."""
    import numpy as np

    return Kept(b"", (), np.zeros((0, 0), np.int8))


def name_of(part: Part) -> bytes:
    """Return what a part is kept by."""
    return part.name.encode("utf-8", "surrogatepass")

"""What was seen before, by digest, in a private database on the disk.

Memory stays the same however much was seen. SQLite deletes the file when it is closed, and
where the process dies, the system does: it has no name.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING

from ctx.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CACHE_KIB = 8 * 1024


def digest(*parts: str) -> bytes:
    """Return 16 bytes that stand for these texts in this order."""
    made = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.digest()


class Seen:
    """A set of digests that also counts. Every method raises FileError on a full disk."""

    def __init__(self) -> None:
        """Make an empty one."""
        with _explained():
            self._rows = sqlite3.connect("", isolation_level=None)
            self._rows.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
            self._rows.execute("PRAGMA journal_mode=OFF")
            self._rows.execute("PRAGMA synchronous=OFF")
            self._rows.execute(
                "CREATE TABLE seen (key BLOB PRIMARY KEY, times INTEGER) WITHOUT ROWID"
            )
            self._rows.execute("BEGIN")

    def close(self) -> None:
        """Forget everything."""
        self._rows.close()

    def __contains__(self, key: bytes) -> bool:
        """Whether ``key`` was added."""
        return self._times(key) > 0

    def add(self, keys: Iterable[bytes]) -> None:
        """Add each of ``keys``."""
        rows = ((key,) for key in keys)
        with _explained():
            self._rows.executemany("INSERT OR IGNORE INTO seen VALUES (?, 1)", rows)

    def count(self, key: bytes) -> int:
        """Return how many times this was asked of ``key``, this time included."""
        times = self._times(key) + 1
        with _explained():
            self._rows.execute("INSERT OR REPLACE INTO seen VALUES (?, ?)", (key, times))
        return times

    def _times(self, key: bytes) -> int:
        with _explained():
            row = self._rows.execute("SELECT times FROM seen WHERE key = ?", (key,)).fetchone()
        return int(row[0]) if row else 0


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise FileError(
            f"the temporary database of this import: {error}", "SQLITE_TMPDIR names its folder"
        ) from error

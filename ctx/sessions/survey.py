"""What one pass through a session's file finds, in a temporary database."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import NamedTuple, Self

from ctx.errors import FileError

_CACHE_KIB = 8 * 1024


def digest(*parts: str) -> bytes:
    """Return the digest of these texts in this order, 16 bytes."""
    made = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.digest()


def _database(tables: str) -> sqlite3.Connection:
    rows = sqlite3.connect("", isolation_level=None)
    rows.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
    rows.execute("PRAGMA journal_mode=OFF")
    rows.execute("PRAGMA synchronous=OFF")
    rows.executescript(tables)
    rows.execute("BEGIN")
    return rows


@contextmanager
def _explained(work: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise FileError(
            f"the temporary database of this {work}: {error}", "SQLITE_TMPDIR names its folder"
        ) from error


class Seen:
    """A set of digests that also counts. Every method raises FileError on a full disk."""

    def __init__(self) -> None:
        """Make an empty one."""
        with _explained("import"):
            self._rows = _database(
                "CREATE TABLE seen (key BLOB PRIMARY KEY, times INTEGER) WITHOUT ROWID"
            )

    def close(self) -> None:
        """Forget everything."""
        self._rows.close()

    def __contains__(self, key: bytes) -> bool:
        """Return whether ``key`` was added."""
        return self._times(key) > 0

    def add(self, keys: Iterable[bytes]) -> None:
        """Add each of ``keys``."""
        rows = ((key,) for key in keys)
        with _explained("import"):
            self._rows.executemany("INSERT OR IGNORE INTO seen VALUES (?, 1)", rows)

    def count(self, key: bytes) -> int:
        """Return how many times this was called for ``key``, this time included."""
        times = self._times(key) + 1
        with _explained("import"):
            self._rows.execute("INSERT OR REPLACE INTO seen VALUES (?, ?)", (key, times))
        return times

    def _times(self, key: bytes) -> int:
        with _explained("import"):
            row = self._rows.execute("SELECT times FROM seen WHERE key = ?", (key,)).fetchone()
        return int(row[0]) if row else 0


_TABLES = """
CREATE TABLE bundles (
    key BLOB PRIMARY KEY, first INTEGER, last INTEGER, turns INTEGER, open INTEGER,
    from_ INTEGER, to_ INTEGER
) WITHOUT ROWID;
CREATE TABLE spans (first INTEGER PRIMARY KEY, last INTEGER, turns INTEGER, open INTEGER);
CREATE TABLE pending (first INTEGER PRIMARY KEY, last INTEGER);
CREATE TABLE elevated (line INTEGER PRIMARY KEY);
CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID;
"""


class Place(NamedTuple):
    """A turn, identified by its line, and the number of turns before it."""

    line: int
    turns: int
    """Turns of the session before it."""
    open: int
    """Of these, the ones that are to be summarised."""


class Survey:
    """Bundles and rules of a session, and the names of its summaries: a context manager.

    Every method raises FileError on a full disk.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        with _explained("compaction"):
            self._rows = _database(_TABLES)

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Forget everything."""
        self._rows.close()

    def forget(self) -> None:
        """Forget what a pass has found; names stay."""
        with _explained("compaction"):
            for table in ("bundles", "spans", "pending", "elevated"):
                self._rows.execute(f"DELETE FROM {table}")  # noqa: S608 - names of our own

    # --- names of summaries -----------------------------------------------------------------

    def __contains__(self, name: object) -> bool:
        """Return whether a summary of this name was added."""
        with _explained("compaction"):
            found = self._rows.execute("SELECT 1 FROM names WHERE name = ?", (name,))
            return found.fetchone() is not None

    def add(self, name: str) -> None:
        """Add the name of a summary."""
        with _explained("compaction"):
            self._rows.execute("INSERT OR IGNORE INTO names VALUES (?)", (name,))

    # --- rules ------------------------------------------------------------------------------

    def elevate(self, line: int) -> None:
        """Note that the turn in ``line`` is a rule."""
        with _explained("compaction"):
            self._rows.execute("INSERT INTO elevated VALUES (?)", (line,))

    def elevated(self, first: int, last: int) -> Iterator[int]:
        """Yield the lines of rules from ``first`` to ``last``, rising."""
        with _explained("compaction"):
            rows = self._rows.execute(
                "SELECT line FROM elevated WHERE line BETWEEN ? AND ? ORDER BY line", (first, last)
            )
            for (line,) in rows:
                yield int(line)

    def rules(self, line: int) -> int:
        """Return how many rules precede ``line``."""
        with _explained("compaction"):
            rows = self._rows.execute("SELECT count(*) FROM elevated WHERE line < ?", (line,))
            return int(rows.fetchone()[0])

    # --- bundles ----------------------------------------------------------------------------

    def bundle(self, name: str, place: Place, *, pending: bool) -> None:
        """Note that a turn belongs to the bundle ``name``; ``pending`` if it is to be summarised.

        Places rise.
        """
        line = place.line if pending else None
        with _explained("compaction"):
            self._rows.execute(
                "INSERT INTO bundles VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (key) DO "
                "UPDATE SET last = ?2, from_ = coalesce(from_, ?5), to_ = coalesce(?5, to_)",
                (digest(name), place.line, place.turns, place.open, line),
            )

    def join(self) -> None:
        """Join bundles that share a turn's place: from now on they are queried as spans.

        A cut before a line splits one if first < line <= last. Those that share a cut act as
        one.
        """
        with _explained("compaction"):
            rows = self._rows.execute(
                "SELECT first, last, turns, open FROM bundles WHERE last > first ORDER BY first"
            )
            merged = _merged((first, last, (turns, opened)) for first, last, turns, opened in rows)
            self._rows.executemany(
                "INSERT INTO spans VALUES (?, ?, ?, ?)",
                ((first, last, *more) for first, last, more in merged),
            )
            rows = self._rows.execute(
                "SELECT from_, to_ FROM bundles WHERE to_ > from_ ORDER BY from_"
            )
            merged = _merged((first, last, ()) for first, last in rows)
            self._rows.executemany(
                "INSERT INTO pending VALUES (?, ?)", ((first, last) for first, last, _ in merged)
            )

    def back(self, place: Place) -> Place:
        """Return ``place``, or the nearest one before it where a cut splits no bundle."""
        with _explained("compaction"):
            row = self._rows.execute(
                "SELECT first, last, turns, open FROM spans WHERE first < ? "
                "ORDER BY first DESC LIMIT 1",
                (place.line,),
            ).fetchone()
        if row is None or place.line > row[1]:
            return place
        return Place(int(row[0]), int(row[2]), int(row[3]))

    def pending(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield first and last line of bundles to be summarised, between these lines, rising."""
        with _explained("compaction"):
            rows = self._rows.execute(
                "SELECT first, last FROM pending WHERE first <= ? AND last >= ? ORDER BY first",
                (last, first),
            )
            for start, stop in rows:
                yield int(start), int(stop)


def _merged(
    rows: Iterator[tuple[int, int, tuple[int, ...]]],
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield spans joined where they meet, with the other fields of the first of each."""
    held: tuple[int, int, tuple[int, ...]] | None = None
    for first, last, more in rows:
        if held and first <= held[1]:
            held = (held[0], max(held[1], last), held[2])
            continue
        if held:
            yield held
        held = (first, last, more)
    if held:
        yield held

"""What one pass through a session's file finds, in a temporary database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

from ctx.digest import blake2b
from ctx.errors import FileError

_CACHE_KIB = 8 * 1024
MOST_IN_MEMORY = 20_000  # digests of an import, about 3 MB
_SEEN = "CREATE TABLE seen (key BLOB PRIMARY KEY, times INTEGER) WITHOUT ROWID"
_PASS = ("bundles", "spans", "pending", "elevated")
_SURVEY = """
CREATE TABLE bundles (
    key BLOB PRIMARY KEY, first INTEGER, last INTEGER, turns INTEGER, open INTEGER,
    from_ INTEGER, to_ INTEGER
) WITHOUT ROWID;
CREATE TABLE spans (first INTEGER PRIMARY KEY, last INTEGER, turns INTEGER, open INTEGER);
CREATE TABLE pending (first INTEGER PRIMARY KEY, last INTEGER);
CREATE TABLE elevated (line INTEGER PRIMARY KEY);
CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID;
"""


def digest(*parts: str) -> bytes:
    """Return the digest of these texts in this order, 16 bytes."""
    made = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.digest()


class _Temporary:
    """A temporary database: a context manager. Every method raises FileError on a full disk."""

    def __init__(self, work: str, tables: str) -> None:
        """Make empty ``tables``; ``work`` is what messages call the use of them."""
        import sqlite3  # not for an import of a few turns

        self._work = work
        self._failure = sqlite3.Error
        with self._explained():
            self._database = sqlite3.connect("", isolation_level=None)
            self._database.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
            self._database.execute("PRAGMA journal_mode=OFF")
            self._database.execute("PRAGMA synchronous=OFF")
            self._database.executescript(tables)
            self._database.execute("BEGIN")

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Forget everything."""
        self.close()

    def close(self) -> None:
        """Forget everything."""
        self._database.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except self._failure as error:
            raise FileError(
                f"the temporary database of this {self._work}: {error}",
                "SQLITE_TMPDIR names its folder",
            ) from error

    def _write(self, statement: str, values: Sequence[object] = ()) -> None:
        with self._explained():
            self._database.execute(statement, values)

    def _write_all(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self._explained():
            self._database.executemany(statement, rows)

    def _rows(self, query: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        with self._explained():
            # Without the cursor's own ``close``, which fails where the database was closed first.
            yield from iter(self._database.execute(query, values).fetchone, None)

    def _row(self, query: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        with self._explained():
            row: tuple[Any, ...] | None = self._database.execute(query, values).fetchone()
        return row


class _Counts(_Temporary):
    """How many times each digest was seen."""

    def __init__(self, counts: Mapping[bytes, int]) -> None:
        super().__init__("import", _SEEN)
        self._write_all("INSERT INTO seen VALUES (?, ?)", counts.items())

    def get(self, key: bytes, default: int) -> int:
        row = self._row("SELECT times FROM seen WHERE key = ?", (key,))
        return int(row[0]) if row else default

    def add(self, keys: Iterable[bytes]) -> None:
        self._write_all("INSERT OR IGNORE INTO seen VALUES (?, 1)", ((key,) for key in keys))

    def __setitem__(self, key: bytes, times: int) -> None:
        self._write("INSERT OR REPLACE INTO seen VALUES (?, ?)", (key, times))


class Seen:
    """A set of digests that also counts; many of them are in a temporary database."""

    def __init__(self) -> None:
        """Make an empty one."""
        self._counts: dict[bytes, int] | _Counts = {}

    def __contains__(self, key: bytes) -> bool:
        """Return whether ``key`` was added."""
        return self._counts.get(key, 0) > 0

    def add(self, keys: Iterable[bytes]) -> None:
        """Add each of ``keys``; raises FileError where the database has no room."""
        every = iter(keys)
        if isinstance(self._counts, dict):
            for key in every:
                self._set(key, self._counts.get(key, 1))
                if isinstance(self._counts, _Counts):
                    break
        if isinstance(self._counts, _Counts):
            self._counts.add(every)

    def count(self, key: bytes) -> int:
        """Return how many times this was called for ``key``, this time included."""
        times = self._counts.get(key, 0) + 1
        self._set(key, times)
        return times

    def close(self) -> None:
        """Forget everything."""
        if isinstance(self._counts, _Counts):
            self._counts.close()

    def _set(self, key: bytes, times: int) -> None:
        if isinstance(self._counts, dict) and len(self._counts) >= MOST_IN_MEMORY:
            self._counts = _Counts(self._counts)
        self._counts[key] = times


class Place(NamedTuple):
    """A turn, identified by its line, and the number of turns before it."""

    line: int
    turns: int
    """Turns of the session before it."""
    open: int
    """Of these, the ones that are to be summarised."""


class Survey(_Temporary):
    """Bundles and rules of a session, and the names of its summaries."""

    def __init__(self) -> None:
        """Begin with nothing."""
        super().__init__("compaction", _SURVEY)

    def forget(self) -> None:
        """Forget what a pass has found; names stay."""
        for table in _PASS:
            self._write(f"DELETE FROM {table}")  # noqa: S608 - names of our own

    def __contains__(self, name: object) -> bool:
        """Return whether a summary of this name was added."""
        return self._row("SELECT 1 FROM names WHERE name = ?", (name,)) is not None

    def add(self, name: str) -> None:
        """Add the name of a summary."""
        self._write("INSERT OR IGNORE INTO names VALUES (?)", (name,))

    def elevate(self, line: int) -> None:
        """Record that the turn in ``line`` is a rule."""
        self._write("INSERT INTO elevated VALUES (?)", (line,))

    def elevated(self, first: int, last: int) -> Iterator[int]:
        """Yield the lines of rules from ``first`` to ``last``, rising."""
        for (line,) in self._rows(
            "SELECT line FROM elevated WHERE line BETWEEN ? AND ? ORDER BY line", (first, last)
        ):
            yield int(line)

    def rules(self, line: int) -> int:
        """Return how many rules precede ``line``."""
        row = self._row("SELECT count(*) FROM elevated WHERE line < ?", (line,))
        return int(row[0]) if row else 0

    def bundle(self, name: str, place: Place, *, pending: bool) -> None:
        """Record that a turn belongs to the bundle ``name``; places rise.

        ``pending``: whether the turn is to be summarised.
        """
        self._write(
            "INSERT INTO bundles VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (key) DO "
            "UPDATE SET last = ?2, from_ = coalesce(from_, ?5), to_ = coalesce(?5, to_)",
            (digest(name), *place, place.line if pending else None),
        )

    def join(self) -> None:
        """Join bundles that share a turn's place: from now on they are queried as spans.

        A cut before a line splits one if first < line <= last. Those that share a cut act as
        one.
        """
        spans = "SELECT first, last, turns, open FROM bundles WHERE last > first ORDER BY first"
        self._write_all("INSERT INTO spans VALUES (?, ?, ?, ?)", _merged(self._rows(spans)))
        pending = "SELECT from_, to_ FROM bundles WHERE to_ > from_ ORDER BY from_"
        self._write_all("INSERT INTO pending VALUES (?, ?)", _merged(self._rows(pending)))

    def back(self, place: Place) -> Place:
        """Return ``place``, or the nearest one before it where a cut splits no bundle."""
        row = self._row(
            "SELECT first, last, turns, open FROM spans WHERE first < ? "
            "ORDER BY first DESC LIMIT 1",
            (place.line,),
        )
        if row is None or place.line > row[1]:
            return place
        return Place(int(row[0]), int(row[2]), int(row[3]))

    def pending(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield first and last line of bundles to be summarised, between these lines, rising."""
        for start, stop in self._rows(
            "SELECT first, last FROM pending WHERE first <= ? AND last >= ? ORDER BY first",
            (last, first),
        ):
            yield int(start), int(stop)


def _merged(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield spans joined where they meet, with the other fields of the first of each."""
    held: tuple[Any, ...] | None = None
    for first, last, *more in rows:
        if held and first <= held[1]:
            held = (held[0], max(held[1], last), *held[2:])
            continue
        if held:
            yield held
        held = (first, last, *more)
    if held:
        yield held

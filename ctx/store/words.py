"""The words of all entries in SQLite's FTS5: the entries that hold a word, and their scores.

It holds exactly the parts it was last refreshed with, so that scores depend on no earlier run;
in memory where the file is locked, damaged or read-only.
"""

import contextlib
import os
import sqlite3
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, zip_longest

from ctx.errors import FileError
from ctx.model import CacheLossError, Fields, Part
from ctx.store.database import (
    FAILURES,
    ODD,
    Disposable,
    connect,
    discard,
    is_damage,
    mark_of,
    name_of,
    open_to_read,
    statements,
)
from ctx.typed import Any, NamedTuple

NAME = "search.db"
FORMAT = 7  # raised when the form of the rows changes
SCALE = 1_000_000_000  # scores are whole billionths: sums are the same in any order, on any machine
TITLE_WEIGHT = 1.0  # how much more a word counts in a title than in a body
GROWING = 16  # sessions, those with the latest turns, that are expected to grow
BATCH = 20_000  # entries after which a transaction ends: an interrupted run loses few
_LEVEL = 1  # of compression of the words that removing entries needs, which are seldom read

_INDEXES = ("entries", "forms")
_WEIGH = """
SELECT rowid, max(1, CAST(round(bm25(entries, ?, 1.0) * -?) AS INTEGER))
FROM entries WHERE entries MATCH ?
"""

_SETTLE = "UPDATE parts SET words = x'', damage = 0 WHERE name = ? AND length(words) > 0"
_HOLD = "SELECT rowid FROM entries WHERE entries MATCH ?"
_BEGIN_SO = """
SELECT term FROM forms_known WHERE term >= ?1 AND term < ?2
UNION SELECT term FROM entries_known WHERE term >= ?1 AND term < ?2 ORDER BY term
"""
_COUNT = "SELECT count(*) FROM entries WHERE entries MATCH ?"


class _Known(NamedTuple):
    first: int  # the row of its first entry
    digest: bytes
    entries: int
    forgettable: bool  # whether the words are stored that FTS5 needs to remove the part


class Lexicon(Disposable):
    """Finds entries by words; a context manager."""

    def __init__(self, folder: str, release: str) -> None:
        """Use the lexicon in ``folder``, in memory where that is empty."""
        super().__init__(os.path.join(folder, NAME) if folder else "", None)
        self._mark = mark_of(release, FORMAT)
        self._firsts: list[int] = []  # the first row of each part, ascending
        self._shifts: list[int] = []  # what turns a row of each part into the entry's position
        self._anchors = b""  # the anchors of the entry at each position

    def refresh(
        self, parts: Sequence[Part], fields: Fields, seen: Callable[[int], object] | None = None
    ) -> None:
        """Index exactly the entries of ``parts``; ``seen`` gets how many are new so far.

        Raises FileError where the index cannot be written.
        """
        self.close()
        if self._path and self._refresh_kept(parts, fields, seen):
            return
        self.close()
        self._database = _in_memory()
        self._bring_up_to_date(parts, fields, seen)

    def current(self, parts: Sequence[Part]) -> int:
        """Return how many entries of ``parts`` are in the file as they are; changes nothing."""
        if not self._path or not os.path.isfile(self._path):
            return 0
        if (database := open_to_read(self._path, self._mark)) is None:
            return 0
        try:
            known = _known(database)
            return sum(len(part) for part in parts if _is_current(known, part))
        except (*FAILURES, *ODD):
            return 0  # damaged: the next call makes it anew
        finally:
            database.close()

    def holding(self, word: str) -> list[tuple[int, int]]:
        """Return position and BM25 (k1 1.2, b 0.75, in billionths) of the entries with ``word``.

        Raises CacheLossError where the file fails.
        """
        rows: list[tuple[int, int]] = self._ask(_WEIGH, (TITLE_WEIGHT, SCALE, _quoted(word)))
        if not any(self._shifts):
            return rows
        return sorted((self._position(row), score) for row, score in rows)

    def marked(self, word: str) -> set[int]:
        """Return the positions of the entries with ``word``; CacheLossError if the file fails."""
        rows = self._ask(_HOLD, (_quoted(word),))
        if not any(self._shifts):
            return {row for (row,) in rows}
        return {self._position(row) for (row,) in rows}

    def _position(self, row: int) -> int:
        return row + self._shifts[bisect_right(self._firsts, row) - 1]

    def frequency(self, word: str) -> int:
        """Return how many entries hold ``word``; CacheLossError where the file fails."""
        return int(self._ask(_COUNT, (_quoted(word),))[0][0])

    def titled(self, words: Sequence[str]) -> list[int]:
        """Return the entries whose title or aliases hold any of ``words``; likewise."""
        rows = self._ask(_HOLD, (f"title : ({' OR '.join(map(_quoted, words))})",))
        return sorted(self._position(row) for (row,) in rows)

    def forms(self, beginning: str) -> list[str]:
        """Return the sorted words, stemmed or not, that begin so; CacheLossError as above."""
        found = self._ask(_BEGIN_SO, (beginning, f"{beginning}\U0010ffff"))
        return [form for (form,) in found]

    def anchors(self, position: int) -> int:
        """Return how many dates and times the entry at ``position`` names, 255 at most."""
        return self._anchors[position]

    def _ask(self, query: str, values: tuple[object, ...]) -> list[Any]:
        if self._database is None:
            raise CacheLossError(NAME)  # ``refresh`` was not called
        try:
            return self._database.execute(query, values).fetchall()
        except FAILURES as error:
            self.give_up(error)
            raise CacheLossError(NAME) from error

    def _refresh_kept(
        self, parts: Sequence[Part], fields: Fields, seen: Callable[[int], object] | None
    ) -> bool:
        for _ in range(2):
            try:
                self._database = connect(self._path, self._mark, "words")
                if self._database is None:
                    return False
                if _is_whole(self._database):
                    self._bring_up_to_date(parts, fields, seen)
                    return True
            except (*FAILURES, *ODD) as error:
                if not is_damage(error):
                    return False  # read-only, locked or full
            self.close()
            discard(self._path)
        return False

    def _bring_up_to_date(
        self, parts: Sequence[Part], fields: Fields, seen: Callable[[int], object] | None
    ) -> None:
        database = self._database
        assert database is not None  # noqa: S101 - opened by both callers
        if not _holds_exactly(database, parts):
            _write(database, parts, fields, seen)
        # A snapshot from here on, whatever other processes write.
        database.execute("BEGIN")
        if not _holds_exactly(database, parts):
            raise _busy()
        known = _known(database)
        starts = accumulate(map(len, parts), initial=0)
        placed = sorted(
            (known[name_of(part)].first, start) for part, start in zip(parts, starts, strict=False)
        )
        self._firsts = [first for first, _ in placed]
        self._shifts = [start - first for first, start in placed]
        anchors = dict(database.execute("SELECT name, anchors FROM parts").fetchall())
        self._anchors = b"".join(anchors[name_of(part)] for part in parts)


def _holds_exactly(database: sqlite3.Connection, parts: Sequence[Part]) -> bool:
    known = _known(database)
    return len(known) == len(parts) and all(_is_current(known, part) for part in parts)


def _write(
    database: sqlite3.Connection,
    parts: Sequence[Part],
    fields: Fields,
    seen: Callable[[int], object] | None,
) -> None:
    """Remove the entries that are not of ``parts``, and add new ones."""
    wanted = {name_of(part): part for part in parts}
    settled = set(map(name_of, _settled(parts)))
    with _transaction(database):
        known = _known(database)
        out = [name for name in known if name not in wanted or not _is_current(known, wanted[name])]
        if all(known[name].forgettable for name in out):
            for name in out:
                _forget(database, name)
        else:
            _command(database, "delete-all")
            database.execute("DELETE FROM parts")
        gone = any(name not in wanted for name in out)
        if gone or (out and sum(row.entries for row in known.values()) <= BATCH):
            # FTS5 keeps deleted words until it merges its segments. Those of a deleted file have
            # to go; those of an edit only where that takes little time.
            _command(database, "optimize")
    known, done = _known(database), 0
    for batch in _batches(part for part in parts if not _is_current(known, part)):
        with _transaction(database):
            known = _known(database)
            for part in batch:
                if name_of(part) not in known:
                    _add(database, part, fields, forgettable=name_of(part) not in settled)
                elif not _is_current(known, part):
                    raise _busy()
                done += len(part)
                if seen:
                    seen(done)
    with _transaction(database):
        database.executemany(_SETTLE, [(name,) for name in settled])


def _settled(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield the parts that hardly change again: their words are not stored for removal."""
    ends = []
    for part, after in zip_longest(parts, parts[1:]):
        if part.kind != "turn":
            continue
        if after is not None and part.source == after.source:
            yield part
        else:
            ends.append(part)
    ends.sort(key=lambda part: max(part.timestamps, default=""), reverse=True)
    yield from ends[GROWING:]


def _busy() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("another process refreshes with other files")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return error


def _batches(parts: Iterable[Part]) -> Iterator[list[Part]]:
    batch: list[Part] = []
    size = 0
    for part in parts:
        batch.append(part)
        size += len(part)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@contextlib.contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Change the words, and store their checksum."""
    with database:
        # Removed words are overwritten, too: they may be private.
        database.execute("PRAGMA secure_delete = ON")
        database.execute("BEGIN IMMEDIATE")
        yield
        # FTS5 writes its rows out at a commit, or here.
        database.execute("SAVEPOINT written")
        database.execute("RELEASE written")
        database.execute("DELETE FROM whole")
        database.execute("INSERT INTO whole VALUES (?)", (_checksum(database),))


def _add(database: sqlite3.Connection, part: Part, fields: Fields, *, forgettable: bool) -> None:
    rows = [fields(part.entry(place)) for place in range(len(part))]
    forms = " ".join(sorted({form for _, _, found, _ in rows for form in found.split()}))
    lines = [*(f"{title}\t{body}" for title, body, *_ in rows), forms]
    words = zlib.compress("\n".join(lines).encode(), _LEVEL) if rows and forgettable else b""
    # At least one row each: if two parts began at one row, an empty one would be lost.
    (first,) = database.execute(
        "SELECT coalesce(max(first + max(entries, 1)), 0) FROM parts"
    ).fetchone()
    database.execute(
        "INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            name_of(part), first, part.digest, len(rows), bytes(dates for *_, dates in rows),
            words, zlib.crc32(words),
        ),
    )  # fmt: skip
    database.executemany(
        "INSERT INTO entries (rowid, title, body) VALUES (?, ?, ?)",
        ((first + place, title, body) for place, (title, body, *_) in enumerate(rows)),
    )
    database.execute("INSERT INTO forms (rowid, form) VALUES (?, ?)", (first, forms))


def _forget(database: sqlite3.Connection, name: bytes) -> None:
    """Remove a part's entries: a table without contents needs their words for it."""
    query = "SELECT first, words, damage FROM parts WHERE name = ?"
    first, words, damage = database.execute(query, (name,)).fetchone()
    if zlib.crc32(words) != damage:
        raise sqlite3.DatabaseError("words that were indexed are damaged")
    try:
        *lines, forms = zlib.decompress(words).decode().split("\n") if words else [""]
    except zlib.error as error:
        raise sqlite3.DatabaseError("words that were indexed are damaged") from error
    database.executemany(
        "INSERT INTO entries (entries, rowid, title, body) VALUES ('delete', ?, ?, ?)",
        ((first + place, *line.split("\t")) for place, line in enumerate(lines) if line),
    )
    database.execute(
        "INSERT INTO forms (forms, rowid, form) VALUES ('delete', ?, ?)", (first, forms)
    )
    database.execute("DELETE FROM parts WHERE name = ?", (name,))


def _command(database: sqlite3.Connection, command: str) -> None:
    for name in _INDEXES:
        database.execute(f"INSERT INTO {name} ({name}) VALUES (?)", (command,))  # noqa: S608 - ours


def _known(database: sqlite3.Connection) -> dict[bytes, _Known]:
    rows = database.execute(
        "SELECT name, first, digest, entries, entries = 0 OR length(words) > 0 FROM parts"
    )
    return {name: _Known(*rest) for name, *rest in rows}


def _is_current(known: Mapping[bytes, _Known], part: Part) -> bool:
    row = known.get(name_of(part))
    return row is not None and row.digest == part.digest and row.entries == len(part)


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _is_whole(database: sqlite3.Connection) -> bool:
    """Whether the words are as they were written: FTS5 does not notice a flipped bit."""
    database.execute("BEGIN")  # a snapshot, whatever other processes write meanwhile
    stored = database.execute("SELECT damage FROM whole").fetchall()
    whole = stored == [(_checksum(database),)] if stored else not _known(database)
    database.execute("COMMIT")
    return whole


def _checksum(database: sqlite3.Connection) -> int:
    damage = 0
    for name in _INDEXES:
        for (block,) in database.execute(f"SELECT block FROM {name}_data ORDER BY id"):  # noqa: S608
            damage = zlib.crc32(block, damage)
    for query in (
        "SELECT group_concat(hex(sz), '') FROM (SELECT sz FROM entries_docsize ORDER BY id)",
        *(f"SELECT group_concat(hex(term) || pgno, ' ') FROM {name}_idx" for name in _INDEXES),  # noqa: S608
        "SELECT group_concat(first || hex(name) || hex(digest) || entries, ' ') FROM parts",
        "SELECT group_concat(hex(anchors), ' ') FROM parts",
    ):
        (text,) = database.execute(query).fetchone()
        damage = zlib.crc32((text or "").encode(), damage)
    return damage


def _in_memory() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in statements("words"):
            database.execute(statement)
    except sqlite3.OperationalError as error:
        database.close()
        raise FileError(
            f"SQLite {sqlite3.sqlite_version}: {error}", "use a Python whose SQLite has FTS5"
        ) from error
    return database

"""Disposable SQLite files: opened, and made anew where they are damaged or of another form."""

import contextlib
import os
import sqlite3
import stat
from collections.abc import Callable, Sequence
from zlib import crc32

from ctx.model import Part
from ctx.store.folder import is_own, narrow
from ctx.typed import Any, Self

VECTORS = "vectors.db"  # the name of the file of vectors, here so that it is known without numpy
PAGE = 32 * 1024  # bytes: a row is as large as a file's text, and is read page by page
_UNCHANGING = "mode=ro&immutable=1"
WAIT = 0.05  # seconds to wait for another process's write, as a rule; then this run stores nothing

_NO_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
    }
)  # failures that do not mean that the file is damaged: another run may use it
FAILURES = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError)  # of a damaged file
ODD = (TypeError, ValueError, AttributeError, KeyError, IndexError)  # of a value of another type


class Disposable:
    """A database that costs only time where it fails: closed, or made anew. A context manager."""

    def __init__(self, path: str, database: sqlite3.Connection | None) -> None:
        """Use ``database``, the file at ``path``; None stores nothing."""
        self._path = path
        self._database = database

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was not committed is lost."""
        if self._database:
            self._database.close()
            self._database = None

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return what ``query`` finds; nothing where the file fails."""
        if self._database is None:
            return []
        try:
            return self._database.execute(query, values).fetchall()
        except FAILURES as error:
            self.give_up(error)
            return []

    def sealed(self, query: str, values: Sequence[object]) -> list[Any] | None:
        """Return the row that ``query`` finds, without its ``seal`` in the last column.

        None where there is none, or its seal is another one: then it is damaged.
        """
        for *row, sealed in self.rows(query, values):
            return row if seal(*row) == sealed else None
        return None

    def change(self, change: Callable[[sqlite3.Connection], object]) -> bool:
        """Make a ``change`` in one transaction; return whether that was possible."""
        if self._database is None:
            return False
        try:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                change(self._database)
        except FAILURES as error:
            self.give_up(error)
            return False
        return True

    def give_up(self, error: Exception) -> None:
        """Do without the file; remove it where it is damaged, for the next run to make anew."""
        self.close()
        if self._path and is_damage(error):
            discard(self._path)


def seal(*values: object) -> int:
    """Return the checksum of a row, of its values and their types: who reads it trusts the rest."""
    total = 0
    for value in values:
        data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
        total = crc32(f"{type(value)}{len(data)}".encode(), crc32(data, total))
    return total


def name_of(part: Part) -> bytes:
    """Return the name that the rows of a part are stored by."""
    return part.name.encode("utf-8", "surrogatepass")


def is_damage(error: Exception) -> bool:
    """Whether a failure means that the file is damaged, not that it is busy or full."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code not in _NO_DAMAGE


def mark_of(release: str, form: int) -> int:
    """Return the mark of a file of ``release``: a file with another one is made anew."""
    return crc32(f"{release}/{form}".encode()) & 0x7FFFFFFF


def statements(schema: str) -> list[str]:
    """Return the statements of the file ``schema``.sql of this folder, below its first comment."""
    path = os.path.join(os.path.dirname(__file__), f"{schema}.sql")
    with open(path, encoding="utf-8") as file:
        return file.read().partition("\n\n")[2].split(";\n\n")


def connect(path: str, mark: int, schema: str, wait: float = WAIT) -> sqlite3.Connection | None:
    """Open the file at ``path``, made anew by ``schema`` where it is damaged or of another mark.

    None for a link, a pipe, or a file that others may write to. ``wait`` is for locks.
    """
    if not _is_own(path):
        discard(path)
        if not _is_own(path):
            return None  # a directory, or it cannot be removed
    for _ in range(2):
        with contextlib.suppress(OSError):  # there is one; SQLite would make it readable for all
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            return _open(path, mark, schema, wait)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) != sqlite3.SQLITE_ERROR:
                # Locked or full: perhaps it can be read.
                return _read_only(path, mark, _UNCHANGING)
            discard(path)  # not a form that SQLite knows
        except FAILURES:
            discard(path)
    return None


def _is_own(path: str) -> bool:
    """Whether the file and those of SQLite beside it are this user's, as far as they exist."""
    for name in _names(path):
        try:
            status = os.lstat(name)
        except OSError:
            continue  # absent
        if not (stat.S_ISREG(status.st_mode) and is_own(status)):
            return False
        with contextlib.suppress(OSError):  # another process removed it
            narrow(name, status)
    return True


def _names(path: str) -> tuple[str, ...]:
    return (path, f"{path}-wal", f"{path}-shm")


def _open(path: str, mark: int, schema: str, wait: float) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=wait, isolation_level=None)
    try:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        # Not worth waiting for the disk: a file that a power cut damaged is made anew.
        database.execute("PRAGMA synchronous = OFF")
        if version != mark:
            _create(database, mark, schema)
        else:
            _check(database)
    except FAILURES:
        database.close()
        raise
    return database


def _create(database: sqlite3.Connection, mark: int, schema: str) -> None:
    database.execute(f"PRAGMA page_size = {PAGE}")
    database.execute("PRAGMA journal_mode = WAL")
    with database:
        database.execute("BEGIN IMMEDIATE")
        if database.execute("PRAGMA user_version").fetchone()[0] == mark:
            return  # another process was first
        _drop_all(database)
        for statement in statements(schema):
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {_form(database)}")
        database.execute(f"PRAGMA user_version = {mark}")


def _drop_all(database: sqlite3.Connection) -> None:
    """Drop and overwrite all tables of another release, which may have redacted less."""
    database.execute("PRAGMA secure_delete = ON")
    made = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    virtual = f"{made} AND sql LIKE 'CREATE VIRTUAL%'"
    views = "SELECT name FROM sqlite_master WHERE type = 'view'"
    for kind, query in (("VIEW", views), ("TABLE", virtual), ("TABLE", made)):
        for (name,) in database.execute(query).fetchall():
            quoted = name.replace('"', '""')
            database.execute(f'DROP {kind} IF EXISTS "{quoted}"')


def _form(database: sqlite3.Connection) -> int:
    """Return the seal of all tables, by which a file with others is known: views can be endless."""
    database.execute("PRAGMA trusted_schema = OFF")
    rows = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    return seal(*rows) & 0x7FFFFFFF


def _check(database: sqlite3.Connection) -> None:
    if database.execute("PRAGMA application_id").fetchone() != (_form(database),):
        raise sqlite3.DatabaseError("holds other tables than those that ctx made")


def open_to_read(path: str, mark: int) -> sqlite3.Connection | None:
    """Open a file to read it, if it exists and has this mark; nothing in it changes."""
    if not os.path.isfile(path) or not _is_own(path):
        return None
    journal = f"{path}-wal"
    is_written = os.path.exists(journal) and os.path.getsize(journal)  # by another process
    return _read_only(path, mark, "mode=ro" if is_written else _UNCHANGING)


def _read_only(path: str, mark: int, how: str) -> sqlite3.Connection | None:
    quoted = path
    for char, code in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        quoted = quoted.replace(char, code)
    try:
        database = sqlite3.connect(f"file:{quoted}?{how}", uri=True)
    except sqlite3.Error:
        return None
    try:
        if database.execute("PRAGMA user_version").fetchone()[0] == mark:
            _check(database)
            return database
    except FAILURES:
        pass  # it cannot be read either
    database.close()
    return None


def discard(path: str) -> None:
    """Remove a file, and those of SQLite beside it."""
    for name in _names(path):
        with contextlib.suppress(OSError):
            os.unlink(name)

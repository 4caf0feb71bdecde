"""Parsed files remembered in SQLite, beside the files they were parsed from.

Files are the truth. The index can be deleted at any time; damaged, locked, read-only
or missing, it costs speed and never a result. Readers see one snapshot; everything
learnt in a run is written in one short transaction at its end.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from typing import TYPE_CHECKING, Any, Self
from zlib import crc32

from ctx.model import ForgottenError, Kept
from ctx.store.folder import narrow, prune
from ctx.store.replay import FOLDER as REPLAY
from ctx.store.settled import settled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

FORMAT = 5
"""Raised when the form of what is remembered changes between releases."""
NAME = "index.db"
PAGE = 32 * 1024
"""Bytes: a row is as large as a file's text, and is read page by page."""
WAIT = 0.05
"""Seconds to wait for another process's write: then this run's findings are not kept."""

_NO_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
    }
)
"""Failures that say nothing against the index itself: another run may use it well."""
_FAILURES = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError)
"""What SQLite raises for what it finds in a damaged file."""
_KEPT = (bytes, str, str, bytes, int)
"""Types of what is kept and of its checksum; damage can turn a text into a blob."""

_SCHEMA = """
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    signature TEXT NOT NULL,   -- stat fields of the file, empty while it may still change unseen
    digest BLOB NOT NULL,
    chunks TEXT NOT NULL,
    cards TEXT NOT NULL,
    terms BLOB NOT NULL,
    damage INTEGER NOT NULL,   -- CRC of the columns above
    text_damage INTEGER NOT NULL,
    text BLOB NOT NULL         -- last, so that the columns above are read without it
)
"""


class Index:
    """A shelf of parsed files in one SQLite file; a context manager."""

    def __init__(self, folder: str, release: str, now_ns: int) -> None:
        """Open or create the index in ``folder`` for this ``release``.

        ``now_ns`` is the time in nanoseconds.
        """
        self._path = os.path.join(folder, NAME)
        self._now_ns = now_ns
        self._writes: dict[str, tuple[str, Kept | None, bytes]] = {}
        """By path: the signature, what to keep (None where only the signature is new), the text."""
        self._digests: dict[str, bytes] = {}
        self._asked: set[str] = set()
        """Paths that this run asked for or put."""
        self._folder = folder
        self._database = _connect(self._path, _mark(release))

    def __enter__(self) -> Self:
        """Use the index in a ``with`` statement."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write what was learnt and close; after a failure close only."""
        if kind is None:
            self.flush()
        if self._database:
            self._database.close()

    def signature(self, path: str) -> tuple[int, ...] | None:
        """Return the stat signature under which ``path`` was last read, if it is settled."""
        self._asked.add(path)
        found = self._one("SELECT signature FROM files WHERE path = ?", path)
        if not found or not found[0] or not isinstance(found[0], str):
            return None
        try:
            return tuple(int(field) for field in found[0].split(","))
        except ValueError:
            return None  # damaged: the file is read

    def get(self, path: str) -> Kept | None:
        """Return what is remembered of ``path``; None where nothing is, or it is damaged."""
        self._asked.add(path)
        found = self._one(
            "SELECT digest, chunks, cards, terms, damage FROM files WHERE path = ?", path
        )
        if not found or tuple(map(type, found)) != _KEPT:
            return None
        kept = Kept(*found[:4])
        if _checksum(kept) != found[4]:
            return None
        self._digests[path] = kept.digest
        return kept

    def text(self, path: str) -> bytes:
        """Return the remembered bodies of ``path``; ForgottenError where they are damaged."""
        found = self._one("SELECT text, text_damage FROM files WHERE path = ?", path)
        if not found or not isinstance(found[0], bytes) or crc32(found[0]) != found[1]:
            self._drop(path)
            raise ForgottenError(path)
        text: bytes = found[0]
        return text

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        """Note that ``path`` still has the bytes that are remembered."""
        self._writes[path] = (self._written(signature), None, b"")

    def put(self, path: str, signature: tuple[int, ...], kept: Kept, text: bytes) -> None:
        """Remember a parsed file."""
        self._asked.add(path)
        self._writes[path] = (self._written(signature), kept, text)

    def _written(self, signature: tuple[int, ...]) -> str:
        return ",".join(map(str, signature)) if settled(signature, self._now_ns) else ""

    def _one(self, query: str, path: str) -> tuple[Any, ...] | None:
        if self._database is None:
            return None
        try:
            row: tuple[Any, ...] | None = self._database.execute(query, (_name(path),)).fetchone()
        except _FAILURES as error:
            self._give_up(error)
            return None
        return row

    def _give_up(self, error: Exception) -> None:
        """Do without the index; remove it where it is damaged, for the next run to make anew."""
        if self._database:
            self._database.close()
            self._database = None
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code not in _NO_DAMAGE:
            _discard(self._path)

    def _drop(self, path: str) -> None:
        """Forget a damaged row now, so that the next run does not trust it again."""
        self._apply(
            lambda database: database.execute("DELETE FROM files WHERE path = ?", (_name(path),))
        )

    def flush(self) -> None:
        """Write everything learnt; a store that cannot be written keeps nothing new."""
        if self._writes:
            self._apply(self._write)
            self._writes.clear()

    def forget_others(self) -> None:
        """Forget the files that are gone, after a run that read the whole directory.

        What they said must not outlive them, in packets that are remembered neither.
        """
        gone = [path for path in self._others() if self._is_gone(path)]
        if gone:
            self._apply(lambda database: _delete(database, gone))
            prune(os.path.join(self._folder, REPLAY), 0)

    def _others(self) -> Iterable[str | bytes]:
        """Return the paths that are remembered, and that this run has not asked for."""
        if self._database is None:
            return ()
        try:
            # The paths lie in an index of their own: no row is read for this.
            known = [path for (path,) in self._database.execute("SELECT path FROM files")]
        except _FAILURES as error:
            self._give_up(error)
            return ()
        return set(known).difference(map(_name, self._asked))

    def _is_gone(self, path: str | bytes) -> bool:
        """Whether there is no file for a row: none of its name, none that it is a piece of."""
        name = path.decode("utf-8", "surrogatepass") if isinstance(path, bytes) else str(path)
        whole = name.rpartition("/")[0]  # of a session's piece, ``sessions/x.jsonl/3``
        root = os.path.dirname(self._folder)
        if os.path.isfile(os.path.normpath(os.path.join(root, name))):
            return False  # not asked for under these settings
        return whole in self._asked or not os.path.isfile(os.path.join(root, whole))

    def _write(self, database: sqlite3.Connection) -> None:
        for path, (signature, kept, text) in self._writes.items():
            if kept is None:
                # Meanwhile another process may have remembered other bytes of this file.
                database.execute(
                    "UPDATE files SET signature = ? WHERE path = ? AND digest = ?",
                    (signature, _name(path), self._digests.get(path)),
                )
                continue
            database.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_name(path), signature, *kept, _checksum(kept), crc32(text), text),
            )

    def _apply(self, change: Callable[[sqlite3.Connection], object]) -> None:
        if self._database is None:
            return
        try:
            # What is replaced or forgotten is overwritten, too.
            self._database.execute("PRAGMA secure_delete = ON")
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                change(self._database)
        except _FAILURES as error:
            self._give_up(error)  # the packet is right without the store


def _delete(database: sqlite3.Connection, paths: Iterable[str | bytes]) -> None:
    database.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in paths])


def _name(path: str) -> str | bytes:
    """Return ``path`` as SQLite can hold it: a name that is no text, as bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")
    return path


def _checksum(kept: Kept) -> int:
    damage = crc32(kept.digest)
    for part in (kept.chunks.encode(), kept.cards.encode(), kept.terms):
        damage = crc32(part, damage)
    return damage


def _mark(release: str) -> int:
    """Return the number that marks an index of ``release``: any other one is made anew."""
    return crc32(f"{release}/{FORMAT}".encode()) & 0x7FFFFFFF


def _connect(path: str, mark: int) -> sqlite3.Connection | None:
    """Open the index, made anew where it is damaged or of another release.

    A link is not followed: what it leads to is somebody else's database. A pipe is not
    opened: that would wait for its other end.
    """
    if not _is_plain(path):
        _discard(path)
        if not _is_plain(path):
            return None  # a directory, or nothing can be removed
    for _ in range(2):
        _make(path)
        try:
            return _open(path, mark)
        except sqlite3.OperationalError:
            return _open_to_read(path, mark)  # read-only, locked or full: perhaps it can be read
        except _FAILURES:
            _discard(path)
    return None


def _is_plain(path: str) -> bool:
    """Whether the index and what SQLite keeps beside it are files, as far as they are there."""
    for name in _names(path):
        try:
            status = os.lstat(name)
        except OSError:
            continue  # not there
        if not stat.S_ISREG(status.st_mode):
            return False
        with contextlib.suppress(OSError):  # of another user
            narrow(name, status)
    return True


def _make(path: str) -> None:
    """Make the file of the index where there is none: what SQLite makes, all may read.

    What it keeps beside the file has the same mode.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _names(path: str) -> tuple[str, ...]:
    return (path, f"{path}-wal", f"{path}-shm")


def _open(path: str, mark: int) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
    try:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        # Nothing here is worth waiting for the disk: what a power cut tears is made anew.
        database.execute("PRAGMA synchronous = OFF")
        if version != mark:
            _create(database, mark)
    except _FAILURES:
        database.close()
        raise
    return database


def _create(database: sqlite3.Connection, mark: int) -> None:
    database.execute(f"PRAGMA page_size = {PAGE}")
    database.execute("PRAGMA journal_mode = WAL")
    with database:
        database.execute("BEGIN IMMEDIATE")
        if database.execute("PRAGMA user_version").fetchone()[0] == mark:
            return  # another process was first
        database.execute("DROP TABLE IF EXISTS files")
        database.execute(_SCHEMA)
        database.execute(f"PRAGMA user_version = {mark}")


def _open_to_read(path: str, mark: int) -> sqlite3.Connection | None:
    """Open an index that cannot be written, if it is there and of this release."""
    try:
        database = sqlite3.connect(f"file:{_quoted(path)}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error:
        return None
    try:
        if database.execute("PRAGMA user_version").fetchone()[0] == mark:
            return database
    except _FAILURES:
        pass  # it cannot be read either
    database.close()
    return None


def _quoted(path: str) -> str:
    for char, code in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        path = path.replace(char, code)
    return path


def _discard(path: str) -> None:
    for name in _names(path):
        with contextlib.suppress(OSError):
            os.unlink(name)

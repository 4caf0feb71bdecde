"""Parsed files remembered in SQLite.

Files are the truth. The index can be deleted at any time; damaged, locked, read-only
or missing, it costs speed and never a result. Readers see one snapshot; what is
learnt in a run is written in short transactions, so that a run that is ended was not in vain.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self
from zlib import compress, crc32, decompress
from zlib import error as ZlibError  # noqa: N812 - "error" says too little

from ctx.model import ForgottenError, Kept
from ctx.store.database import FAILURES, connect, discard, is_damage, mark_of
from ctx.store.folder import prune
from ctx.store.response_cache import FOLDER as REPLAY
from ctx.store.stat_trust import settled

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable
    from types import TracebackType

FORMAT = 11
"""Raised when the form of what is remembered changes between releases."""
NAME = "index.db"
STEP = 1024 * 1024
"""Bytes of texts after which what was parsed is written: a run may be ended at any moment."""
_LEVEL = 1
"""Of compression: packets are waited for."""
_PACKED, _PLAIN = b"z", b"t"
"""What a text that is kept begins with."""
_KEPT = (bytes, str, str, bytes, bytes, int)
"""Types of what is kept and of its checksum; damage can turn a text into a blob."""

_SCHEMA = (
    """
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    signature TEXT NOT NULL,   -- stat fields of the file, empty while it may still change unseen
    digest BLOB NOT NULL,
    chunks TEXT NOT NULL,
    cards TEXT NOT NULL,
    told BLOB NOT NULL,
    terms BLOB NOT NULL,
    damage INTEGER NOT NULL,   -- CRC of the columns above
    text_damage INTEGER NOT NULL,
    text BLOB NOT NULL         -- marked how; last, so that the columns above are read without it
)
""",
)


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
        self._unwritten = 0
        self._digests: dict[str, bytes] = {}
        self._asked: set[str] = set()
        """Paths that this run asked for or put."""
        self._folder = folder
        self._database = connect(self._path, mark_of(release, FORMAT), _SCHEMA)
        if self._database and self._one("SELECT 1 FROM files", ()) is None:
            # Made anew: packets of another release, or with what is held back now, go, too.
            prune(os.path.join(folder, REPLAY), 0)

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
        found = self._of("SELECT signature FROM files WHERE path = ?", path)
        if not found or not found[0] or not isinstance(found[0], str):
            return None
        try:
            return tuple(int(field) for field in found[0].split(","))
        except ValueError:
            return None  # damaged: the file is read

    def get(self, path: str) -> Kept | None:
        """Return what is remembered of ``path``; None where nothing is, or it is damaged."""
        self._asked.add(path)
        found = self._of(
            "SELECT digest, chunks, cards, told, terms, damage FROM files WHERE path = ?", path
        )
        if not found or tuple(map(type, found)) != _KEPT:
            return None
        kept = Kept(*found[:5])
        if _checksum(kept) != found[5]:
            return None
        self._digests[path] = kept.digest
        return kept

    def text(self, path: str) -> bytes:
        """Return the remembered bodies of ``path``; ForgottenError where they are damaged."""
        found = self._of("SELECT text, text_damage FROM files WHERE path = ?", path)
        if not found or not isinstance(found[0], bytes) or crc32(found[0]) != found[1]:
            self._drop(path)
            raise ForgottenError(path)
        try:
            return decompress(found[0][1:]) if found[0][:1] == _PACKED else bytes(found[0][1:])
        except ZlibError:
            self._drop(path)
            raise ForgottenError(path) from None

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        """Note that ``path`` still has the bytes that are remembered."""
        self._writes[path] = (self._written(signature), None, b"")

    def put(self, path: str, signature: tuple[int, ...], kept: Kept, text: bytes) -> None:
        """Remember a parsed file."""
        self._asked.add(path)
        self._writes[path] = (self._written(signature), kept, text)
        self._unwritten += len(text)
        if self._unwritten >= STEP or not signature:  # of a file that is not parsed to its end
            self.flush()

    def _written(self, signature: tuple[int, ...]) -> str:
        return ",".join(map(str, signature)) if settled(signature, self._now_ns) else ""

    def _of(self, query: str, path: str) -> tuple[Any, ...] | None:
        return self._one(query, (_name(path),))

    def _one(self, query: str, about: tuple[str | bytes, ...]) -> tuple[Any, ...] | None:
        if self._database is None:
            return None
        try:
            row: tuple[Any, ...] | None = self._database.execute(query, about).fetchone()
        except FAILURES as error:
            self._give_up(error)
            return None
        return row

    def _give_up(self, error: Exception) -> None:
        """Do without the index; remove it where it is damaged, for the next run to make anew."""
        if self._database:
            self._database.close()
            self._database = None
        if is_damage(error):
            discard(self._path)

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
            self._unwritten = 0

    def forget_others(self, root: str) -> None:
        """Forget the files that are gone, after a run that read the whole directory ``root``.

        What they said must not outlive them, in packets that are remembered neither.
        """
        gone = [path for path in self._others() if self._is_gone(root, path)]
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
        except FAILURES as error:
            self._give_up(error)
            return ()
        return set(known).difference(map(_name, self._asked))

    def _is_gone(self, root: str, path: str | bytes) -> bool:
        """Whether there is no file for a row: none of its name, none that it is a piece of."""
        name = path.decode("utf-8", "surrogatepass") if isinstance(path, bytes) else str(path)
        whole = name.rpartition("/")[0]  # of a session's piece, ``sessions/x.jsonl/3``
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
            packed = _packed(path, text)
            database.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_name(path), signature, *kept, _checksum(kept), crc32(packed), packed),
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
        except FAILURES as error:
            self._give_up(error)  # the packet is right without the store


def _packed(path: str, text: bytes) -> bytes:
    """Return ``text`` as it is kept: compressed where it is a piece of a session.

    Sessions make directories large, and few of their pieces are said; other files are read
    again for every packet.
    """
    return _PACKED + compress(text, _LEVEL) if ".jsonl/" in path else _PLAIN + text


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
    for part in (kept.chunks.encode(), kept.cards.encode(), kept.told, kept.terms):
        damage = crc32(part, damage)
    return damage

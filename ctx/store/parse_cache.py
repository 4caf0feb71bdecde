"""The parse cache: parsed files in SQLite. Damaged or missing it costs speed, never a result."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from zlib import compress, decompress

from ctx.model import CachedFile, CacheLossError
from ctx.store.database import ODD, Disposable, connect, mark_of, seal
from ctx.store.folder import prune, settled, written
from ctx.store.response_cache import FOLDER as RESPONSES

FORMAT = 20  # raised when the form of the rows changes between releases
NAME = "index.db"
STEP = 1024 * 1024  # bytes of texts after which files are written: a run may end at any moment
_LEVEL = 1  # of compression: the fastest, since users wait for packets
_PACKED, _PLAIN = b"z", b"t"  # what a stored text begins with


class Index(Disposable):
    """A parse cache in one SQLite file; a context manager."""

    def __init__(self, folder: str, release: str, now_ns: int) -> None:
        path = os.path.join(folder, NAME)
        super().__init__(path, connect(path, mark_of(release, FORMAT), "index"))
        self._now_ns = now_ns
        self._writes: dict[str, tuple[str, CachedFile | None, bytes]] = {}  # signature, form, text
        self._unwritten = 0
        self._digests: dict[str, bytes] = {}
        self._asked: set[str] = set()  # paths that this run asked for or put
        self._folder = folder
        if self._database and not self.rows("SELECT 1 FROM files LIMIT 1"):
            # Made anew: responses of another release, or with what is redacted now, go, too.
            prune(os.path.join(folder, RESPONSES), 0)

    def __exit__(self, kind: object = None, *error: object) -> None:
        """Write what was parsed and close; after a failure close only."""
        if kind is None:
            self.flush()
        super().__exit__(kind, *error)

    def signature(self, path: str) -> tuple[int, ...] | None:
        """Return the stat signature of ``path`` when it was last read, if it can be trusted."""
        self._asked.add(path)
        query = "SELECT signature FROM files WHERE path = ?"
        for (signature,) in self.rows(query, (_name(path),)):
            with suppress(*ODD):  # empty or damaged: the file is read
                return tuple(map(int, signature.split(",")))
        return None

    def get(self, path: str) -> CachedFile | None:
        """Return the cached form of ``path``; None where there is none, or it is damaged."""
        self._asked.add(path)
        columns = "path, digest, chunks, cards, told, terms, seal"
        found = self.sealed(f"SELECT {columns} FROM files WHERE path = ?", (_name(path),))  # noqa: S608
        if not found:
            return None
        kept = CachedFile(*found[1:])
        self._digests[path] = kept.digest
        return kept

    def text(self, path: str) -> bytes:
        """Return the cached bodies of ``path``; CacheLossError where they are damaged."""
        if found := self.sealed("SELECT text, text_seal FROM files WHERE path = ?", (_name(path),)):
            (packed,) = found
            return decompress(packed[1:]) if packed[:1] == _PACKED else bytes(packed[1:])
        # Removed now, so that the next run does not trust it again.
        self._overwrite(lambda database: _delete(database, [_name(path)]))
        raise CacheLossError(path)

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        """Record the new signature of ``path``, whose bytes are those of the cached form."""
        self._writes[path] = (self._written(signature), None, b"")

    def put(self, path: str, signature: tuple[int, ...], kept: CachedFile, text: bytes) -> None:
        """Store a parsed file."""
        self._asked.add(path)
        self._writes[path] = (self._written(signature), kept, text)
        self._unwritten += len(text)
        if self._unwritten >= STEP or not signature:  # of a file that is not parsed to its end
            self.flush()

    def _written(self, signature: tuple[int, ...]) -> str:
        return written(signature) if settled(signature, self._now_ns) else ""

    def flush(self) -> None:
        """Write all that was parsed, where the cache can be written."""
        if self._writes:
            self._overwrite(self._write)
            self._writes.clear()
            self._unwritten = 0

    def forget_others(self, root: str) -> None:
        """Remove what is gone, after all of ``root`` was read: no text must outlive its file."""
        # The paths lie in an index of their own: no row is read for this.
        known = {path for (path,) in self.rows("SELECT path FROM files")}
        others = known.difference(map(_name, self._asked))
        if gone := [path for path in others if self._is_gone(root, path)]:
            self._overwrite(lambda database: _delete(database, gone))
            prune(os.path.join(self._folder, RESPONSES), 0)

    def _is_gone(self, root: str, path: str | bytes) -> bool:
        """Whether there is no file for a row, and none that it is a piece of."""
        name = path.decode("utf-8", "surrogatepass") if isinstance(path, bytes) else str(path)
        whole = name.rpartition("/")[0]  # of a session's piece, ``sessions/x.jsonl/3``
        if os.path.isfile(os.path.normpath(os.path.join(root, name))):
            return False  # it is not read under these settings
        return whole in self._asked or not os.path.isfile(os.path.join(root, whole))

    def _write(self, database: sqlite3.Connection) -> None:
        for path, (signature, kept, text) in self._writes.items():
            if kept is None:
                # Meanwhile another process may have stored other bytes of this file.
                database.execute(
                    "UPDATE files SET signature = ? WHERE path = ? AND digest = ?",
                    (signature, _name(path), self._digests.get(path)),
                )
                continue
            # Sessions make directories large, and few of their pieces are included; other files
            # are read for every packet.
            is_piece = ".jsonl/" in path
            packed = _PACKED + compress(text, _LEVEL) if is_piece else _PLAIN + text
            database.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_name(path), signature, *kept, seal(_name(path), *kept), seal(packed), packed),
            )

    def _overwrite(self, change: Callable[[sqlite3.Connection], object]) -> None:
        self.rows("PRAGMA secure_delete = ON")
        self.change(change)


def _delete(database: sqlite3.Connection, paths: Iterable[str | bytes]) -> None:
    database.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in paths])


def _name(path: str) -> str | bytes:
    """Return ``path`` as SQLite can store it: as bytes where it is no valid text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")
    return path

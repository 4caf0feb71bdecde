"""Folders and files of the store: for their owner alone, written in one step; signatures."""

from __future__ import annotations

import os
import stat
from _thread import get_ident  # built in: `threading` would slow down every hook
from zlib import crc32

MOST_BYTES = 64 * 1024 * 1024  # larger files are neither written nor read
FINE_NS = 100_000_000  # a tenth of a second: over ten ticks of any file system's clock
COARSE_NS = 2_000_000_000  # two seconds: the resolution of the coarsest file systems in use
_SECOND_NS = 1_000_000_000
_POSIX = os.name == "posix"
_READ = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _READ |= getattr(os, _name, 0)


def make(folder: str) -> bool:
    """Make ``folder`` for its owner alone unless it is there; return whether it is private then."""
    if is_private(folder):
        return True
    try:
        os.makedirs(folder, 0o700)
    except OSError:  # another process was first, or there can be none
        return is_private(folder)
    return True


def below(store: str, name: str) -> str:
    """Return the folder ``name`` of an existing store, made if need be; empty if impossible."""
    folder = os.path.join(store, name)
    return folder if store and is_private(store) and make(folder) else ""


def is_private(folder: str, *, absent: bool = False) -> bool:
    """Whether ``folder`` is the user's alone, and no link; ``absent`` where it is not there."""
    try:
        status = os.lstat(folder)
    except OSError:
        return absent
    return stat.S_ISDIR(status.st_mode) and is_own(status)


def is_own(status: os.stat_result) -> bool:
    """Whether a file or folder is this user's, and nobody else writes to it."""
    return not _POSIX or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def narrow(path: str, status: os.stat_result) -> bool:
    """Take all rights to ``path`` from others than its owner; return whether they had any."""
    if not status.st_mode & 0o077 or not _POSIX:
        return False
    os.chmod(path, status.st_mode & 0o700)
    return True


def contents(path: str, *, private: bool = True) -> bytes | None:
    """Return the bytes of a regular file; None if it has over ``MOST_BYTES``.

    A link is not followed; if ``private``, nobody else may be able to write to the file.
    """
    try:
        with open(path, "rb", opener=lambda name, _flags: os.open(name, _READ)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                return None
            return None if private and not is_own(status) else file.read(status.st_size)
    except OSError:
        return None


def replace(path: str, data: bytes) -> bool:
    """Put ``data`` at ``path`` in one step, unsynced, as checksums tell; return if it worked."""
    if len(data) > MOST_BYTES:
        return False
    # One name for each thread: a server answers two calls at once.
    temporary = f"{path}.{os.getpid()}-{get_ident()}.tmp"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        with open(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        remove(temporary)
        return False
    return True


def prune(folder: str, keep: int) -> None:
    """Remove all but the ``keep`` newest files of ``folder``."""
    try:
        with os.scandir(folder) as found:
            files = sorted(
                (entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in found
            )
    except OSError:
        return  # another process is clearing up, or nothing can be read: next time
    for _, path in files[: max(0, len(files) - keep)]:
        remove(path)


def remove(path: str) -> None:
    """Remove a file of the store; where that is not possible it stays."""
    try:
        os.unlink(path)
    except OSError:
        return  # already removed, or not ours: nothing depends on it


def rename(old: str, new: str) -> None:
    """Rename a file or folder of the store; where that is not possible it stays."""
    try:
        os.rename(old, new)
    except OSError:
        return  # there is none, or there is a directory of that name


def path_of(store: str, name: str, key: str) -> str:
    """Return the path of the file for ``key`` in the folder ``name`` of the store."""
    return os.path.join(store, name, f"{crc32(encoded(key)):08x}")


def save(store: str, name: str, key: str, data: bytes, keep: int) -> bool:
    """Write the file for ``key``, and keep the ``keep`` newest; return whether it was written."""
    folder = below(store, name)
    if not folder or not replace(path_of(store, name, key), data):
        return False
    prune(folder, keep)
    return True


class Records:
    """Sealed files in a folder of the store, one a key: a damaged one is as if it were absent."""

    __slots__ = ("_form", "_name", "keep")

    def __init__(self, name: str, form: bytes, keep: int) -> None:
        """Use the folder ``name`` for bodies of a ``form``; the ``keep`` newest files stay."""
        self._name = name
        self._form = form
        self.keep = keep

    def put(self, store: str, key: str, body: bytes) -> bool:
        """Write ``body`` for ``key``; return whether it was written."""
        data = b"%s %08x\n%s" % (self._form, crc32(body), body)
        return save(store, self._name, key, data, self.keep)

    def get(self, store: str, key: str) -> bytes | None:
        """Return what was put; None where it is absent, damaged or of another form."""
        data = contents(path_of(store, self._name, key)) if store else None
        head, _, body = (data or b"").partition(b"\n")
        return body if head == b"%s %08x" % (self._form, crc32(body)) else None


def encoded(text: str) -> bytes:
    """Return ``text`` as bytes, with halves of surrogate pairs as they are."""
    return text.encode("utf-8", "surrogatepass")


def look(path: str) -> tuple[int, ...]:
    """Return size, times and inode of ``path``, or of a link to nowhere; empty where absent."""
    try:
        status = os.stat(path)
    except OSError:
        try:
            status = os.lstat(path)
        except OSError:
            return ()
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def settled(signature: tuple[int, ...], now_ns: int) -> bool:
    """Whether a write after ``now_ns`` (nanoseconds) would show in the times of ``signature``.

    Not within one tick of the file system's clock: a coarse one has no fractions of seconds.
    """
    if not signature:
        return True  # absence has no times: a file that appears is seen
    _, modified, changed, _ = signature
    latest = max(modified, changed)
    tick = COARSE_NS if latest % _SECOND_NS == 0 else FINE_NS
    return latest + tick <= now_ns


def mark(path: str) -> tuple[int, ...]:
    """Return length and checksum of a file that was written just now; empty where there is none."""
    data = contents(path)
    return () if data is None else (len(data), crc32(data))


def written(signature: tuple[int, ...]) -> str:
    """Return a signature as text."""
    return ",".join(map(str, signature))

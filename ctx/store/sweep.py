"""Limits of the store: the oldest caches are removed, and folders of vanished directories."""

from __future__ import annotations

import os
import time

from ctx.store.folder import is_private, remove, replace
from ctx.store.places import WHERE, belongs
from ctx.text.regex import regex
from ctx.typed import NamedTuple

MOST_CACHE = 512 * 1024 * 1024  # bytes of the caches of all directories together
KEEP = 30 * 86_400.0  # seconds for which the folder of a directory that has vanished is kept
_EVERY = 86_400.0  # seconds between two sweeps
_SECONDS = 0.1  # most seconds for one
_NAME = regex(r"(?:[0-9a-f]{32}-[0-9a-f]{16}|path-[0-9a-f]{32})\Z")
_SWEPT = "swept"
_GONE = "gone"  # a file in a folder whose directory has vanished; its time is when that was noticed


class Folder(NamedTuple):
    """The folder of one context directory in a cache or state directory."""

    path: str
    bytes: int
    used: float  # when it was used last, in seconds since the epoch, to the day


def folders(home: str) -> list[Folder]:
    """Return the folders of all context directories in ``home``, longest unused first."""
    found = []
    try:
        names = os.listdir(home) if home and is_private(home) else []
    except OSError:
        names = []
    for name in names:
        path = os.path.join(home, name)
        if _NAME.match(name) and is_private(path):
            found.append(Folder(path, size(path), _time(os.path.join(path, WHERE))))
    return sorted(found, key=lambda folder: (folder.used, folder.path))


def size(folder: str) -> int:
    """Return the bytes of all files below ``folder``, 0 where it is absent."""
    total = 0
    for top, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(top, name)).st_size
            except OSError:
                continue  # removed meanwhile
    return total


def family(folder: str) -> list[str]:
    """Return the folders of all context directories of the repository that ``folder`` is of."""
    home, name = os.path.split(folder)
    start = name.rpartition("-")[0]
    if start == "path":  # of no repository
        return [folder]
    found = (one.path for one in folders(home))
    return [path for path in found if os.path.basename(path).rpartition("-")[0] == start]


def clear(folder: str) -> int:
    """Remove ``folder`` with its content; return the bytes that were freed."""
    from shutil import rmtree  # it imports lzma, and every call looks whether to sweep

    before = size(folder)
    rmtree(folder, ignore_errors=True)
    return before - size(folder)


def sweep(home: str, now: float, most: int | None = None, used: str = "") -> None:
    """Remove folders from ``home``, at most once a day and for a tenth of a second.

    Over ``most`` bytes in all those unused for longest, but ``used``; and those of directories that
    had vanished 30 days before ``now`` (seconds since the epoch).
    """
    mark = os.path.join(home, _SWEPT)
    if not home or 0 <= now - _time(mark) < _EVERY or not replace(mark, b""):
        return
    os.utime(mark, (now, now))
    end = time.monotonic() + _SECONDS
    left = []
    for folder in folders(home):
        if time.monotonic() > end:
            return  # the next time
        if folder.path == used or not _is_over(folder.path, now):
            _remove_temporary(folder.path, now)
            left.append(folder)
        else:
            clear(folder.path)
    total = sum(folder.bytes for folder in left)
    for folder in left:
        if most is None or total <= most or time.monotonic() > end:
            return
        if folder.path != used:
            total -= clear(folder.path)


def _is_over(folder: str, now: float) -> bool:
    gone = os.path.join(folder, _GONE)
    since = _time(gone)
    if belongs(folder):
        if since:
            remove(gone)
        return False
    if not since:
        if replace(gone, b""):
            os.utime(gone, (now, now))
        return False
    return now - since > KEEP


def _remove_temporary(folder: str, now: float) -> None:
    """Remove the temporary files below ``folder`` that writers which died have left."""
    for top, _, files in os.walk(folder):
        for path in (os.path.join(top, name) for name in files if name.endswith(".tmp")):
            if now - _time(path) > _EVERY:
                remove(path)


def _time(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0

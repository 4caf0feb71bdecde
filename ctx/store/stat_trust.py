"""Whether a file's stat signature can be trusted to change with its content."""

from __future__ import annotations

import os

FINE_NS = 100_000_000
"""A tenth of a second: more than ten ticks of any clock that file systems stamp with."""
COARSE_NS = 2_000_000_000
"""Two seconds: the resolution of the coarsest file systems in use."""
_SECOND_NS = 1_000_000_000


def look(path: str) -> tuple[int, ...]:
    """Return the stat signature of ``path``: size, times of content and inode, inode number.

    Empty for an absent file. Of a link that leads nowhere it is the link's own.
    """
    try:
        status = os.stat(path)
    except OSError:
        try:
            status = os.lstat(path)
        except OSError:
            return ()
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def settled(signature: tuple[int, ...], now_ns: int) -> bool:
    """Whether a write after ``now_ns`` would show in the times of ``signature``.

    Two writes within one tick of the file system's clock leave the same times. A file
    changed a moment ago is therefore read again, until its times lie far enough back.
    Times without a fraction of a second are taken for those of a coarse file system.
    """
    if not signature:
        return True  # absence has no times: a file that appears is seen
    _, modified, changed, _ = signature
    latest = max(modified, changed)
    tick = COARSE_NS if latest % _SECOND_NS == 0 else FINE_NS
    return latest + tick <= now_ns

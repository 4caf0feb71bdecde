"""What a session was told last, and when: so that a hook does not repeat itself."""

from __future__ import annotations

import os
from zlib import crc32

from ctx.store.folder import below, contents, prune, remove, replace

FOLDER = "said"
KEEP = 256
"""Sessions remembered; the ones quiet for the longest time are forgotten first."""
_FIELDS = 4


def seconds_since(store: str, session: str, packet: bytes, now: float) -> float | None:
    """Return how long ago ``session`` was told exactly ``packet``; None if not the last time."""
    fields = (contents(_place(store, session)) or b"").rsplit(b"\0", _FIELDS - 1)
    if len(fields) != _FIELDS or fields[-1] != _mark(b"\0".join(fields[:-1])):
        return None  # nothing was told, or this is damaged: the packet is said again
    if fields[0] != session.encode("utf-8", "surrogatepass") or fields[1] != _mark(packet):
        return None
    ago = now - float(fields[2])
    return ago if ago >= 0 else None  # the clock was set back: nobody knows how long ago


def note(store: str, session: str, packet: bytes, now: float) -> None:
    """Remember that ``session`` was told ``packet`` at ``now`` (seconds since the epoch)."""
    folder = below(store, FOLDER)
    if not folder:
        return  # then the session hears it once more
    told = b"\0".join((session.encode("utf-8", "surrogatepass"), _mark(packet), b"%r" % now))
    replace(_place(store, session), told + b"\0" + _mark(told))
    prune(folder, KEEP)


def forget(store: str, session: str) -> None:
    """Forget what ``session`` was told last: its window does not hold it any more."""
    place = _place(store, session)
    told = contents(place) or b""
    if told.startswith(session.encode("utf-8", "surrogatepass") + b"\0"):
        remove(place)


def _mark(packet: bytes) -> bytes:
    return b"%d %08x" % (len(packet), crc32(packet))


def _place(store: str, session: str) -> str:
    return os.path.join(store, FOLDER, f"{crc32(session.encode('utf-8', 'surrogatepass')):08x}")

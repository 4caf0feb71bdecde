"""What a session was told last, and when: so that a hook does not repeat itself."""

from __future__ import annotations

import os
from zlib import crc32

from ctx.store.folder import prune, replace

FOLDER = "said"
KEEP = 256
"""Sessions remembered; the ones quiet for the longest time are forgotten first."""
_FIELDS = 3


def seconds_since(store: str, session: str, packet: bytes, now: float) -> float | None:
    """Return how long ago ``session`` was told exactly ``packet``; None if not the last time."""
    try:
        with open(_place(store, session), "rb") as file:
            fields = file.read().split(b"\0")
    except OSError:
        return None
    if len(fields) != _FIELDS or fields[0] != session.encode("utf-8", "surrogatepass"):
        return None
    if fields[1] != _mark(packet):
        return None
    try:
        return max(0.0, now - float(fields[2]))
    except ValueError:
        return None  # damaged: the packet is said again


def note(store: str, session: str, packet: bytes, now: float) -> None:
    """Remember that ``session`` was told ``packet`` at ``now`` (seconds since the epoch)."""
    folder = os.path.join(store, FOLDER)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return  # then the session hears it once more
    fields = (session.encode("utf-8", "surrogatepass"), _mark(packet), b"%r" % now)
    replace(_place(store, session), b"\0".join(fields))
    prune(folder, KEEP)


def _mark(packet: bytes) -> bytes:
    return b"%d %08x" % (len(packet), crc32(packet))


def _place(store: str, session: str) -> str:
    return os.path.join(store, FOLDER, f"{crc32(session.encode('utf-8', 'surrogatepass')):08x}")

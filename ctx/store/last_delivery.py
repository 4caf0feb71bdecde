"""The last packet that each session received, and when: a hook does not repeat it too soon."""

from __future__ import annotations

from zlib import crc32

from ctx.store.folder import contents, encoded, path_of, remove, save

FOLDER = "said"
KEEP = 256
"""Sessions whose last packet is stored; those without a packet for the longest time go first."""
_FIELDS = 4


def seconds_since(store: str, session: str, packet: bytes, now: float) -> float | None:
    """Return how long ago ``session`` received ``packet``; None where its last packet differs."""
    fields = _stored(store, session).rsplit(b"\0", _FIELDS - 1)
    if len(fields) != _FIELDS or fields[-1] != _mark(b"\0".join(fields[:-1])):
        return None  # nothing was sent, or this is damaged: the packet is sent again
    if fields[0] != encoded(session) or fields[1] != _mark(packet):
        return None
    ago = now - float(fields[2])
    return ago if ago >= 0 else None  # the clock was set back: nobody knows how long ago


def note(store: str, session: str, packet: bytes, now: float) -> None:
    """Record that ``session`` received ``packet`` at ``now`` (seconds since the epoch).

    Where that fails, the packet is sent once more.
    """
    body = b"\0".join((encoded(session), _mark(packet), b"%r" % now))
    save(store, FOLDER, session, body + b"\0" + _mark(body), KEEP)


def forget(store: str, session: str) -> None:
    """Forget the last packet of ``session``, which is not in its window any more."""
    if _stored(store, session).startswith(encoded(session) + b"\0"):
        remove(path_of(store, FOLDER, session))


def _stored(store: str, session: str) -> bytes:
    return (contents(path_of(store, FOLDER, session)) if store else None) or b""


def _mark(packet: bytes) -> bytes:
    return b"%d %08x" % (len(packet), crc32(packet))

"""Packets remembered whole, so that an identical call is answered without making one.

A record holds what was printed and the stat signature of everything it was made from.
While all signatures hold, the same call gives the same bytes. Plain files, one a call:
reading one costs less than importing ``sqlite3``, and this module is on the path of
every hook, so it imports next to nothing.
"""

from __future__ import annotations

import os
from zlib import crc32

from ctx.digest import blake2b
from ctx.store.folder import below, contents, prune, replace
from ctx.store.stat_trust import look, settled

TYPE_CHECKING = False  # importing typing would cost as much as this whole module may
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.model import Memory

KEEP = 64
"""Calls remembered; the ones not made for the longest time are forgotten first."""
FOLDER = "replay"
_MAGIC = b"ctx-replay-3"
_FIELDS = 6


class Record:
    """What a call printed."""

    __slots__ = ("code", "cooldown", "err", "memory", "out", "session")

    def __init__(self, out: bytes, err: bytes, code: int, session: str, cooldown: int) -> None:
        """Keep both streams, the exit code, and the session with its cooldown in seconds."""
        self.out = out
        self.err = err
        self.code = code
        self.session = session
        self.cooldown = cooldown
        self.memory: Memory | None = None
        """What the session knows once it was told this; None where that is known already."""


def recall(store: str, key: str) -> Record | None:
    """Return what the call ``key`` printed, if all that it was made from is unchanged."""
    data = contents(_place(store, key))
    fields = _unpack(data) if data else None
    if fields is None or fields[0] != _name(key):
        return None
    _, seen, session, numbers, err, out = fields
    names = seen.decode("utf-8", "surrogatepass").split("\0")
    for path, known in zip(names[::2], names[1::2], strict=True):
        now = mark(path) if known.count(",") == 1 else look(path)
        if _written(now) != known:
            return None
    code, cooldown = numbers.split()
    return Record(out, err, int(code), session.decode("utf-8", "surrogatepass"), int(cooldown))


def remember(
    store: str, key: str, record: Record, seen: Mapping[str, tuple[int, ...]], now_ns: int
) -> None:
    """Keep ``record`` for the next identical call.

    ``seen`` maps every path that the answer depends on to its signature, empty for what is
    absent, or to its ``mark``. Nothing is kept while a file's times cannot show a change yet.
    """
    if not all(len(known) == _MARKED or settled(known, now_ns) for known in seen.values()):
        return
    folder = below(store, FOLDER)
    if not folder:
        return  # a store that cannot be written costs speed only
    listed = "\0".join(text for path, known in seen.items() for text in (path, _written(known)))
    numbers = f"{record.code} {record.cooldown}".encode()
    fields = (_name(key), _encoded(listed), _encoded(record.session), numbers)
    replace(_place(store, key), _pack((*fields, record.err, record.out)))
    prune(folder, KEEP)


_MARKED = 2


def mark(path: str) -> tuple[int, ...]:
    """Return length and checksum of what a file of the store holds, empty where there is none.

    For what was written just now: its times cannot show another change yet, its content can.
    """
    data = contents(path)
    return () if data is None else (len(data), crc32(data))


def _written(signature: tuple[int, ...]) -> str:
    return ",".join(map(str, signature))


def _name(key: str) -> bytes:
    """Return what stands for a call: its key may hold what a person asked, and is not kept."""
    return blake2b(_encoded(key), digest_size=20).hexdigest().encode()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _place(store: str, key: str) -> str:
    return os.path.join(store, FOLDER, f"{crc32(_encoded(key)):08x}")


def _pack(fields: tuple[bytes, ...]) -> bytes:
    lengths = b" ".join(b"%d" % len(field) for field in fields)
    rest = lengths + b"\n" + b"".join(fields)
    return b"%s %08x\n%s" % (_MAGIC, crc32(rest), rest)


def _unpack(data: bytes) -> list[bytes] | None:
    """Return the fields; None where the record is torn, damaged or of another form."""
    head, _, rest = data.partition(b"\n")
    if head != b"%s %08x" % (_MAGIC, crc32(rest)):
        return None
    lengths, _, rest = rest.partition(b"\n")
    fields, at = [], 0
    for length in map(int, lengths.split()):
        fields.append(rest[at : at + length])
        at += length
    return fields if len(fields) == _FIELDS else None

"""The response cache: an identical call is answered without making its packet again.

A record holds the output and the stat signatures of all files it was made from: while they are the
same, so is the output. On the path of every hook: plain files, as ``sqlite3`` is slow to import.
"""

from __future__ import annotations

from ctx.digest import blake2b
from ctx.store import folder

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.model import Memory

KEEP = 64  # calls in the cache; those that were not made for the longest time are removed first
FOLDER = "responses"
_MAGIC = b"ctx-replay-3"
_FIELDS = 6
_MARKED = 2


class Record:
    """The output of a call."""

    __slots__ = ("code", "cooldown", "err", "memory", "out", "session")

    def __init__(self, out: bytes, err: bytes, code: int, session: str, cooldown: int) -> None:
        self.out = out
        self.err = err
        self.code = code
        self.session = session
        self.cooldown = cooldown
        self.memory: Memory | None = None  # what the session has then; None if recorded already


def recall(store: str, key: str) -> Record | None:
    """Return the output of the call ``key``, if all files it was made from are unchanged."""
    data = folder.contents(folder.path_of(store, FOLDER, key))
    fields = _unpack(data) if data else None
    if fields is None or fields[0] != _name(key):
        return None
    _, seen, session, numbers, err, out = fields
    names = seen.decode("utf-8", "surrogatepass").split("\0") if seen else []
    for path, known in zip(names[::2], names[1::2], strict=True):
        now = folder.mark(path) if known.count(",") == 1 else folder.look(path)
        if folder.written(now) != known:
            return None
    code, cooldown = numbers.split()
    return Record(out, err, int(code), session.decode("utf-8", "surrogatepass"), int(cooldown))


def remember(
    store: str, key: str, record: Record, seen: Mapping[str, tuple[int, ...]], now_ns: int
) -> None:
    """Store ``record``; ``seen`` has the signature, or ``mark``, of each file it depends on."""
    if not all(len(known) == _MARKED or folder.settled(known, now_ns) for known in seen.values()):
        return
    listed = "\0".join(
        text for path, known in seen.items() for text in (path, folder.written(known))
    )
    numbers = f"{record.code} {record.cooldown}".encode()
    names = (_name(key), folder.encoded(listed), folder.encoded(record.session))
    fields = (*names, numbers, record.err, record.out)
    lengths = b" ".join(b"%d" % len(field) for field in fields)
    folder.save(store, FOLDER, key, folder.sealed(_MAGIC, lengths + b"\n" + b"".join(fields)), KEEP)


def _name(key: str) -> bytes:
    """Return a digest of the key, which may hold a user's query and is not stored."""
    return blake2b(folder.encoded(key), digest_size=20).hexdigest().encode()


def _unpack(data: bytes) -> list[bytes] | None:
    """Return the fields; None where the record is torn, damaged or of another form."""
    if (body := folder.unsealed(_MAGIC, data)) is None:
        return None
    lengths, _, rest = body.partition(b"\n")
    fields, at = [], 0
    for length in map(int, lengths.split()):
        fields.append(rest[at : at + length])
        at += length
    return fields if len(fields) == _FIELDS else None

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

FOLDER = "responses"
RECORDS = folder.Records(FOLDER, b"ctx-replay-4", 64)  # of the calls that were made last
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
    body = RECORDS.get(store, key)
    if body is None or not body.startswith(_name(key)):
        return None
    lengths, _, rest = body.partition(b"\n")
    fields, at = [], 0
    for length in map(int, lengths.split()[1:]):
        fields.append(rest[at : at + length])
        at += length
    seen, session, numbers, err, out = fields
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
    names = (folder.encoded(listed), folder.encoded(record.session))
    fields = (*names, b"%d %d" % (record.code, record.cooldown), record.err, record.out)
    head = b" ".join((_name(key), *(b"%d" % len(field) for field in fields)))
    RECORDS.put(store, key, b"\n".join((head, b"".join(fields))))


def _name(key: str) -> bytes:
    """Return a digest of the key, which may hold a user's query and is not stored."""
    return blake2b(folder.encoded(key), digest_size=20).hexdigest().encode()

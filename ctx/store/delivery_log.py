"""The delivery log: what each session received, a file each; of two writers one wins."""

from __future__ import annotations

import json

from ctx.model import Delivered, Memory
from ctx.store.folder import contents, encoded, path_of, remove, save, sealed, unsealed

FOLDER = "memory"
KEEP = 256  # sessions in the log; those without a packet for the longest time are forgotten first
MOST_ITEMS = 10_000  # items of one session that are written; others are sent again
_MAGIC = b"ctx-memory-2"  # raised when the form changes: what has this and its checksum is trusted


def path(store: str, session: str) -> str:
    """Return the file of ``session``, whether it exists or not."""
    return path_of(store, FOLDER, session)


def recall(store: str, session: str) -> Memory:
    """Return what ``session`` has received; an empty memory where that is not certain."""
    data = contents(path(store, session)) if store else None
    return (_unpack(data, session) if data else None) or Memory(session)


def note(store: str, memory: Memory) -> bool:
    """Store ``memory`` for the next call; return whether that was possible.

    Of more than ``MOST_ITEMS`` the pinned, then the newest.
    """
    return save(store, FOLDER, memory.session, _pack(memory), KEEP)


def forget(store: str, session: str) -> None:
    """Forget all that ``session`` has received, which is not in its window any more."""
    if recall(store, session).items:  # not those of a session whose file has the same name
        remove(path(store, session))


def _pack(memory: Memory) -> bytes:
    kept = sorted(memory.items.values(), key=lambda item: (not item.pinned, -item.sent, item.id))
    fields = [memory.session, memory.evictions, memory.secrets, kept[:MOST_ITEMS]]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return sealed(_MAGIC, encoded(text))


def _unpack(data: bytes, session: str) -> Memory | None:
    """Return the memory; None where the file is torn, damaged, of another form or session."""
    if (body := unsealed(_MAGIC, data)) is None:
        return None
    owner, evictions, secrets, rows = json.loads(body.decode("utf-8", "surrogatepass"))
    known = {row[0]: Delivered(*row) for row in rows}
    return Memory(session, known, evictions, secrets) if owner == session else None

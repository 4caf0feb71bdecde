"""The delivery log: what each session received, a file each; of two writers one wins."""

from __future__ import annotations

import json

from ctx.model import Delivered, Memory
from ctx.store.folder import Records, encoded, path_of, remove

FOLDER = "memory"
MOST_ITEMS = 10_000  # items of one session that are written; others are sent again
RECORDS = Records(FOLDER, b"ctx-memory-2", 256)  # of the sessions with the latest packets


def path(store: str, session: str) -> str:
    """Return the file of ``session``, whether it exists or not."""
    return path_of(store, FOLDER, session)


def recall(store: str, session: str) -> Memory:
    """Return what ``session`` has received; an empty memory where that is not certain."""
    if (body := RECORDS.get(store, session)) is None:
        return Memory(session)
    owner, evictions, secrets, rows = json.loads(body.decode("utf-8", "surrogatepass"))
    known = {row[0]: Delivered(*row) for row in rows}
    return Memory(session, known, evictions, secrets) if owner == session else Memory(session)


def note(store: str, memory: Memory) -> bool:
    """Store ``memory`` for the next call; return whether that was possible.

    Of more than ``MOST_ITEMS`` the pinned, then the newest.
    """
    kept = sorted(memory.items.values(), key=lambda item: (not item.pinned, -item.sent, item.id))
    fields = [memory.session, memory.evictions, memory.secrets, kept[:MOST_ITEMS]]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return RECORDS.put(store, memory.session, encoded(text))


def forget(store: str, session: str) -> None:
    """Forget all that ``session`` has received, which is not in its window any more."""
    if recall(store, session).items:  # not those of a session whose file has the same name
        remove(path(store, session))

"""The delivery log: what each session received, a file each; of two writers one wins."""

from __future__ import annotations

import json

from ctx.model import LEVELS, Delivered, Memory
from ctx.store.folder import contents, encoded, path_of, remove, save, sealed, unsealed

FOLDER = "memory"
KEEP = 256  # sessions in the log; those without a packet for the longest time are forgotten first
MOST_ITEMS = 10_000  # items of one session that are written; others are sent again
_MAGIC = b"ctx-memory-2"
_HEX = frozenset("0123456789abcdef")
_DIGITS = 16
_MOST = 2**53  # ctx writes no whole number beyond this: floats cannot tell them apart


def path(store: str, session: str) -> str:
    """Return the file of ``session``, whether it exists or not."""
    return path_of(store, FOLDER, session)


def recall(store: str, session: str) -> Memory:
    """Return what ``session`` has received; an empty memory where that is not certain."""
    data = contents(path(store, session)) if store else None
    return (_unpack(data, session) if data else None) or Memory(session)


def note(store: str, memory: Memory) -> bool:
    """Store ``memory`` for the next call; return whether that was possible.

    Of more than ``MOST_ITEMS`` the pinned, then the newest. ValueError for figures out of range.
    """
    return save(store, FOLDER, memory.session, _pack(memory), KEEP)


def forget(store: str, session: str) -> None:
    """Forget all that ``session`` has received, which is not in its window any more."""
    if recall(store, session).items:  # not those of a session whose file has the same name
        remove(path(store, session))


def _pack(memory: Memory) -> bytes:
    if odd := [item for item in memory.items.values() if not _is_sound(item)]:
        raise ValueError(f"not what Delivered describes: {odd[0]}")
    kept = sorted(memory.items.values(), key=lambda item: (not item.pinned, -item.sent, item.id))
    fields = [memory.session, memory.evictions, memory.secrets, kept[:MOST_ITEMS]]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return sealed(_MAGIC, encoded(text))


def _unpack(data: bytes, session: str) -> Memory | None:
    """Return the memory; None where the file is torn, damaged, foreign or another session's."""
    if (body := unsealed(_MAGIC, data)) is None:
        return None
    try:
        owner, evictions, secrets, rows = json.loads(body.decode("utf-8", "surrogatepass"))
        items = [Delivered(*row) for row in rows]
    except (ValueError, TypeError, RecursionError):
        return None  # whole, but not written by ctx
    known = {item.id: item for item in items if _is_sound(item)}
    if owner != session or not _is_count(evictions, 0) or not isinstance(secrets, bool):
        return None
    if len(known) != len(items) or len(items) > MOST_ITEMS:
        return None
    return Memory(session, known, evictions, secrets)


def _is_sound(item: Delivered) -> bool:
    return (
        _is_text(item.id)
        and item.level in LEVELS
        and _is_digest(item.digest)
        and all(part == "" or _is_digest(part) for part in (item.key_digest, item.title_digest))
        and _is_count(item.size, 0)
        and _is_count(item.uses, 1)
        and _is_figure(item.benefit, 0, 1)
        and _is_figure(item.sent, -_MOST, _MOST)
        and isinstance(item.pinned, bool)
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == _DIGITS and _HEX.issuperset(value)


def _is_count(value: object, least: int) -> bool:
    # Not isinstance: a bool is an int, too.
    return type(value) is int and least <= value <= _MOST


def _is_figure(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most

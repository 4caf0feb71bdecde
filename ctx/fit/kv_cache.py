"""The order of a packet that keeps the longest prefix of the session's last one."""

from __future__ import annotations

from math import ceil, exp, log1p
from typing import TYPE_CHECKING, NamedTuple

from ctx.model import LEVELS, Known, KVPolicy, Level, Memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet


LARGE = 500
"""Tokens; a body over this is large."""
MEDIUM = (0.3, 0.6)
"""Benefit of what may be compressed, both ends included."""
LOW = 0.2
"""Benefit under which an item may go."""
STALE = 86_400.0
"""Seconds; what was last told longer ago may go. The source's 24 hours."""
_NOTHING: frozenset[str] = frozenset()


def policy(
    items: Iterable[Known],
    now: float,
    needed: AbstractSet[str] = _NOTHING,
) -> KVPolicy:
    """Return what to do with each of ``items``, in their order (``acs-planner``, KV Policy).

    The first rule that holds decides:

    - pin: said by its title (a *macro* fragment); one of ``needed``, the ids
      that a chosen fragment depends on; or pinned by an earlier call, which lasts until the
      item is said again;
    - compress: said whole (a *micro* fragment), of more than 500 tokens and a benefit in
      [.3, .6];
    - evict: a benefit under .2, and told more than 24 hours before ``now`` (seconds since the
      epoch).

    The source's *redundant atomics*, key lines of what is also held whole, cannot occur: an
    entry is held at one level, the best that it was told at.
    """
    pin: list[str] = []
    compress: list[str] = []
    evict: list[str] = []
    for item in items:
        if item.level == "title" or item.pinned or item.id in needed:
            pin.append(item.id)
        elif item.level == "full" and item.size > LARGE and MEDIUM[0] <= item.benefit <= MEDIUM[1]:
            compress.append(item.id)
        elif item.benefit < LOW and now - item.told > STALE:
            evict.append(item.id)
    return KVPolicy(tuple(pin), tuple(compress), tuple(evict))


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


MAX_ITEMS = 64
"""Items held beside the pinned ones (Memory Management Rules: max KV size)."""
DECAY_HOURS = 168.0
"""Hours in which reuse falls to 1/e: a week, as in the source's recency."""
_HOUR = 3600.0


class Update(NamedTuple):
    """What became of a memory after one packet."""

    memory: Memory
    evicted: tuple[str, ...]
    """Ids forgotten: those that are gone and those of the policy's ``evict``, each by id, then
    those over the limit, the first to go first."""
    hits: int
    """Of what was said: how much was known, at that level or better, and had not changed."""
    misses: int
    """The others; with ``hits`` as many as were said."""
    refused: tuple[str, ...]
    """Ids said but not remembered, for want of room; best first."""


def eviction_score(age_h: float, size: int, benefit: float) -> float:
    """Return ln(1 + age_h) + size/1000 − 2·benefit: the more, the sooner to go.

    Source: Cache Eviction Algorithm. ``age_h`` in hours, an age below 0 (a clock set back) is
    0; ``size`` in tokens; ``benefit`` in [0, 1].
    """
    return log1p(max(0.0, age_h)) + size / 1000 - 2 * benefit


def reuse(uses: int, age_h: float) -> float:
    """Return (uses − 1)·exp(−age_h/168), 0 or more: how often it was used again, and lately.

    Source: Memory Management Rules, which ask for a score that decays with the time since the
    last access and leave the curve open; this is that of the source's recency. ``age_h`` in
    hours, below 0 it is 0.
    """
    return max(0, uses - 1) * exp(-max(0.0, age_h) / DECAY_HOURS)


def is_known(memory: Memory, id_: str, level: Level, digest: str) -> bool:
    """Whether the session was told this entry at ``level`` or better, and it is unchanged.

    ``digest`` is of what would be said at ``level`` now. It is compared with what the session
    heard at that same level, as part of the better one where it heard more: an edit of a body
    makes the whole entry news, and its title only where the title changed.
    """
    item = memory.items.get(id_)
    return item is not None and digest != "" and item.digest_at(level) == digest


def candidates_to_evict(
    items: Iterable[Known], limit: int, now: float, promoted: AbstractSet[str] = _NOTHING
) -> list[str]:
    """Return the ids of the unpinned ``items`` over ``limit``, the first to go first.

    The lowest reuse goes first (``reuse`` rounded to a whole number, halves up), then the
    greater ``eviction_score``, then the smaller id. Ids that are ``promoted`` count as used just
    now and stay, as long as there are others to go; the limit holds whatever is promoted.
    Pinned items neither count nor go.

    Source: Memory Management Rules (lowest reuse first, promotion) and Cache Eviction
    Algorithm. Rounded, since two items are otherwise never used equally, and the score would
    not be asked; to the nearest, since rounded down, having been used again once would be
    forgotten within the second. So it counts for 168·ln 2 = 116 hours.
    """

    def order(item: Known) -> tuple[bool, int, float, str]:
        kept = item.id in promoted
        age_h = 0.0 if kept else (now - item.told) / _HOUR
        again = int(reuse(item.uses, age_h) + 0.5)
        return kept, again, -eviction_score(age_h, item.size, item.benefit), item.id

    loose = sorted((item for item in items if not item.pinned), key=order)
    return [item.id for item in loose[: max(0, len(loose) - max(0, limit))]]


def admitted(new: Iterable[Known], held: int, limit: int) -> list[Known]:
    """Return those of ``new`` that may come in beside ``held`` unpinned items, best first.

    The best by benefit, then by id, while there is room. Of the n that are left, the best
    ⌈n·limit/(limit + n)⌉: all but all of a few, half of as many as the limit, never more than
    the limit, and always the very best one (a limit of 0 admits none). With a limit of 4 that
    is 1 of 1, 2 of 2, 2 of 3, 2 of 4, 3 of 6, 3 of 12, 4 of 13.

    Source: Memory Management Rules (soft back-off), which give no formula. A packet full of
    news displaces much, but the more news, the smaller the share that displaces what is known.
    """
    best = sorted(new, key=_best)
    limit = max(0, limit)
    room = min(len(best), max(0, limit - held))
    rest = len(best) - room
    return best[: room + (ceil(rest * limit / (limit + rest)) if rest else 0)]


def update(  # noqa: PLR0913 -- what changes a memory, of which the last two are rare
    memory: Memory,
    said: Sequence[Known],
    now: float,
    limit: int = MAX_ITEMS,
    *,
    promoted: AbstractSet[str] = _NOTHING,
    gone: AbstractSet[str] = _NOTHING,
) -> Update:
    """Return ``memory`` after a packet that said ``said`` at ``now``, in whatever order.

    ``promoted`` are the ids of the best candidates: held ones count as asked for at ``now``.
    ``gone`` are ids that no file says any more: they are forgotten, pinned or not, unless they
    were said. Of what was said, ``told`` and ``uses`` are set here and ``benefit`` is clamped;
    ``pinned`` is taken as given, so that a pin lasts until the item is said without it.

    Known items that were said stay, and the better level with them where it still holds. Then
    go those that the policy evicts; new ones are ``admitted``; what is over ``limit`` goes by
    ``candidates_to_evict``, for which all that was just said is promoted. A new item that would
    go at once is refused. New pinned items always come in.
    """
    told = _once(said)
    held = {
        key: _after(item, told.get(key), now, key in promoted)
        for key, item in sorted(memory.items.items())
        if key in told or key not in gone
    }
    lost = sorted(memory.items.keys() - held.keys())
    lost += _drop(held, policy(held.values(), now).evict)

    new = {key: one for key, one in told.items() if key not in held}
    held |= _let_in(held, new, now, limit)
    over = candidates_to_evict(held.values(), limit, now, promoted | told.keys())
    lost += [key for key in _drop(held, over) if key not in new]

    hits = sum(is_known(memory, one.id, one.level, one.digest) for one in said)
    refused = [one.id for one in sorted(new.values(), key=_best) if one.id not in held]
    changed = Memory(memory.session, held, memory.evictions + len(lost), memory.secrets)
    return Update(changed, tuple(lost), hits, len(said) - hits, tuple(refused))


def _let_in(
    held: Mapping[str, Known], new: Mapping[str, Known], now: float, limit: int
) -> dict[str, Known]:
    """Return the ``new`` items that come in, as they are first remembered."""
    loose = sum(not item.pinned for item in held.values())
    welcome = [one for one in new.values() if one.pinned]
    welcome += admitted((one for one in new.values() if not one.pinned), loose, limit)
    return {one.id: one._replace(told=now, uses=1) for one in welcome}


def _after(item: Known, one: Known | None, now: float, promoted: bool) -> Known:
    """Return a held ``item`` after the packet that said it as ``one``, or did not say it."""
    if one is None:
        return item._replace(told=now) if promoted else item
    better = LEVELS.index(item.level) < LEVELS.index(one.level)
    kept = item if better and one.digest and item.digest_at(one.level) == one.digest else one
    return kept._replace(told=now, uses=item.uses + 1, benefit=one.benefit, pinned=one.pinned)


def _once(said: Iterable[Known]) -> dict[str, Known]:
    """Return what was said by id, at its best level where it was said twice."""
    first: dict[str, Known] = {}
    sound = (one._replace(benefit=min(max(0.0, one.benefit), 1.0)) for one in said)
    for one in sorted(sound, key=lambda one: (LEVELS.index(one.level), one)):
        first.setdefault(one.id, one)
    return first


def _drop(held: dict[str, Known], keys: Iterable[str]) -> list[str]:
    """Take ``keys`` out of ``held``, and return them."""
    return [held.pop(key).id for key in keys]


def _best(one: Known) -> tuple[float, str]:
    return -one.benefit, one.id

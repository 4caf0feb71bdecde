"""What a session's memory keeps of what was delivered, and what it evicts."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from math import ceil, exp, log1p

from ctx.model import LEVELS, Delivered, KVPolicy, Level, Memory
from ctx.typed import NamedTuple

MAX_ITEMS = 64  # items beside the pinned ones (Memory Management Rules: max KV size)
DECAY_HOURS = 168.0  # hours in which reuse falls to 1/e: a week, as in the source's recency
_HOUR = 3600.0
LARGE = 500  # tokens; a body over this is large
MEDIUM = (0.3, 0.6)  # benefit of what may be compressed, both ends included
LOW = 0.2  # benefit under which an item may be evicted
STALE = 86_400.0  # seconds (the source's 24 hours): what was last delivered before may be evicted
_NOTHING: frozenset[str] = frozenset()


def policy(items: Iterable[Delivered], now: float, needed: AbstractSet[str] = _NOTHING) -> KVPolicy:
    """Return what to do with each of ``items``, in their order (``acs-planner``, KV Policy).

    The first rule that holds decides:

    - pin: delivered by its title (a *macro* fragment); one of ``needed``, the ids
      that a chosen fragment depends on; or pinned by an earlier call, which lasts until the
      item is delivered again;
    - compress: delivered whole (a *micro* fragment), of more than 500 tokens and a benefit in
      [.3, .6];
    - evict: a benefit under .2, and delivered more than 24 hours before ``now`` (seconds since
      the epoch).

    The source's *redundant atomics*, key lines of what is also held whole, cannot occur: an
    entry is held at one level, the best at which it was delivered.
    """
    pin: list[str] = []
    compress: list[str] = []
    evict: list[str] = []
    for item in items:
        if item.level == "title" or item.pinned or item.id in needed:
            pin.append(item.id)
        elif item.level == "full" and item.size > LARGE and MEDIUM[0] <= item.benefit <= MEDIUM[1]:
            compress.append(item.id)
        elif item.benefit < LOW and now - item.sent > STALE:
            evict.append(item.id)
    return KVPolicy(tuple(pin), tuple(compress), tuple(evict))


class Update(NamedTuple):
    """A memory after one packet, and what changed."""

    memory: Memory
    evicted: tuple[str, ...]  # ids that are gone, of the policy's ``evict``, then over the limit
    hits: int  # how many delivered items were known, at that level or better, and unchanged
    misses: int  # the other delivered items
    refused: tuple[str, ...]  # ids delivered but not remembered, for want of room; best first


def eviction_score(age_h: float, size: int, benefit: float) -> float:
    """Return ln(1 + age_h) + size/1000 − 2·benefit: the greatest is evicted first.

    Source: Cache Eviction Algorithm. ``age_h`` in hours, 0 at least (a clock set back); ``size`` in
    tokens; ``benefit`` in [0, 1].
    """
    return log1p(max(0.0, age_h)) + size / 1000 - 2 * benefit


def reuse(uses: int, age_h: float) -> float:
    """Return (uses − 1)·exp(−age_h/168), 0 or more, with ``age_h`` in hours.

    Source: Memory Management Rules; the curve is that of recency.
    """
    return max(0, uses - 1) * exp(-max(0.0, age_h) / DECAY_HOURS)


def is_known(memory: Memory, id_: str, level: Level, digest: str) -> bool:
    """Return whether the session has the entry at ``level`` or better, with this ``digest``."""
    item = memory.items.get(id_)
    return item is not None and digest != "" and item.digest_at(level) == digest


def candidates_to_evict(
    items: Iterable[Delivered], limit: int, now: float, promoted: AbstractSet[str] = _NOTHING
) -> list[str]:
    """Return the ids of the unpinned ``items`` over ``limit``, in order of eviction.

    Lowest ``reuse`` first, rounded, then the greater ``eviction_score``, then the smaller id;
    ``promoted`` ones go last. Source: Memory Management Rules, Cache Eviction Algorithm.
    """

    def order(item: Delivered) -> tuple[bool, int, float, str]:
        kept = item.id in promoted
        age_h = 0.0 if kept else (now - item.sent) / _HOUR
        again = int(reuse(item.uses, age_h) + 0.5)
        return kept, again, -eviction_score(age_h, item.size, item.benefit), item.id

    loose = sorted((item for item in items if not item.pinned), key=order)
    return [item.id for item in loose[: max(0, len(loose) - max(0, limit))]]


def admitted(new: Iterable[Delivered], held: int, limit: int) -> list[Delivered]:
    """Return those of ``new`` that are added to ``held`` unpinned items, by benefit, then by id.

    All while there is room; of the n left the best ⌈n·limit/(limit + n)⌉, one at least unless
    ``limit`` is 0. Source: Memory Management Rules (soft back-off), without a formula: the more
    news, the smaller the share of it that displaces what is known.
    """
    best = sorted(new, key=_best)
    limit = max(0, limit)
    room = min(len(best), max(0, limit - held))
    rest = len(best) - room
    return best[: room + (ceil(rest * limit / (limit + rest)) if rest else 0)]


def update(  # noqa: PLR0913 -- what changes a memory, of which the last two are rare
    memory: Memory,
    sent: Sequence[Delivered],
    now: float,
    limit: int = MAX_ITEMS,
    *,
    promoted: AbstractSet[str] = _NOTHING,
    gone: AbstractSet[str] = _NOTHING,
) -> Update:
    """Return ``memory`` after a packet that delivered ``sent`` at ``now``, in any order.

    ``promoted`` ids count as used now, ``gone`` ones are forgotten unless delivered. A pin lasts
    until an item is delivered without it. What was delivered stays, at the better level that holds;
    then the policy evicts, new items are ``admitted``, and ``candidates_to_evict`` go. New pinned
    items are always added.
    """
    best: dict[str, Delivered] = {}  # the delivered items, at their best levels
    clamped = (item._replace(benefit=min(max(0.0, item.benefit), 1.0)) for item in sent)
    for item in sorted(clamped, key=lambda item: (LEVELS.index(item.level), item)):
        best.setdefault(item.id, item)
    items = {
        key: _after(item, best.get(key), now, key in promoted)
        for key, item in sorted(memory.items.items())
        if key in best or key not in gone
    }
    lost = sorted(memory.items.keys() - items.keys())
    lost += [items.pop(key).id for key in policy(items.values(), now).evict]

    new = {key: item for key, item in best.items() if key not in items}
    loose = sum(not item.pinned for item in items.values())
    added = [item for item in new.values() if item.pinned]
    added += admitted((item for item in new.values() if not item.pinned), loose, limit)
    items |= {item.id: item._replace(sent=now, uses=1) for item in added}
    over = candidates_to_evict(items.values(), limit, now, promoted | best.keys())
    lost += [key for key in [items.pop(key).id for key in over] if key not in new]

    hits = sum(is_known(memory, item.id, item.level, item.digest) for item in sent)
    refused = [item.id for item in sorted(new.values(), key=_best) if item.id not in items]
    changed = Memory(memory.session, items, memory.evictions + len(lost), memory.secrets)
    return Update(changed, tuple(lost), hits, len(sent) - hits, tuple(refused))


def _after(item: Delivered, sent: Delivered | None, now: float, promoted: bool) -> Delivered:
    """Return a known ``item`` after a packet that delivered it as ``sent``, or did not."""
    if sent is None:
        return item._replace(sent=now) if promoted else item
    better = LEVELS.index(item.level) < LEVELS.index(sent.level)
    same = sent.digest and item.digest_at(sent.level) == sent.digest
    after = item if better and same else sent
    return after._replace(sent=now, uses=item.uses + 1, benefit=sent.benefit, pinned=sent.pinned)


def _best(item: Delivered) -> tuple[float, str]:
    return -item.benefit, item.id

"""What an agent should keep in its window, what it may shorten, and what it may forget.

Source: ``acs-planner``, KV Policy Heuristics (Policy Framework, Memory Management Rules).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.model import KVPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from ctx.model import Known

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

"""What a query finds comes before all else that is said by its worth, whatever its section."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING

from ctx.fit.degrade import PATIENCE
from ctx.model import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.fit.ledger import Ledger, Run
    from ctx.model import Scored

FOUND_SHARE = 0.9
"""Share of what is left for what is found; the rest names more by title, or counts it."""
BEST = 8
"""Found entries, by what they are worth, that are said at least by title before any others."""


def say_found(ledger: Ledger, runs: Sequence[Run], found: Sequence[Scored]) -> None:
    """Say what was ``found`` whole, best first; the very best by key lines or title, if need be.

    Best first means worth most for its length; the very best are so by themselves: a long entry
    that answers the question must not go unsaid for many short ones that hardly do.
    """
    places = {one.entry.id: (run, place) for run in runs for place, one in enumerate(run.ranked)}
    offered = [one for one in found if one.entry.id in places]  # not said already, in the tail
    best = nlargest(BEST, offered, key=lambda one: one.score)
    chosen = {one.entry.id for one in best}
    limit = ledger.spent + int(FOUND_SHARE * ledger.left)
    missed = 0
    for one in offered:
        run, place = places[one.entry.id]
        if ledger.forbids(run, place):
            continue
        levels = LEVELS if one.entry.id in chosen else LEVELS[:1]
        if any(ledger.say(run, place, level, limit - ledger.spent) for level in levels):
            missed = 0
        elif (missed := missed + 1) >= PATIENCE:
            break
    for one in best:
        run, place = places[one.entry.id]
        if place not in run.levels:
            any(ledger.say(run, place, level, ledger.left) for level in LEVELS)

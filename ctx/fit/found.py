"""What a query finds comes before all else that is said by its worth, whatever its section."""

from __future__ import annotations

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
"""Found entries that are said at least by title, before any that are worse."""


def say_found(ledger: Ledger, runs: Sequence[Run], found: Sequence[Scored]) -> None:
    """Say what was ``found`` whole, best first; the very best by key lines or title, if need be."""
    limit = ledger.spent + int(FOUND_SHARE * ledger.left)
    places = {one.entry.id: (run, place) for run in runs for place, one in enumerate(run.ranked)}
    missed = 0
    for rank, one in enumerate(found):
        if one.entry.id not in places:
            continue  # said already, as one of the last turns of its session
        run, place = places[one.entry.id]
        levels = LEVELS if rank < BEST else LEVELS[:1]
        if any(ledger.say(run, place, level, limit - ledger.spent) for level in levels):
            missed = 0
        elif (missed := missed + 1) >= PATIENCE:
            return

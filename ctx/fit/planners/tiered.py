"""The tiered planner: what a query finds first, then decisions and learnings by their shares.

Source: ``smart-retrieval``, sections Section Priority Tiers and Graceful Degradation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.fit.degrade import fill, say_all, say_found
from ctx.fit.offer import variant_limit
from ctx.fit.planner import Chosen

if TYPE_CHECKING:
    from ctx.fit.ledger import Ledger, Run
    from ctx.fit.offer import Offer
    from ctx.fit.planner import Room
    from ctx.model import Request

LEAST_SHARE = 0.30
"""Of what remains, for decisions and for learnings each, where both exist."""


def choose(room: Room, choice: Offer, request: Request) -> Chosen:  # noqa: ARG001 - see Planner
    """Say whole entries, best first, then titles; never past the budget."""
    ledger = room.ledger
    say_found(ledger, room.runs, choice.found)
    _variant(ledger, room.decisions, room.learnings)
    for run in (room.lore, room.turns):
        fill(ledger, run, ledger.left + run.reserved)
    return Chosen()


def _variant(ledger: Ledger, decisions: Run, learnings: Run) -> None:
    """Split what remains in proportion to content, at least 30 % each where both exist."""
    reserved = decisions.reserved + learnings.reserved
    room = variant_limit(ledger.budget, ledger.spent - reserved)
    if say_all(ledger, [decisions, learnings], room):
        decisions.budget, learnings.budget = decisions.used, room - decisions.used
        return
    share = _proportion(decisions.total.tokens, learnings.total.tokens)
    fill(ledger, decisions, int(room * share))
    fill(ledger, learnings, ledger.left + learnings.reserved)


def _proportion(one: int, other: int) -> float:
    if not one or not other:
        return 1.0 if one else 0.0
    return min(1 - LEAST_SHARE, max(LEAST_SHARE, one / (one + other)))

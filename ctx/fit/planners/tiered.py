"""The tiered planner: what a query finds first, then decisions and learnings by their shares.

Source: ``smart-retrieval``, sections Section Priority Tiers and Graceful Degradation.
"""

from ctx.fit.degrade import fill, include_all, include_found
from ctx.fit.ledger import Ledger, Run
from ctx.fit.offer import Offer, variant_limit
from ctx.fit.planner import Chosen, Room
from ctx.model import Request

LEAST_SHARE = 0.30
"""Share of what remains for decisions and for learnings each, where both exist."""


def choose(room: Room, choice: Offer, request: Request) -> Chosen:  # noqa: ARG001 - see Planner
    """Include whole entries, best first, then titles; never over the budget."""
    ledger = room.ledger
    include_found(ledger, room.runs, choice.found)
    _variant(ledger, room.decisions, room.learnings)
    for run in (room.lore, room.turns):
        fill(ledger, run, ledger.left + run.reserved)
    return Chosen()


def _variant(ledger: Ledger, decisions: Run, learnings: Run) -> None:
    """Split what remains in proportion to content, at least 30 % each where both exist."""
    reserved = decisions.reserved + learnings.reserved
    room = variant_limit(ledger.budget, ledger.spent - reserved)
    if include_all(ledger, [decisions, learnings], room):
        decisions.budget, learnings.budget = decisions.used, room - decisions.used
        return
    share = _proportion(decisions.total.tokens, learnings.total.tokens)
    fill(ledger, decisions, int(room * share))
    fill(ledger, learnings, ledger.left + learnings.reserved)


def _proportion(tokens: int, others: int) -> float:
    if not tokens or not others:
        return 1.0 if tokens else 0.0
    return min(1 - LEAST_SHARE, max(LEAST_SHARE, tokens / (tokens + others)))

"""The tiered planner: a query's results, then decisions and learnings (``smart-retrieval``)."""

from heapq import nlargest

from ctx.fit.degrade import Chain, Entries, Shares, entries
from ctx.fit.offer import Offer
from ctx.fit.planner import Chosen, Room
from ctx.model import Request

LEAST_SHARE = 0.30  # share of what remains for decisions and for learnings each, where both exist
BEST = 8  # of the best found the titles precede details: short entries must not displace them


def choose(room: Room, choice: Offer, request: Request) -> Chosen:  # noqa: ARG001 - see Planner
    """Return the order of tasks, of what the query finds, of conventions and of all else."""
    ledger = room.ledger
    places = {
        scored.entry.id: (run, place)
        for run in (room.conventions, *room.runs)
        for place, scored in enumerate(run.ranked)
    }
    offered = [scored for scored in choice.found if scored.entry.id in places]  # not in the tail
    best = nlargest(BEST, offered, key=lambda scored: scored.score)
    found = Entries(ledger, *([places[each.entry.id] for each in run] for run in (offered, best)))
    decisions, learnings = room.decisions, room.learnings
    share = _proportion(decisions.total.tokens, learnings.total.tokens)
    both = Shares((entries(ledger, decisions), share), (entries(ledger, learnings), 1 - share))
    others = Chain(found, both, entries(ledger, room.lore), entries(ledger, room.turns))
    left = max(0, ledger.left - room.tasks.budget - room.conventions.budget)
    decisions.budget = int(share * left)
    learnings.budget = left - decisions.budget
    return Chosen(order=room.order(others, found))


def _proportion(tokens: int, others: int) -> float:
    if not tokens or not others:
        return 1.0 if tokens else 0.0
    return min(1 - LEAST_SHARE, max(LEAST_SHARE, tokens / (tokens + others)))

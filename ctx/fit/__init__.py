"""What fits the budget: planners, levels of detail, the guard of the budget, the delivery log."""

from collections.abc import Callable, Iterable

from ctx.fit.account import Asked, account
from ctx.fit.ledger import either
from ctx.fit.offer import Delivery, Offer, Total, Weighed, apart
from ctx.fit.planner import PLANNERS, plan
from ctx.model import Scored

__all__ = [
    "PLANNERS", "Asked", "Delivery", "Offer", "Total", "Weighed", "account", "apart", "either",
    "greedy", "plan",
]  # fmt: skip

PATIENCE = 100  # entries in a row that do not fit, after which the rest is taken not to, either


def greedy(ranked: Iterable[Scored], cost: Callable[[Scored], int], budget: int) -> list[Scored]:
    """Return those of ``ranked``, best first, whose costs stay within ``budget`` together."""
    chosen: list[Scored] = []
    passed = 0
    for scored in ranked:
        if passed >= PATIENCE or budget <= 0:
            break
        tokens = cost(scored)
        if tokens > budget:
            passed += 1
            continue
        budget -= tokens
        chosen.append(scored)
        passed = 0
    return chosen

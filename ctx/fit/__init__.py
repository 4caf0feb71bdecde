"""What fits: the planners, the ladder of detail, and the law of the budget.

What a session remembers is in ``session``, which only packets of sessions import.
"""

from ctx.fit.account import Asked, account
from ctx.fit.figures import apart
from ctx.fit.greedy import greedy
from ctx.fit.ledger import either
from ctx.fit.offer import Offer, Told, Total, Weighed
from ctx.fit.planner import PLANNERS, plan

__all__ = [
    "PLANNERS",
    "Asked",
    "Offer",
    "Told",
    "Total",
    "Weighed",
    "account",
    "apart",
    "either",
    "greedy",
    "plan",
]

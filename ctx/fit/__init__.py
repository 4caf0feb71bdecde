"""What fits: the tiered plan, the ladder of detail, and the law of the budget."""

from ctx.fit.account import account
from ctx.fit.greedy import greedy
from ctx.fit.offer import Offer, Total
from ctx.fit.tiers import plan

__all__ = ["Offer", "Total", "account", "greedy", "plan"]

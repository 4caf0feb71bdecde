"""The assembly law: what each tier may cost, one function a term.

Source: ``retrieval-math`` section 7.8, with its symbols: the budget τ, the shares α₁ (hard),
α₂ (soft) and β (tail) in [0, 1] with α₁ + α₂ + β <= 1. All figures are whole tokens. Every
planner asks here.
"""

from __future__ import annotations


def hard_limit(budget: int, share: float) -> int:
    """Return α₁·τ: over it the hard tier, which is said whole all the same, is degraded."""
    return int(share * budget)


def soft_limit(budget: int, share: float, spent: int) -> int:
    """Return max(0, min(α₂·τ, τ - hard - base)), what the soft prefix may cost.

    ``spent`` is what is said before it: the hard tier, the base tail, and open tasks.
    """
    return max(0, min(int(share * budget), budget - spent))


def tail_limit(budget: int, share: float, base: int, spent: int) -> int:
    """Return min(max(β·τ, base), τ - hard - soft), what the tail may cost with its base.

    ``spent`` is what is said beside the tail so far. Not below 0.
    """
    return max(0, min(max(int(share * budget), base), budget - spent))


def variant_limit(budget: int, spent: int) -> int:
    """Return τ - hard - soft - tail, what is left for retrieval; not below 0."""
    return max(0, budget - spent)


LEAST_VARIANT = 0.20
"""Of the budget, kept for decisions, learnings, lore and older turns, as far as there are any."""


def tasks_limit(budget: int, share: float, spent: int, soft: int, variant: int) -> int:
    """Return what open tasks may cost: their share of the budget at most; not below 0.

    ``spent`` is what must be said, ``soft`` what conventions may and
    ``variant`` what retrieval would cost.
    Where the hard tier is large, tasks leave the soft tier its share, and retrieval a fifth
    of the budget: a packet of rules and tasks alone would hide every decision.
    """
    kept = soft + min(variant, int(LEAST_VARIANT * budget))
    return max(0, min(int(share * budget), budget - spent - kept))

"""What a planner may include, and the share of the budget that each section has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.model import (
    NO_PLAN,
    NOTHING_PLANNED,
    Entry,
    Memory,
    Plan,
    Planned,
    Scored,
    SectionName,
    Selection,
    Thread,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


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


class Total(NamedTuple):
    """What a section holds, superseded entries apart; the ranker may return fewer."""

    entries: int
    tokens: int
    """A guess at the tokens of all bodies, to divide the budget by."""


class Offer(NamedTuple):
    """What the planners choose from, each section in its order."""

    ranked: Mapping[SectionName, list[Scored]]
    totals: Mapping[SectionName, Total]
    places: Mapping[SectionName, str]
    """The files of each section, as the reader finds them."""
    read_order: Sequence[str]
    usual: int
    """How many names of the read order are always shown."""
    warnings: Sequence[str]
    found: Sequence[Scored] = ()
    """What a query finds, of all sections, best first: it is said before what follows by age."""
    thread: Thread | None = None
    """The session that the packet is for."""
    planned: Planned = NOTHING_PLANNED
    """What the benefit/cost planner weighs; nothing for other planners."""


def anything(entry: Entry) -> bool:  # noqa: ARG001 - whatever it is
    """Return True: an entry may be said."""
    return True


class Weighed(NamedTuple):
    """What a plan was made from."""

    planned: Planned
    candidates: int
    """Fragments that could have been chosen."""
    seconds: float
    """What choosing took."""
    sayable: Callable[[Entry], bool] = anything
    """Whether an entry may be said where the agent's window is filling up."""


class Told(NamedTuple):
    """A packet as who asked hears it."""

    selection: Selection
    """What is said: all of it, or only the news."""
    plan: Plan = NO_PLAN
    """With what the session's memory has to do with it."""
    memory: Memory | None = None
    """What the session knows afterwards; None without a session."""

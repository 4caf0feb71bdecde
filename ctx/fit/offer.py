"""Everything that may be said, before anything is chosen."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

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

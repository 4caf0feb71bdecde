"""Everything that may be said, before anything is chosen."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctx.model import Scored, SectionName, Thread


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

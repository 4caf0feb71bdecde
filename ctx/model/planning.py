"""What the benefit/cost planner weighs: the gaze, fragments, and the figures of a plan."""

# No `from __future__ import annotations` here: see ``nouns``.

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ctx.model.nouns import Level, Scored


class Fragment(NamedTuple):
    """An entry at one level of detail, and what saying it at that level is worth."""

    level: Level
    """``title`` is a macro, ``full`` a micro and ``key`` an atomic fragment."""
    benefit: float
    """In [0, 1]."""
    covers: int
    """The terms of the gaze that it covers: bit n stands for the n-th."""
    moment: int
    """When it was said, as a number of 14 digits (``YYYYMMDDHHMMSS``); greater is newer."""
    citations: int
    """How many things it cites."""
    unresolved: int
    """How many of its links lead nowhere."""


class Prospect(Protocol):
    """An entry that the planner may choose: what it is worth at most, and exactly if asked."""

    @property
    def scored(self) -> Scored:
        """The entry; its score is ``bound``."""
        ...

    @property
    def bound(self) -> float:
        """What no fragment's benefit is above, in [0, 1]: known without reading the entry."""
        ...

    def fragments(self) -> Sequence[Fragment]:
        """Return the entry at each of its levels; reads it."""
        ...

    def needs(self) -> Sequence[str]:
        """Return the ids of the entries that it links to; reads it."""
        ...


class LodMix(NamedTuple):
    """The shares of tokens that the levels of detail should have, each in [0, 1]."""

    macro: float = 0.2
    micro: float = 0.6
    atomic: float = 0.2


class Planned(NamedTuple):
    """What a planner was asked to weigh."""

    prospects: Sequence[Prospect] = ()
    terms: Sequence[str] = ()
    """The gaze: what the agent is looking at."""
    candidates: int = 0
    """Fragments that could be chosen, those of entries that are no prospects included."""


NOTHING_PLANNED = Planned()


class Metrics(NamedTuple):
    """The figures of one plan: no text of any entry among them."""

    request_id: str
    """The same for the same request on the same files."""
    planner: str
    planner_ms: float
    """Milliseconds from the entries read to the selection made."""
    candidate_count: int
    """Fragments that could have been chosen."""
    tokens_selected: int
    """Tokens of what was chosen for what it is worth now, as rendered."""
    coverage_entities: float
    """Share of the gaze that the chosen cover, in [0, 1]; 0 without a gaze."""
    diversity_score: float
    """Distinct sources by entries chosen, in [0, 1]; 0 where none is."""
    mean_benefit: float
    """In [0, 1]; 0 where nothing is chosen. For ``tiered`` the mean score of its ranker."""
    top3: tuple[tuple[str, float], ...]
    """Ids and scores of the first three chosen."""
    hits: int = 0
    """Entries said that the session knew."""
    misses: int = 0
    evictions: int = 0


NO_METRICS = Metrics("", "", 0.0, 0, 0, 0.0, 0.0, 0.0, ())
"""Of a plan that nobody made."""

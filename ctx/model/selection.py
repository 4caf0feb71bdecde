"""What a packet includes: sections, levels of detail, plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from ctx.model.entries import Level, Scored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model.delivery import Gone, KVPolicy
    from ctx.model.entries import Entry, Level, Outcome, Scored, SectionName


# No `from __future__ import annotations` here: see ``nouns``.


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


# No `from __future__ import annotations` here: see ``nouns``.


class Said(NamedTuple):
    """An entry that made it into the packet, at a level of detail."""

    scored: Scored
    level: Level

    @property
    def entry(self) -> Entry:
        """The entry itself."""
        return self.scored.entry


class Section(NamedTuple):
    """A named run of entries with a budget."""

    name: SectionName
    budget: int
    """Tokens that the plan gave, before unused budget flowed on."""
    used: int
    """Tokens that its entries cost as rendered."""
    said: tuple[Said, ...]
    """Entries at ``full`` or ``key`` level (tasks: also ``title``), in reading order."""
    noted: tuple[Said, ...]
    """Entries said by title, best first."""
    unsaid: int
    """Entries out of the packet for want of room, as its last line counts them; 0 where
    there was no room even for that line."""
    places: str
    """Where the unsaid ones can be read: ``DECISIONS.md``, ``decisions/``."""


class Verdict(NamedTuple):
    """What became of one entry, and why."""

    scored: Scored
    outcome: Outcome
    tokens: int
    """Tokens it costs in the packet at that level; when out, what its title would cost."""
    reason: str


class Selection(NamedTuple):
    """What fits: the input of ``render``."""

    sections: tuple[Section, ...]
    read_order: tuple[str, ...]
    read_more: int
    """Files left out of a shortened read order."""
    degraded: str
    """Why the hard tier passes its limits, with the figures; empty when it does not."""
    warnings: tuple[str, ...]
    """What the packet itself says of files that could not be read as meant (JSON only)."""
    overshoot: str = ""
    """Why the packet passes its budget, as the request allows; empty where it does not."""
    note: str = ""
    """What its planner has to say to the person who asked; no part of the packet."""
    news: bool = False
    """Whether only what is new to the session is said."""
    gone: tuple[Gone, ...] = ()
    """What the session was told and is not so any more."""
    unnamed: int = 0
    """How much more of that there is, for which there was no room."""
    forget: tuple[str, ...] = ()
    """Ids of entries that the session was told and may forget, though they hold (JSON only)."""
    policy: KVPolicy | None = None
    """What the session should do with what it was told (JSON only)."""
    unpinned: int = 0
    """How many ids to pin there was no room to name in it."""
    metrics: Metrics | None = None
    """The figures of the plan (JSON only)."""

    @property
    def is_silent(self) -> bool:
        """Whether there is no news to say, where only news is said."""
        return self.news and not (self.sections or self.read_order or self.gone)

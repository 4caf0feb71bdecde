"""What was chosen to be said, and why."""

# No `from __future__ import annotations` here: see ``nouns``.

from typing import NamedTuple

from ctx.model.memory import Gone, KVPolicy
from ctx.model.nouns import Entry, Level, Outcome, Scored, SectionName
from ctx.model.planning import Metrics


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

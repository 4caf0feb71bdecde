"""The nouns of ctx: what is read, what it is worth, what was chosen, and what was said.

Every room speaks in these records and in nothing else, so that data can walk through
the rooms in one direction. All records are tuples: immutable, slotted, and cheap to
make by the ten thousand (importing ``dataclasses`` alone costs more than a bare
interpreter start).
"""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is
# text, and would take six times as long to define these records.

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple, Protocol

Kind = Literal["rule", "task", "convention", "decision", "learning", "lore", "turn", "summary"]
"""What an entry is. Lore is what an authored document tells without instructing; a summary
stands for turns."""

Tier = Literal["hard", "soft", "variant"]
"""Hard is always said whole, soft by authored order, variant by score."""

Modality = Literal["obligatory", "forbidden", "permitted"]
"""How an instruction binds."""

Level = Literal["full", "key", "title"]
"""How much of an entry is said, most first."""

Outcome = Literal["full", "key", "title", "out"]
"""What became of an entry: the level it was said at, or ``out``."""

Format = Literal["md", "json"]
"""How a packet is written."""

SectionName = Literal[
    "rules", "tasks", "tail", "conventions", "elevated", "decisions", "learnings", "lore", "turns"
]
"""The named runs of a packet, in reading order. ``tail`` are the last turns of the session
that the packet is for, ``turns`` the older ones of all sessions, or summaries of them;
``elevated`` are turns in which a user gave a rule."""

BY_WORTH: tuple[SectionName, ...] = ("decisions", "learnings", "lore", "turns")
"""Sections of which is said what is worth most now; their titles stand in lists of their own."""
LEVELS: tuple[Level, ...] = ("full", "key", "title")
SECTIONS: tuple[SectionName, ...] = (
    "rules",
    "tasks",
    "tail",
    "conventions",
    "elevated",
    "decisions",
    "learnings",
    "lore",
    "turns",
)


class Front(NamedTuple):
    """YAML frontmatter of one file; applies to every entry of that file."""

    status: str = ""
    """``superseded`` puts every entry of the file out of date; other values are kept."""
    trust: float | None = None
    """How far to believe the file, in [0, 1]; None where the author did not say."""
    scope: str = "project"
    """``session``, ``project`` or ``global``."""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    """Ids or titles named by ``related`` and ``hop_targets``."""
    extra: Mapping[str, object] = {}
    """Keys that ctx does not know, as the author wrote them."""


NO_FRONT = Front()


class Content(Protocol):
    """Where entries keep what is too large to load for every one of them."""

    def body(self, place: int) -> str:
        """Return the Markdown body of the entry at ``place``."""
        ...

    def terms(self, place: int) -> Sequence[int]:
        """Return the distinct hashed terms (``words.term_ids``) of the entry at ``place``."""
        ...


class Entry(NamedTuple):
    """One thing that can be said."""

    id: str
    """``<file>#<timestamp or slug>``; stable while other entries are edited."""
    kind: Kind
    tier: Tier
    title: str
    """One line, without markers or labels."""
    source: str
    """File, relative to the context directory, with forward slashes."""
    line: int
    """First line in the source, counted from 1."""
    end_line: int
    """Last line in the source, inclusive."""
    timestamp: str
    """``YYYY-MM-DD`` or ``YYYY-MM-DD-HHMMSS`` as written; empty where undated."""
    status: str
    """``''``, ``in-progress``, ``blocked``, ``done``, ``skipped`` or ``superseded``."""
    priority: int
    """Tasks: 3 high, 2 medium, 1 low, 0 not said."""
    group: str
    """The heading that the entry stands under (a task's phase)."""
    lead: str
    """The paragraph that introduces the entry's list, such as ``Do not:``; it may turn
    the meaning of the items around, so it is said with them."""
    supersedes: str
    """What the entry says it supersedes, a line each: titles, ids or timestamps."""
    size: int
    """Tokens of the body, by its length alone: a guess to plan with before anything is counted."""
    title_size: int
    """Tokens of the title in a list, by the heuristic counter: an estimate to plan with."""
    front: Front
    content: Content
    place: int
    """Where ``content`` keeps this entry's body and terms."""
    modality: Modality | Literal[""] = ""
    """How an authored rule binds; empty for what does not instruct."""
    speaker: str = ""
    """Who said a turn: a name, else ``user``, ``assistant`` or ``tool``; empty otherwise."""
    bundle: str = ""
    """Turns of a session that share this name belong together; empty where one stands alone."""
    confidence: float | None = None
    """How well a summary stands for its turns, in [0, 1]; None for what is no summary."""
    covers: int = 1
    """Turns that a summary stands for; 1 for everything else, which stands for itself."""
    ancestors: tuple[str, ...] = ()
    """Ids of the summaries that stand for this turn or summary, the nearest first. A packet
    never says both an entry and one of these."""

    @property
    def body(self) -> str:
        """The Markdown of the entry, comments left out, headings nested below its title."""
        return self.content.body(self.place)

    @property
    def terms(self) -> Sequence[int]:
        """Distinct hashed terms of title and body."""
        return self.content.terms(self.place)

    @property
    def section(self) -> SectionName:
        """The section of the packet that says this kind of entry."""
        return section_of(self.kind, self.tier)


_SECTION_OF: dict[Kind, SectionName] = {
    "task": "tasks",
    "convention": "conventions",
    "decision": "decisions",
    "learning": "learnings",
    "lore": "lore",
    "turn": "turns",
    "summary": "turns",
}


def section_of(kind: Kind, tier: Tier) -> SectionName:
    """Return the section that says entries of ``kind`` and ``tier``.

    The last turns of a session stand in ``tail``, which no entry knows by itself.
    """
    if kind == "rule":
        return "rules" if tier == "hard" else "conventions"
    if kind == "turn" and tier == "soft":
        return "elevated"
    return _SECTION_OF[kind]


class Part(Protocol):
    """The entries of one file as a ranker sees them: by place, each made when asked for.

    Ranking 50,000 entries looks at dates and postings; only those worth saying become
    ``Entry`` records.
    """

    def __len__(self) -> int:
        """Return the number of entries."""
        ...

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``, counted from 0 in file order."""
        ...

    @property
    def kind(self) -> Kind:
        """What all entries of the file are."""
        ...

    @property
    def name(self) -> str:
        """What the entries are kept by, unique in a context.

        Not the same as ``source`` for a piece of a session or for some of a file's entries.
        """
        ...

    @property
    def source(self) -> str:
        """The file, as ``Entry.source`` names it."""
        ...

    @property
    def digest(self) -> bytes:
        """Stands for the bytes that the entries were read from."""
        ...

    @property
    def timestamps(self) -> Sequence[str]:
        """``Entry.timestamp`` by place."""
        ...

    @property
    def sizes(self) -> Sequence[int]:
        """``Entry.size`` by place."""
        ...

    @property
    def speakers(self) -> Sequence[str]:
        """``Entry.speaker`` by place; empty where nobody speaks."""
        ...

    @property
    def confidences(self) -> Sequence[float]:
        """``Entry.confidence`` by place; empty for what is no summary."""
        ...

    @property
    def front(self) -> Front:
        """``Entry.front`` of all entries."""
        ...

    @property
    def gone(self) -> AbstractSet[int]:
        """Places of superseded entries."""
        ...

    def holding(self, terms: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each of the hashed ``terms`` that is held, and the places of its entries."""
        ...


class Source(NamedTuple):
    """One file of the context directory, as read."""

    path: str
    """Relative to the context directory, with forward slashes."""
    size: int
    """Bytes."""
    parts: tuple[Part, ...]
    """Its entries by kind; a long session in pieces."""
    warnings: tuple[str, ...]
    """One line each, with file and line, about what could not be read as meant."""

    @property
    def entries(self) -> list[Entry]:
        """All entries of the file, in file order of each kind."""
        return [part.entry(place) for part in self.parts for place in range(len(part))]


class Thread(Protocol):
    """The turns of one session, oldest first, each made when asked for."""

    def __len__(self) -> int:
        """Return the number of turns."""
        ...

    def turn(self, index: int) -> Entry:
        """Return the turn at ``index``, counted from 0."""
        ...

    def bundles(self) -> Iterable[tuple[int, str]]:
        """Yield the index and the bundle of every turn that has one, oldest first."""
        ...


class Context(NamedTuple):
    """Everything that a directory says, in authored order."""

    root: str
    sources: tuple[Source, ...]
    read_order: tuple[str, ...]
    """Files that an agent should read, first things first."""
    warnings: tuple[str, ...]
    seen: Mapping[str, tuple[int, ...]]
    """Every path looked at, relative to the root, and the stat signature it had then;
    empty for what was not there."""
    thread: Thread | None = None
    """The session that the packet is for; None without one."""

    @property
    def entries(self) -> list[Entry]:
        """All entries, in read order of their files and in file order within each."""
        return [entry for source in self.sources for entry in source.entries]


class Scored(NamedTuple):
    """An entry and what it is worth now."""

    entry: Entry
    score: float
    """Range documented by the ranker; more is better."""
    parts: tuple[tuple[str, float], ...]
    """The named addends and tie-breaks of the score, for ``explain``."""

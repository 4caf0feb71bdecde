"""Entries, the files and directories that they are read from, and their scores.

All packages exchange the records of ``ctx.model``. They are tuples: immutable, slotted, and made
fast by the ten thousand (importing ``dataclasses`` costs more than a bare interpreter start).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from ctx.typed import Literal, NamedTuple, Protocol, get_args

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]  # any value in JSON

JsonObject = dict[str, Json]

Kind = Literal["rule", "task", "convention", "decision", "learning", "lore", "turn", "summary"]
"""What an entry is. ``lore``: background, which does not instruct; a summary replaces turns."""

Tier = Literal["hard", "soft", "variant"]  # required rules, guidelines, background by score

Modality = Literal["obligatory", "forbidden", "permitted"]  # how an instruction binds

Level = Literal["full", "key", "title"]  # how much of an entry is included, most first

Outcome = Literal["full", "key", "title", "out"]  # an included entry's level, or ``out``

Format = Literal["md", "json"]  # how a packet is written

SectionName = Literal[
    "rules", "tasks", "tail", "conventions", "elevated", "decisions", "learnings", "lore", "turns"
]
"""In reading order. ``tail``: the last turns of the packet's session; ``turns``: older ones of all
sessions, or summaries of them; ``elevated``: turns in which a user gave a rule."""

BY_WORTH: tuple[SectionName, ...] = ("decisions", "learnings", "lore", "turns")  # chosen by score
LEVELS: tuple[Level, ...] = get_args(Level)
SECTIONS: tuple[SectionName, ...] = get_args(SectionName)


STATUSES = (  # that can be asked for; open: neither closed nor superseded, todo: not begun
    "open", "todo", "in-progress", "blocked", "done", "skipped", "superseded", "archived", "all"
)  # fmt: skip
ARCHIVED = "archive/"  # what the source of an archived entry begins with


Mode = Literal["always", "match", "described", "manual"]  # when a file's rules apply
_SECTION_OF: dict[Kind, SectionName] = {
    "task": "tasks", "convention": "conventions", "decision": "decisions", "learning": "learnings",
    "lore": "lore", "turn": "turns", "summary": "turns",
}  # fmt: skip


class Scope(NamedTuple):
    """To which files the rules of one file apply."""

    dialect: str  # the tool whose form the patterns have; ``folder`` for all files below ``base``
    mode: Mode = "always"
    patterns: tuple[str, ...] = ()  # as written, a glob each; empty but for the mode ``match``
    base: str = ""  # folder of the patterns, from the project, with ``/``; empty for its root
    description: str = ""  # what the file is for, in its author's words; empty where none are given
    ignores: bool = False  # whether patterns mean what a ``.gitignore`` means, without case

    @property
    def is_for_all(self) -> bool:
        """Whether it limits nothing below ``base``."""
        every = {"**", "**/*"} if not self.ignores else ()
        return self.mode == "always" or not set(self.patterns).isdisjoint(every)


class Frontmatter(NamedTuple):
    """The YAML frontmatter of one file, which applies to every entry of that file."""

    status: str = ""  # ``superseded`` marks all entries of the file; other values change nothing
    trust: float | None = None  # how far to trust the file, in [0, 1]; None if not given
    scope: str = "project"  # ``session``, ``project`` or ``global``
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    related: tuple[str, ...] = ()  # ids or titles named by ``related`` and ``hop_targets``
    extra: Mapping[str, Json] = {}  # keys that ctx does not know, as the author wrote them
    applies: Scope | None = None  # to which files the entries apply; None for all of the project
    shown: str = ""  # path from the working directory, if in the project; empty in its root

    @property
    def inclusion(self) -> str:
        """``inclusion`` of a steering file, in lower case; empty without it."""
        return str(self.extra.get("inclusion") or "").strip().lower()


NO_FRONTMATTER = Frontmatter()


class Content(Protocol):
    """Bodies and terms of entries, which are too large to load for every one of them."""

    def body(self, place: int) -> str:
        """Return the Markdown body of the entry at ``place``."""

    def terms(self, place: int) -> Sequence[int]:
        """Return the distinct hashed terms (``words.term_ids``) of the entry at ``place``."""


WEAK = 1  # priority of an instruction that no packet quotes as one


class Entry(NamedTuple):
    """A rule, a task, a decision or another unit that a packet can include."""

    id: str  # ``<file>#<timestamp or slug>``; stable while other entries are edited
    kind: Kind
    tier: Tier
    title: str  # one line, without markers or labels
    source: str  # file, relative to the context directory, with forward slashes
    line: int  # first line in the source, counted from 1
    end_line: int  # last line in the source, inclusive
    timestamp: str  # ``YYYY-MM-DD`` or ``YYYY-MM-DD-HHMMSS`` as written; empty where undated
    status: str
    """``''``, ``in-progress``, ``blocked`` (by its label, or by an open task that it needs),
    ``done``, ``skipped`` or ``superseded``; of a turn that holds an instruction which was replaced
    since ``partly superseded``."""
    priority: int  # tasks: 3 high, 2 medium, 1 low, 0 none; of an instruction ``WEAK`` to 3
    group: str  # the heading above the entry (a task's phase)
    lead: str  # the paragraph above its list, such as ``Do not:``: it may reverse the meaning
    supersedes: str  # titles, ids or timestamps of the entries that it supersedes, a line each
    size: int  # tokens of the body, estimated by length, to plan with before any are counted
    title_size: int  # tokens of the title in a list, by the heuristic counter, to plan with
    front: Frontmatter
    content: Content
    place: int  # the index of this entry's body and terms in ``content``
    modality: Modality | Literal[""] = ""  # how a rule, or a quoted instruction, binds; or empty
    speaker: str = ""  # of a turn: a name, ``user``, ``assistant`` or ``tool``; empty otherwise
    bundle: str = ""  # turns of a session that share it belong together; empty for a single one
    confidence: float | None = None  # of a summary: how well it represents its turns, in [0, 1]
    covers: int = 1  # turns that a summary replaces; 0 for a quotation of a part of one, else 1
    ancestors: tuple[str, ...] = ()  # ids of summaries that replace it, nearest first

    @property
    def path(self) -> str:
        """The source as texts show it: ``front.shown``, else without a first ``../``."""
        return self.front.shown or self.source.removeprefix("../")

    @property
    def body(self) -> str:
        """The Markdown of the entry without comments, its headings nested below its title."""
        return self.content.body(self.place)

    @property
    def terms(self) -> Sequence[int]:
        """Distinct hashed terms of title and body."""
        return self.content.terms(self.place)

    @property
    def is_for_files(self) -> bool:
        """Whether it is a rule for certain files alone."""
        applies = self.front.applies
        return applies is not None and applies.mode == "match"

    @property
    def turn_id(self) -> str:
        """The id of the turn that it is, or that it quotes a part of."""
        return self.id if self.covers else self.id.rpartition("/")[0]

    @property
    def is_current(self) -> bool:
        """Whether it still holds: neither done, nor skipped, nor superseded."""
        return self.status not in ("done", "skipped", "superseded")

    def has_status(self, wanted: str) -> bool:
        """Return whether it is what ``wanted``, one of ``STATUSES``, asks for."""
        if wanted == "open":
            return self.is_current
        if wanted == "archived":
            return self.source.startswith(ARCHIVED)
        return wanted == "all" or self.status == ("" if wanted == "todo" else wanted)

    @property
    def section(self) -> SectionName:
        """The section of the packet that includes this kind of entry."""
        return section_of(self.kind, self.tier)


def section_of(kind: Kind, tier: Tier) -> SectionName:
    """Return the section of ``kind`` and ``tier``; never ``tail``, which depends on the packet."""
    if kind == "rule":
        return "rules" if tier == "hard" else "conventions"
    if kind == "turn" and tier == "soft":
        return "elevated"
    return _SECTION_OF[kind]


class Part(Protocol):
    """The entries of one file as a ranker sees them: by place, each made when asked for."""

    def __len__(self) -> int:
        """Return the number of entries."""

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``, counted from 0 in file order."""

    @property
    def kind(self) -> Kind:
        """What all entries of the file are."""

    @property
    def name(self) -> str:
        """The name that the entries are stored by, unique in a context, unlike ``source``."""

    @property
    def source(self) -> str:
        """The file, as ``Entry.source`` names it."""

    @property
    def digest(self) -> bytes:
        """The digest of the bytes that the entries were read from."""

    @property
    def timestamps(self) -> Sequence[str]:
        """``Entry.timestamp`` by place."""

    @property
    def sizes(self) -> Sequence[int]:
        """``Entry.size`` by place."""

    @property
    def speakers(self) -> Sequence[str]:
        """``Entry.speaker`` by place; empty for a file without turns."""

    @property
    def names(self) -> AbstractSet[str]:
        """All ``speakers``, known without a look at each entry."""

    @property
    def steps(self) -> AbstractSet[int]:
        """Places of turns that are calls of tools, their output, or announce a call."""

    @property
    def confidences(self) -> Sequence[float]:
        """``Entry.confidence`` by place; empty for a file without summaries."""

    @property
    def front(self) -> Frontmatter:
        """``Entry.front`` of all entries."""

    @property
    def superseded(self) -> AbstractSet[int]:
        """Places of superseded entries."""

    def holding(self, terms: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each of the hashed ``terms`` that occurs, and the places of its entries."""


class Source(NamedTuple):
    """One file of the context directory, as read."""

    path: str  # relative to the context directory, with forward slashes
    size: int  # bytes
    parts: tuple[Part, ...]  # its entries by kind; a long session in pieces
    warnings: tuple[str, ...]  # with file and line, about what could not be read as meant
    origin: str = ""  # its source in the registry; empty for files of the context directory
    scope: Scope | None = None  # to which files its rules apply; None for all files of the project
    repeats: tuple[tuple[str, int], ...] = ()  # earlier files with the number of shared entries

    @property
    def entries(self) -> list[Entry]:
        """All entries of the file, in file order of each kind."""
        return [part.entry(place) for part in self.parts for place in range(len(part))]


class Thread(Protocol):
    """The turns of one session, oldest first, each made when asked for."""

    def __len__(self) -> int:
        """Return the number of turns."""

    def turn(self, index: int) -> Entry:
        """Return the turn at ``index``, counted from 0."""

    def bundles(self) -> Iterable[tuple[int, str]]:
        """Yield the index and the bundle of every turn that has one, oldest first."""


class Document(NamedTuple):
    """A file that no packet includes, and that is worth reading."""

    path: str  # relative to the context directory; of a selection, from the working directory
    about: str  # what it is for; empty where nobody knows
    tokens: int  # about how many it has


class Context(NamedTuple):
    """All entries of a directory, in authored order."""

    root: str
    sources: tuple[Source, ...]
    read_order: tuple[str, ...]  # files that an agent should read, first things first
    warnings: tuple[str, ...]
    seen: Mapping[str, tuple[int, ...]]  # stat signatures of every path looked for, from the root
    thread: Thread | None = None  # the session that the packet is for; None without one
    standing: Sequence[Entry] = ()  # what users instructed, a sentence each, oldest first
    documents: tuple[Document, ...] = ()  # of ``read_order``, those of which no entries are made
    copied: tuple[Source, ...] = ()  # files of the project whose copies are read (``ctx import``)
    loaded: tuple[str, ...] = ()  # files left out, as the request's host loads them by itself
    moments: Mapping[str, str] = {}  # by path, when the host loads it itself: start, read or touch
    bases: Mapping[str, frozenset[str]] = {}  # folders for which what is beside is read, by path

    @property
    def parts(self) -> list[Part]:
        """The entries of all files, by file and kind."""
        return [part for source in self.sources for part in source.parts]

    @property
    def entries(self) -> list[Entry]:
        """All entries, in read order of their files and in file order within each."""
        return [entry for source in self.sources for entry in source.entries]


class Scored(NamedTuple):
    """An entry and its score."""

    entry: Entry
    score: float  # range documented by the ranker; more is better
    parts: tuple[tuple[str, float], ...]  # named addends and tie-breaks, for ``explain``
    named: bool = False  # whether the query names it, by its title or an alias
    directory: str = ""  # its context directory, absolute, where several are searched; or empty
    relevance: float = 0.0  # how much of the query it answers, in [0, 1]; 0 without a query
    how: str = ""  # how it cites what is traced, for people; empty for what is searched

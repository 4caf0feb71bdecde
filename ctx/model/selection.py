"""What a packet includes, and what a session has received."""

from collections.abc import Mapping, Sequence

from ctx.digest import blake2b
from ctx.model.entries import LEVELS, Document, Entry, Level, Outcome, Scored, SectionName
from ctx.typed import NamedTuple, Protocol

NEVER = "0" * 16  # the digest of what a session does not have (any more), though it was used


class Delivered(NamedTuple):
    """One entry that was sent to a session, and its level then.

    A session that received an entry in full has received its key lines and its title, too. Their
    digests are kept beside that of the full text: an edit of one may leave the others as they are.
    """

    id: str  # ``Entry.id``
    level: Level
    digest: str  # 16 hex digits of the text at that level (``digest_of``)
    size: int  # tokens that it cost, 0 or more
    benefit: float  # the last known, in [0, 1]
    sent: float  # when it was last sent or asked for, in seconds since the epoch
    uses: int = 1  # packets that included it, 1 or more
    pinned: bool = False  # whether it must stay, beyond the limit if need be
    key_digest: str = ""  # of ``key``, if sent at ``full``; empty if unknown: it is sent again
    title_digest: str = ""  # of its title, where it was sent at ``full`` or ``key``; empty likewise

    def digest_at(self, level: Level) -> str:
        """Return the digest of what the session has received at ``level``; empty for nothing."""
        if level == self.level:
            return self.digest
        if LEVELS.index(level) < LEVELS.index(self.level):
            return ""  # less than that was sent
        return self.key_digest if level == "key" else self.title_digest


class Memory(NamedTuple):
    """What one session has received."""

    session: str
    items: Mapping[str, Delivered] = {}  # by entry id
    evictions: int = 0  # items forgotten since the session began
    secrets: bool = False  # whether secrets were sent: then an id may hold one


class Revoked(NamedTuple):
    """An entry that a session received and that does not hold any more."""

    id: str
    title: str  # with its date; empty where no file holds it any more
    why: str  # ``removed``, ``done``, ``skipped``, ``superseded`` or ``changed``


class KVPolicy(NamedTuple):
    """What the session may do with what it received: ids of entries, each in one list at most."""

    pin: tuple[str, ...] = ()  # to be kept in memory
    compress: tuple[str, ...] = ()  # may be shortened: long, and of medium benefit
    evict: tuple[str, ...] = ()  # may be forgotten


def digest_of(text: str) -> str:
    """Return a digest of ``text``, 16 hex digits, the same on every machine."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Fragment(NamedTuple):
    """An entry at one level of detail, and its benefit at that level."""

    level: Level  # ``title`` is a macro, ``full`` a micro and ``key`` an atomic fragment
    benefit: float  # in [0, 1]
    covers: int  # the focus terms that it covers: bit n for the n-th
    moment: int  # its timestamp as a number of 14 digits (``YYYYMMDDHHMMSS``); greater is newer
    citations: int  # the number of its references
    unresolved: int  # the number of its broken links


class Prospect(Protocol):
    """An entry that the planner may choose, with an upper bound of its benefit."""

    @property
    def scored(self) -> Scored:
        """The entry; its score is ``bound``."""

    @property
    def bound(self) -> float:
        """An upper bound of its fragments' benefits, in [0, 1], without reading the entry."""

    def fragments(self) -> Sequence[Fragment]:
        """Return the entry at each of its levels; reads it."""

    def needs(self) -> Sequence[str]:
        """Return the ids of the entries that it links to; reads it."""


class LodMix(NamedTuple):
    """The shares of tokens that the levels of detail should have, each in [0, 1]."""

    macro: float = 0.2
    micro: float = 0.6
    atomic: float = 0.2


class Candidates(NamedTuple):
    """What a planner may choose from."""

    prospects: Sequence[Prospect] = ()
    terms: Sequence[str] = ()  # the focus terms: what the agent is working on
    fragments: int = 0  # fragments that could be chosen, also of entries that are no prospects


NO_CANDIDATES = Candidates()


class Metrics(NamedTuple):
    """The figures of one plan, without the text of any entry."""

    request_id: str  # the same for the same request on the same files
    planner: str
    planner_ms: float  # milliseconds from the end of reading to the selection
    candidate_count: int  # fragments that could have been chosen
    tokens_selected: int  # tokens of the entries that were chosen by score, as rendered
    coverage_entities: float  # share of the focus terms that are covered, in [0, 1]; 0 without any
    diversity_score: float  # distinct sources by entries chosen, in [0, 1]; 0 where none is
    mean_benefit: float  # in [0, 1]; 0 if nothing is chosen. For ``tiered`` the mean score
    top3: tuple[tuple[str, float], ...]  # ids and scores of the first three chosen
    hits: int = 0  # included entries that the session had received
    misses: int = 0
    evictions: int = 0
    cache_hit_rate: float = 0.0  # hits by hits and misses, in [0, 1]; 0 where there are neither


NO_METRICS = Metrics("", "", 0.0, 0, 0, 0.0, 0.0, 0.0, ())  # the figures of a packet without a plan


class Included(NamedTuple):
    """An included entry and its level of detail."""

    scored: Scored
    level: Level

    @property
    def entry(self) -> Entry:
        """``scored.entry``."""
        return self.scored.entry


class Section(NamedTuple):
    """A section of a packet: its entries and its budget."""

    name: SectionName
    budget: int  # tokens that the plan gave, before the unused budget of other sections was added
    used: int  # tokens of its entries as rendered
    included: tuple[Included, ...]  # at ``full`` or ``key``, tasks also ``title``; reading order
    titles: tuple[Included, ...]  # entries at ``title`` level, best first
    omitted: int  # entries omitted for lack of room, as its last line counts them, if it has one
    omitted_files: str  # the files of the omitted entries: ``DECISIONS.md``, ``decisions/``

    @property
    def entries(self) -> tuple[Included, ...]:
        """All that the section includes, titles last."""
        return (*self.included, *self.titles)


class Verdict(NamedTuple):
    """Whether and how one entry is included, and why."""

    scored: Scored
    outcome: Outcome
    tokens: int  # its tokens in the packet at that level; when out, what its title would cost
    reason: str


class Selection(NamedTuple):
    """What fits: the input of ``render``."""

    sections: tuple[Section, ...]
    read_order: tuple[Document, ...]
    read_more: int  # files omitted from a shortened read order
    degraded: str  # why required rules are over their limits, with the figures; empty if not
    warnings: tuple[str, ...]  # of files that could not be read as meant (JSON only)
    overshoot: str = ""  # why the packet is over budget, as the request allows; empty if not
    note: str = ""  # a message of the planner for the user; not part of the packet
    notice: str = ""  # what the agent must read first, since it is not included; empty for nothing
    news_only: bool = False  # whether only what is new to the session is included
    revoked: tuple[Revoked, ...] = ()  # received entries that do not hold any more
    more_revoked: int = 0  # how many more of them there are, for which there was no room
    forget: tuple[str, ...] = ()  # ids that hold and may be forgotten (JSON only)
    policy: KVPolicy | None = None  # what the session should do with what it received (JSON only)
    unpinned: int = 0  # how many ids to pin there was no room for in it
    unpinned_files: tuple[tuple[str, int], ...] = ()  # the same of the files with most of them
    metrics: Metrics | None = None  # the figures of the plan (JSON only)
    least: int = 0  # tokens of a packet's own lines that have no room: it has counts only; or 0
    complete: bool = False  # whether all is included in full, superseded entries perhaps apart
    next_id: str = ""  # the entry included next where there is more room; empty if none is left

    @property
    def entries(self) -> list[Included]:
        """All that the packet includes, section by section."""
        return [included for section in self.sections for included in section.entries]

    @property
    def has_no_news(self) -> bool:
        """Whether nothing is new, where only what is new is included."""
        return self.news_only and not (self.sections or self.read_order or self.revoked)

"""Requests, what rankers are given, and the packets and results that answer requests."""

from collections.abc import Callable, Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date

from ctx.model.entries import Context, Entry, Format, Kind, Part, Scored
from ctx.model.protocols import Reranker
from ctx.model.selection import NO_METRICS, Included, KVPolicy, Memory, Metrics, Selection, Verdict
from ctx.model.settings import Settings
from ctx.typed import NamedTuple, Protocol, get_args

Fields = Callable[[Entry], tuple[str, str, str, int]]
"""Returns the words of an entry's title and of its body, stemmed and separated by spaces, the words
of both that stemming changes, as they were, each once, and how many dates and times its body names,
255 at most."""
Text = Callable[[Entry], str]  # returns the text of an entry that is embedded
BY_AGE = "brackets"  # the ranker of a packet that is asked for without a query
BY_BENEFIT = "acs"  # the planner that weighs benefit and cost
KINDS: frozenset[Kind] = frozenset(get_args(Kind))  # everything that an entry can be
_UNLIKE = {"lore": "background", "summary": "summaries"}
PLURALS: dict[str, Kind] = {_UNLIKE.get(kind, f"{kind}s"): kind for kind in get_args(Kind)}
"""Kinds by what people call several entries of them."""
Clock = Callable[[], float]  # returns seconds since an arbitrary moment


class Lexicon(Protocol):
    """Finds entries by words."""

    def holding(self, word: str) -> list[tuple[int, int]]:
        """Return position and BM25, in billionths, of the entries with ``word``.

        Positions count the entries of all parts, in order. Raises CacheLossError.
        """

    def marked(self, word: str) -> Container[int]:
        """Return what contains the positions of the entries with ``word``; CacheLossError."""

    def frequency(self, word: str) -> int:
        """Return how many entries hold ``word``. Raises CacheLossError."""

    def titled(self, words: Sequence[str]) -> list[int]:
        """Return the entries with any of ``words`` in title or aliases; raises CacheLossError."""

    def forms(self, beginning: str) -> list[str]:
        """Return the words that begin so, stemmed and before, sorted. Raises CacheLossError."""

    def anchors(self, position: int) -> int:
        """Return how many dates and times the entry at ``position`` names, 255 at most."""


class Nearness(Protocol):
    """Measures how near entries are to a text in meaning."""

    def similarities(self, query: str) -> list[float]:
        """Return each entry's cosine, in [-1, 1], 0 without meaning; raises EmbeddingError."""

    def joined(self, query: str, groups: Sequence[Sequence[int]]) -> list[float]:
        """Return the cosine of the sum of each group's entries; raises EmbeddingError."""

    def beyond(self, query: str, positions: Sequence[int]) -> list[float]:
        """Return how much nearer to ``query`` entries are than random pairs of entries.

        In standard deviations; 0 where there are too few entries. Raises EmbeddingError.
        """


class Indexes(NamedTuple):
    """What a ranker may use beyond the entries themselves."""

    lexicon: Lexicon
    near: Nearness | None = None  # none where no embedder is set up, or where it failed
    acc: Mapping[str, int] = {}  # how often an entry was included before today, by id; 0 for others
    warnings: tuple[str, ...] = ()  # why ``near`` or ``reranker`` is missing, a line each
    reranker: Reranker | None = None
    reranked: int = 0  # how many of the first entries that a ranker finds ``reranker`` orders anew
    examined: int = 0  # entries of each kind that ``ctx.rank.relevance`` examines; 0 for its own
    expect: Callable[[Sequence[int]], None] | None = None  # fetches entries that will be read


class Library(Protocol):
    """Makes the words and the vectors of a directory's entries for rankers."""

    def indexes(self, parts: Sequence[Part], fields: Fields, text: Text, query: str) -> Indexes:
        """Return words and vectors of ``parts``, of ``query`` if given; raises CacheLossError."""


DEFAULTS = Settings()


class Question(NamedTuple):
    """What a ranker ranks by."""

    query: str
    tasks: tuple[Entry, ...]  # open tasks that the packet has room for, most urgent first
    as_of: date
    most: int | None = None  # most entries of each kind worth returning; None for all
    session: str = ""  # the session that the answer is for; empty without one
    kinds: frozenset[Kind] = KINDS  # what is ranked; others only count for how rare a word is
    since: str = ""  # ``YYYY-MM-DD``: older and undated entries are left out; empty for all
    per_token: bool = True  # whether worth is per token, as for a budget, or else by itself
    indexes: Indexes | None = None  # none for rankers that use entries only
    focus: tuple[str, ...] = ()  # files being worked on, from the project, with forward slashes
    exists: Callable[[str], bool] | None = None  # whether a path exists; None where not known
    least: float | None = None  # least relevance, in [0, 1]; None where the best decide
    guessed: AbstractSet[str] = frozenset()  # corrected words of the query
    rest: bool = False  # whether irrelevant entries that hold something follow, with score 0
    settings: Settings = DEFAULTS
    named: AbstractSet[int] = frozenset()  # positions of what the query names: they come first
    statuses: AbstractSet[str] = frozenset()  # of ``STATUSES``, to rank; empty for what still holds

    @property
    def needed_indexes(self) -> Indexes:
        """``indexes``, for rankers that cannot do without."""
        if self.indexes is None:
            raise TypeError("this ranker needs words: give it indexes")
        return self.indexes


Ranker = Callable[[Sequence[Part], Question], list[Scored]]
"""Returns the best entries of parts with their scores, best first."""


class Host(NamedTuple):
    """Whom a packet is for."""

    name: str = ""  # as ``ctx hook`` names it; empty where that is not known
    version: str = ""  # empty where that is not known
    cwd: str = ""  # where it works, relative to the project's root; empty for the root itself
    agent: str = ""  # the type of its subagent; empty for the session itself
    trusted: bool = True  # whether the user trusts the project
    absent: frozenset[str] = frozenset()  # paths of files that it should load, and has not
    own: str = ""  # the file of its stored session, whose turns are in its window; empty for none
    emptied: str = (
        ""  # when the window was emptied last, as ``Entry.timestamp``: older ones are not
    )
    received: frozenset[str] = frozenset()  # ids of what its session has: that is not taken away


NOBODY = Host()


class Request(NamedTuple):
    """What a packet is asked for with."""

    root: str  # absolute path of the context directory
    as_of: date  # the day from which ages are counted
    budget: int = 8000  # tokens that the packet may cost, 0 or more
    format: Format = "md"
    query: str = ""
    settings: Settings = DEFAULTS  # of those that have a field here, too, the field holds
    ranker: str = BY_AGE
    planner: str = "tiered"
    fill: str = "recent"  # ``recent``, or ``none`` for what a query finds of ``BY_WORTH`` alone
    allow_overshoot: bool = False  # whether the one best entry may go over budget (planner ``acs``)
    focus: tuple[str, ...] = ()  # files being worked on, from the project, with forward slashes
    most_entries: int | None = None  # most entries of each section of ``BY_WORTH``; None for all
    least_trust: float = 0.0  # entries of those sections that are trusted less are omitted
    memory: Memory | None = None  # what the session has received; None without a session
    news_only: bool = False  # whether only what the session has not received is included
    figures: bool = False  # whether the figures of the plan are wanted
    metrics: bool = False  # whether a packet in JSON holds them at any budget
    now: float = 0.0  # seconds since the epoch, by which the session's memory ages
    pressure: str = ""  # what was omitted since the window is full, as a message for the user
    rules_only: bool = False  # whether only required rules are included
    refuses: Callable[[str, int], str] | None = None  # as ``read.Limits`` has it
    explain: bool = False  # whether to account for every entry
    project: str = ""  # absolute path of the folder that authored documents may not lead out of
    authored: tuple[tuple[str, ...], ...] = ()  # documents: of each group the first in a folder
    levels: tuple[str, ...] = ()  # folders of documents, relative to ``root``, nearest first
    roots: tuple[str, ...] = ()  # context directories above, from ``root``, nearest first
    everywhere: tuple[str, str] = ("", "")  # the user's directory for all projects, and as shown
    state: str = ""
    """Absolute path of the folder whose ``sessions/`` holds what the user imported; empty for none.
    Sessions below ``root`` came with the repository, and are quoted at most."""
    shown_root: str = ""  # path of ``root`` that can be opened from the working directory
    session: str = ""  # the session whose last turns belong to the packet; empty without one
    resume: bool = False  # whether the end of the branch's last session is included, if it fits
    rules_budget: int = 0
    """Tokens that a packet of rules alone may cost where that is more than ``budget``: an agent
    with a full window still needs them."""
    host: Host = NOBODY  # what it loads by itself is left out
    clock: str = ""  # behind the day at the end, of a packet that must differ from earlier ones
    note: str = ""  # a line at the head of the packet: what of the project is not in it, and why
    remarks: tuple[str, ...] = ()  # lines behind it in a session's first packet, if they fit

    def having(self, **settings: object) -> "Request":
        """Return the same with other ``settings``, by their names."""
        return self._replace(settings=self.settings._replace(**settings))  # type: ignore[arg-type] # by name


class SearchRequest(NamedTuple):
    """What a search is asked for with."""

    request: Request  # what is asked of which directory; ``budget`` counts where ``whole`` is set
    limit: int | None = 10  # most results; None for as many as fit the budget
    whole: bool = False  # whether results are in full within the budget, else by a snippet
    kinds: frozenset[Kind] = KINDS
    since: str = ""  # ``YYYY-MM-DD``; empty for all
    archive: bool = False  # whether archived entries are searched, too
    statuses: AbstractSet[str] = frozenset()  # of ``STATUSES``; empty for what still holds
    named_only: bool = False  # whether only entries that the query names are results
    least: float | None = None  # least relevance, in [0, 1]; None where the best decide


class SearchResults(NamedTuple):
    """The results of a search."""

    hits: tuple[Scored, ...]  # the results that are shown, best first
    text: str  # the bytes for stdout
    warnings: tuple[str, ...]


class Found(NamedTuple):
    """What one directory holds about a query."""

    scored: list[Scored]  # the best first
    warnings: tuple[str, ...] = ()
    query: str = ""  # what was searched for: as asked, with mistyped words corrected
    corrections: tuple[tuple[str, str], ...] = ()  # words as typed, and what was searched instead
    nearest: Scored | None = None  # the most relevant entry, where none is relevant enough


class Pick(NamedTuple):
    """An entry that was chosen by its score."""

    included: Included
    cost: int  # tokens, as rendered
    benefit: float  # in [0, 1]; the score of its ranker where the planner computes no benefit
    score: float  # benefit by cost; the score of its ranker likewise
    covers: int  # the focus terms that it covers, a bit each


class Plan(NamedTuple):
    """How a packet was planned."""

    picks: Sequence[Pick]  # the entries that were chosen by score, the best first
    focus_terms: Sequence[str]  # of the benefit/cost planner; empty for another planner
    metrics: Metrics
    policy: KVPolicy | None  # none without a session


NO_PLAN = Plan((), (), NO_METRICS, None)  # the plan of a packet whose figures nobody asked for


class Packet(NamedTuple):
    """The text for an agent, and how it was made."""

    request: Request
    selection: Selection
    text: str  # the bytes for stdout
    tokens: int  # tokens of ``text`` by the request's counter
    verdicts: tuple[Verdict, ...]  # one an entry, where the request asked to explain; else empty
    warnings: tuple[str, ...]
    context: Context  # the entries that the packet was made from
    plan: Plan
    memory: Memory | None = None  # what the session has once this is sent; None without a session
    lasting: bool = True  # whether the same call returns the same packet: not if time ran out

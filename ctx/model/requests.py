"""What is asked, what a ranker may ask in turn, and the answers."""

# No `from __future__ import annotations` here: see ``nouns``.

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple, Protocol, get_args

from ctx.model.delivery import KVPolicy, Memory
from ctx.model.entries import Context, Entry, Format, Kind, Part, Scored
from ctx.model.selection import NO_METRICS, Metrics, Said, Selection, Verdict

Fields = Callable[[Entry], tuple[str, str]]
"""Returns the words of an entry's title and of its body, stemmed and apart by spaces."""
Text = Callable[[Entry], str]
"""Returns what of an entry is embedded."""


class Lexicon(Protocol):
    """Finds entries by words."""

    def holding(self, word: str) -> list[tuple[int, int]]:
        """Return the entries that hold ``word``: position, and BM25 in billionths, above 0.

        Positions count all entries of all parts, in order. Raises ForgottenError.
        """
        ...

    def frequency(self, word: str) -> int:
        """Return how many entries hold ``word``. Raises ForgottenError."""
        ...


class Nearness(Protocol):
    """Tells how near entries are to a text in meaning."""

    def similarities(self, query: str) -> list[float]:
        """Return the cosine of ``query`` and each entry, by position, in [-1, 1].

        0 where either says nothing to the model. Raises EmbeddingError.
        """
        ...

    def joined(self, query: str, spans: Sequence[tuple[int, int]]) -> list[float]:
        """Return the cosine of ``query`` and the sum of the entries of each span, in [-1, 1].

        A span holds its first position and the one behind its last. Raises EmbeddingError.
        """
        ...


class Means(NamedTuple):
    """What a ranker may ask beyond the entries themselves."""

    lexicon: Lexicon
    near: Nearness | None = None
    """None where no embedder is set up, or where it failed."""
    acc: Mapping[str, int] = {}
    """How often an entry was said before today, by id; 0 for others."""
    warnings: tuple[str, ...] = ()
    """Why ``near`` is missing although an embedder is set up: a line each."""


class Library(Protocol):
    """Gives rankers their means: the words and the vectors of a directory's entries."""

    def means(self, parts: Sequence[Part], fields: Fields, text: Text, query: str) -> Means:
        """Return what can be asked about the entries of ``parts``, brought up to date.

        ``query`` is what ``Nearness`` will be asked, empty for nothing. Raises ForgottenError
        where something
        that was kept is lost.
        """
        ...


KINDS: frozenset[Kind] = frozenset(get_args(Kind))
"""Everything that an entry can be."""


class Question(NamedTuple):
    """What a ranker ranks by."""

    query: str
    tasks: tuple[Entry, ...]
    """Open tasks that the packet has room for, most urgent first."""
    as_of: date
    most: int | None = None
    """Most entries of each kind worth returning; None for all."""
    session: str = ""
    """The session that the answer is for; empty without one."""
    kinds: frozenset[Kind] = KINDS
    """What is ranked; other entries are looked at only to tell what is rare."""
    since: str = ""
    """``YYYY-MM-DD``: older and undated entries are left out; empty for all."""
    per_token: bool = True
    """Whether what comes first should be worth most for its length, as where tokens are the
    budget; otherwise worth most by itself."""
    means: Means | None = None
    """None for rankers that look at entries only."""
    focus: tuple[str, ...] = ()
    """Files that are being worked on, relative to the project, with forward slashes."""
    exists: Callable[[str], bool] | None = None
    """Tells whether there is something at a path that an entry names; None where nobody knows."""
    explained: bool = False
    """Whether what is not chosen is accounted for as well."""

    @property
    def asked(self) -> Means:
        """``means``, for rankers that cannot do without."""
        if self.means is None:
            raise TypeError("this ranker asks for words: give it means")
        return self.means


class Ranker(Protocol):
    """Orders entries by what they are worth now."""

    def __call__(self, parts: Sequence[Part], question: Question) -> list[Scored]:
        """Return the best entries of ``parts`` with their scores, best first."""
        ...


class Request(NamedTuple):
    """What was asked: one record instead of trains of parameters."""

    root: str
    """Absolute path of the context directory."""
    as_of: date
    """The day from which ages are counted."""
    budget: int = 8000
    """Tokens that the packet may cost, 0 or more."""
    format: Format = "md"
    query: str = ""
    tokenizer: str = "heuristic"
    hard_share: float = 0.40
    """Share of the budget, in [0, 1], over which the hard tier is called degraded (alpha 1)."""
    tasks_share: float = 0.40
    """Share of the budget, in [0, 1], that open tasks may take first."""
    conventions_share: float = 0.20
    """Share of the budget, in [0, 1], for conventions and soft rules (alpha 2)."""
    ranker: str = "brackets"
    planner: str = "tiered"
    allow_overshoot: bool = False
    """Whether a single entry of the greatest benefit may pass the budget (planner ``acs``)."""
    focus: tuple[str, ...] = ()
    """Files that are being worked on, relative to the project, with forward slashes."""
    most_entries: int | None = None
    """Most entries said of each section that is said by what it is worth now; None for all."""
    least_trust: float = 0.0
    """Entries of those sections that are trusted less than this are left out."""
    memory: Memory | None = None
    """What the session was told; None without a session."""
    news_only: bool = False
    """Whether only what the session does not know is said."""
    figures: bool = False
    """Whether the figures of the plan are wanted."""
    now: float = 0.0
    """Seconds since the epoch, by which the session's memory ages."""
    pressure: str = ""
    """What the fullness of the agent's window took away, for the person who asked."""
    rules_only: bool = False
    """Whether nothing but the hard tier is said."""
    max_file_bytes: int = 64 * 1024 * 1024
    """Larger files are named in a warning and left unread."""
    allow_links: bool = False
    """Whether symbolic links may lead out of the context directory."""
    allow_secrets: bool = False
    """Whether secrets are said."""
    explain: bool = False
    """Whether to account for every entry."""
    project: str = ""
    """Absolute path of the folder that authored documents of the project may not lead out of."""
    authored: tuple[tuple[str, ...], ...] = ()
    """Authored documents of the project, relative to ``root`` (``../AGENTS.md``): of each
    group the first that is there."""
    state: str = ""
    """Absolute path of the folder whose ``sessions/`` holds what the user imported; empty for none.
    What lies in that of ``root`` came with the repository, and is quoted at most."""
    session: str = ""
    """The session whose last turns belong to the packet; empty without one."""
    tail_share: float = 0.15
    """Share of the budget, in [0, 1], that the last turns are extended towards (beta)."""
    tail_turns: int = 4
    """Turns of the session that are always said (m)."""


class Inquiry(NamedTuple):
    """What ``ctx search`` was asked."""

    request: Request
    """Directory, query, ranker, format and counter; ``budget`` holds where ``whole`` is set."""
    limit: int | None = 10
    """Most results; None for as many as the budget holds."""
    whole: bool = False
    """Whether results are said whole within the request's budget, else by a snippet."""
    kinds: frozenset[Kind] = KINDS
    since: str = ""
    """``YYYY-MM-DD``; empty for all."""
    archive: bool = False
    """Whether archived entries are looked for, too."""


class Found(NamedTuple):
    """The answer of ``ctx search``."""

    inquiry: Inquiry
    hits: tuple[Scored, ...]
    """What is said, best first."""
    more: bool
    """Whether more was found than is said."""
    text: str
    """The bytes for stdout."""
    warnings: tuple[str, ...]


Clock = Callable[[], float]
"""Tells seconds, from no point in particular."""


class Pick(NamedTuple):
    """An entry that was chosen for what it is worth now."""

    said: Said
    cost: int
    """Tokens, as rendered."""
    benefit: float
    """In [0, 1]; the score of its ranker where the planner knows no benefit."""
    score: float
    """Benefit by cost; the score of its ranker likewise."""
    covers: int
    """The terms of the gaze that it covers, a bit each."""


class Plan(NamedTuple):
    """How a packet was planned."""

    picks: Sequence[Pick]
    """What was chosen for what it is worth now, the best score first."""
    gaze: Sequence[str]
    """What the benefit/cost planner looked at; nothing for another planner."""
    metrics: Metrics
    policy: KVPolicy | None
    """None without a session."""


NO_PLAN = Plan((), (), NO_METRICS, None)
"""Of a packet whose figures nobody asked for."""


class Packet(NamedTuple):
    """What was said, and the account of it."""

    request: Request
    selection: Selection
    text: str
    """The bytes for stdout."""
    tokens: int
    """Tokens of ``text`` by the request's counter."""
    verdicts: tuple[Verdict, ...]
    """One for every entry, where the request asked to explain; else none."""
    warnings: tuple[str, ...]
    context: Context
    """What the packet was made from."""
    plan: Plan
    memory: Memory | None = None
    """What the session knows once it is told this; None without a session."""
    lasting: bool = True
    """Whether the same call would give the same packet: not where time ran out."""

"""What is asked, what a ranker may ask in turn, and the answers."""

# No `from __future__ import annotations` here: see ``nouns``.

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple, Protocol, get_args

from ctx.model.nouns import (
    Context,
    Entry,
    Kind,
    Part,
    Request,
    Scored,
    Selection,
    Verdict,
)

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
    lasting: bool = True
    """Whether the same call would give the same packet: not where time ran out."""

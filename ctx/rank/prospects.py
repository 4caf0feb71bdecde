"""The entries that the benefit/cost planner may choose, by the upper bound of their benefit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from math import exp, isfinite

from ctx.model import LEVELS, Candidates, Fragment, Level, Part, Question, Scored
from ctx.rank.corpus import Corpus
from ctx.rank.focus_terms import FocusTerms, focus_terms
from ctx.rank.links import Links
from ctx.rank.relevance import relevance
from ctx.rank.score import age, quality
from ctx.rank.stopping import Relevant
from ctx.text.entities import entities
from ctx.text.levels import key_lines
from ctx.text.references import citations
from ctx.text.words import index_words

ALPHA = 0.6  # α: weight of entity overlap
BETA = 0.3  # β: weight of recency
GAMMA = 0.1  # γ: weight of citations
WEEK = 168.0  # hours in which recency falls to 1/e
CITED = 1.0
UNCITED = 0.5
PLACES = 9  # decimals of benefits: smaller differences are rounding errors, which differ by machine
_HOUR = 3600.0
_DIGITS = 14  # of a moment: year to second


def recency(age_hours: float) -> float:
    """Return exp(−age/168), in [0, 1] (section Recency Scoring); an age below 0 counts as 0."""
    return exp(-max(0.0, age_hours) / WEEK)


def availability(citations: int) -> float:
    """Return 1.0 with at least one citation, else 0.5 (section Core Scoring Function)."""
    return CITED if citations > 0 else UNCITED


def benefit(overlap: float, recent: float, available: float) -> float:
    """Return α·overlap + β·recency + γ·availability of citations, all in [0, 1] (section 1)."""
    return ALPHA * overlap + BETA * recent + GAMMA * available


def prospects(parts: Sequence[Part], question: Question) -> Candidates:
    """Return focus terms, and what to choose from, best bound first, ``question.most`` a kind."""
    corpus = Corpus(parts)
    indexes = question.needed_indexes
    terms = focus_terms(question, indexes.lexicon)
    shared = _Shared(corpus, question, terms)
    if question.query.strip():
        askable = corpus.asked_for(question)
        shared.found = relevance(corpus, question, askable, indexes.lexicon, indexes.near)
    offered: Iterable[int] = range(len(corpus))
    if question.query.strip() and not question.rest and not question.focus:
        offered = sorted(shared.found)
    kinds = list(corpus.asked_for(question).by_kind(offered))
    chosen = [
        _Prospect(shared, at) for positions in kinds for at in shared.best(positions, question.most)
    ]
    count = sum(map(len, kinds)) * len(LEVELS)
    return Candidates(chosen, [term.name for term in terms.terms], count)


class _Shared:
    def __init__(self, corpus: Corpus, question: Question, focus: FocusTerms) -> None:
        self.corpus = corpus
        self.focus = focus
        self.masks = focus.masks
        self.found: Mapping[int, Relevant] = {}  # what the query finds, by position
        self.gated = bool(question.query.strip() or question.focus)  # recency needs overlap then
        self.links = Links(corpus)
        self.exists = question.exists
        self.named = {term.name: bit for bit, term in enumerate(focus.terms) if not term.is_word}
        """Terms of several words, and their bits."""
        self.doubtful = sum(1 << bit for bit in self.named.values())
        self.words = {term.name: bit for bit, term in enumerate(focus.terms) if term.is_word}
        stamps = {stamp for part in corpus.parts for stamp in part.timestamps}
        ages = {stamp: age(stamp, question.as_of) / _HOUR for stamp in stamps}
        self._recent = {stamp: recency(age) for stamp, age in ages.items() if isfinite(age)}
        """Recency by timestamp; those without a date are left out."""
        self._oldest = min(self._recent, key=lambda stamp: (_moment(stamp), stamp), default="")

    def stamp(self, at: int) -> str:
        """Return when an entry was written: undated entries are as old as the oldest dated one."""
        written = self.corpus.timestamp(at)
        return written if written in self._recent else self._oldest

    def recency(self, at: int) -> float:
        return self._recent.get(self.stamp(at), 0.0)

    def relevance(self, at: int) -> float:
        """Return how relevant an entry is to the query, in [0, 1], 1 for the best."""
        found = self.found.get(at)
        return found.sim if found else 0.0

    def benefit(self, at: int, overlap: float, recent: float, available: float) -> float:
        """Return the benefit of an entry with this ``overlap``, in [0, 1]; of a summary times Q."""
        worth = benefit(overlap, recent * overlap if self.gated else recent, available)
        return round(worth * quality(self.corpus.decay(at)), PLACES)

    def bound(self, at: int) -> float:
        overlap = max(self.focus.overlap(self.masks.get(at, 0)), self.relevance(at))
        return self.benefit(at, overlap, self.recency(at), CITED)

    def best(self, positions: Iterable[int], most: int | None) -> list[int]:
        """Return the ``most`` best of ``positions``, all where it is None; ties by position."""
        bounds = [(-self.bound(at), at) for at in positions]
        chosen = sorted(bounds) if most is None else nsmallest(most, bounds)
        return [at for _, at in chosen]


class _Prospect:
    __slots__ = ("_at", "_fragments", "_shared", "bound", "scored")

    def __init__(self, shared: _Shared, at: int) -> None:
        self._shared = shared
        self._at = at
        self._fragments: tuple[Fragment, ...] = ()
        self.bound = shared.bound(at)
        parts = (
            ("overlap", shared.focus.overlap(shared.masks.get(at, 0))),
            ("relevance", shared.relevance(at)),
            ("recency", shared.recency(at)),
        )
        self.scored = Scored(shared.corpus.entry(at), self.bound, parts)

    def fragments(self) -> Sequence[Fragment]:
        if not self._fragments:
            self._fragments = tuple(self._read())
        return self._fragments

    def needs(self) -> Sequence[str]:
        corpus = self._shared.corpus
        return [corpus.entry(at).id for at in self._shared.links.of(self._at)]

    def _read(self) -> Iterator[Fragment]:
        entry, shared = self.scored.entry, self._shared
        body = entry.body
        # A path counts as a citation only if it exists.
        cited = sum(
            cited.kind != "path" or (shared.exists is not None and shared.exists(cited.target))
            for cited in citations(f"{entry.title}\n{body}")
        )
        unresolved = shared.links.unresolved(self._at)
        moment = _moment(shared.stamp(self._at))

        def fragment(level: Level, mask: int) -> Fragment:
            overlap = shared.focus.overlap(mask)
            if level == "full":
                # A title without a word of the query does not show that the body answers it.
                overlap = max(overlap, shared.relevance(self._at))
            recent = shared.recency(self._at)
            worth = shared.benefit(self._at, overlap, recent, availability(cited))
            return Fragment(level, worth, mask, moment, cited, unresolved)

        mask = shared.masks.get(self._at, 0)
        if mask & shared.doubtful:
            held = entities(f"{entry.title}\n{entry.speaker}\n{body}")
            mask &= ~sum(1 << bit for name, bit in shared.named.items() if name not in held)
        yield fragment("full", mask)
        if key := key_lines(entry):
            yield fragment("key", self._within(mask, f"{entry.title}\n{key}"))
        yield fragment("title", self._within(mask, entry.title))

    def _within(self, mask: int, text: str) -> int:
        """Return which terms of ``mask`` a part of the entry holds."""
        if not mask:
            return 0
        shared = self._shared
        held = sum(1 << shared.words[word] for word in shared.words.keys() & index_words(text))
        if mask & shared.doubtful:
            held |= sum(1 << shared.named[name] for name in shared.named.keys() & entities(text))
        return held & mask


def _moment(stamp: str) -> int:
    """Return ``Entry.timestamp`` as a number of 14 digits; 0 for an empty one."""
    digits = "".join(filter(str.isdigit, stamp))[:_DIGITS]
    return int(digits.ljust(_DIGITS, "0")) if digits else 0

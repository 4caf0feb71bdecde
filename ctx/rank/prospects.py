"""What the benefit/cost planner may choose: focus terms, and entries by bounds of benefit."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import nsmallest
from math import exp, fsum, isfinite
from typing import NamedTuple

from ctx.model import LEVELS, Candidates, Fragment, Level, Lexicon, Part, Question, Scored
from ctx.rank.corpus import Corpus
from ctx.rank.links import Links
from ctx.rank.relevance import relevance
from ctx.rank.score import age, quality
from ctx.rank.stopping import Relevant
from ctx.text.entities import entities, is_common, keywords, of_path
from ctx.text.levels import key_lines
from ctx.text.references import citations
from ctx.text.words import STOPS, index_words, words

QUERY, FOCUS, TASKS = 1.0, 1.0, 0.5
"""Weights of all terms of the query, of the files in focus, and of the tasks."""
FEW = 3  # most urgent tasks that are used where none is in progress
MOST_TERMS = 32  # terms of each of the three; of more the rarest, as with the words of a search
MOST_COUNTED = 1_000  # terms among which the rarest are searched


class Term(NamedTuple):
    """One focus term."""

    name: str  # an entity as written, case-folded; a keyword by its stem
    words: tuple[str, ...]  # the stems that an entry must hold to hold the term: one for a keyword

    @property
    def is_word(self) -> bool:
        """Whether one stem decides: an entry that holds it holds the term."""
        return len(self.words) == 1


class FocusTerms:
    """The focus terms, which entries may hold them, and the weight of any set of them."""

    def __init__(self, weights: Mapping[Term, float], masks: Mapping[int, int]) -> None:
        """Take terms with weights, 1 in sum, and by position a bit for each that may be held."""
        self.terms = tuple(weights)
        self.masks = masks
        self._weights = tuple(weights.values())
        self._shares: dict[int, float] = {0: 0.0}

    def overlap(self, covered: int) -> float:
        """Return |E_f ∩ E_g| / |E_g|, in [0, 1], 0 without terms (Entity Overlap Calculation).

        ``covered`` has a bit for each term that a fragment holds.
        """
        if (share := self._shares.get(covered)) is None:
            held = (weight for bit, weight in enumerate(self._weights) if covered >> bit & 1)
            share = self._shares[covered] = fsum(held)
        return share


def focus_terms(question: Question, lexicon: Lexicon) -> FocusTerms:
    """Return the focus terms that entries hold, by name: of query, files and current tasks.

    Source: ``planner.md``, section Terms. Where several of the three are given, each counts as a
    whole: three long tasks must not make the five words of a query count for nothing.
    """
    named = frozenset().union(*map(of_path, question.focus))

    @cache
    def holding(word: str) -> frozenset[int]:
        return frozenset(at for at, _ in lexicon.holding(word))

    def holders(term: Term) -> frozenset[int]:
        return frozenset.intersection(*map(holding, term.words))

    origins = [
        (QUERY, _terms(entities(question.query) | keywords(question.query), holders)),
        (FOCUS, _terms(named, holders)),
        (TASKS, _terms(_of_tasks(question), holders)),
    ]
    given = [(weight, terms) for weight, terms in origins if terms]
    total = fsum(weight for weight, _ in given)
    weights: dict[Term, float] = {}
    for weight, terms in given:
        for term in terms:
            weights[term] = weights.get(term, 0.0) + weight / total / len(terms)
    weights = dict(sorted(weights.items()))
    masks: dict[int, int] = {}
    for bit, term in enumerate(weights):
        for at in holders(term):
            masks[at] = masks.get(at, 0) | 1 << bit
    return FocusTerms(weights, masks)


def _of_tasks(question: Question) -> set[str]:
    """Return the entities and keywords of tasks; labels, dates and numbers only tell progress."""
    tasks = [task for task in question.tasks if task.status == "in-progress"]
    if not tasks and not question.query and not question.focus:
        tasks = list(question.tasks[:FEW])
    names: set[str] = set()
    for task in tasks:
        text = f"{task.title}\n{task.body}"
        names |= {name for name in entities(text) if not name.startswith("#")}
        names |= {word for word in set(words(text)) - STOPS if not is_common(word)}
    return names


def _terms(names: Iterable[str], holders: Callable[[Term], frozenset[int]]) -> Sequence[Term]:
    """Return the terms of ``names`` that any entry holds, each once; of too many the rarest."""
    every = set()
    for name in names:
        if stems := tuple(index_words(name)):
            every.add(Term(stems[0] if len(stems) == 1 else name, stems))
    held = [(len(holders(term)), term) for term in sorted(every)[:MOST_COUNTED]]
    return [term for count, term in sorted(held) if count][:MOST_TERMS]


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

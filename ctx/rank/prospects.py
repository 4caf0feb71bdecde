"""The entries that the benefit/cost planner may choose, by the most that they can be worth."""

from __future__ import annotations

from heapq import nsmallest
from math import exp, isfinite
from typing import TYPE_CHECKING, NamedTuple

from ctx.model import LEVELS, Entry, Fragment, Level, Part, Planned, Question, Scored
from ctx.rank.corpus import Corpus
from ctx.rank.focus_terms import Gaze, gaze
from ctx.rank.links import Links
from ctx.rank.recency import age
from ctx.rank.relevance import Relevant, relevance
from ctx.rank.score import quality
from ctx.text.entities import entities
from ctx.text.levels import key_lines
from ctx.text.references import citations
from ctx.text.words import index_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


ALPHA = 0.6
"""α: weight of entity overlap."""
BETA = 0.3
"""β: weight of recency."""
GAMMA = 0.1
"""γ: weight of citations."""
WEEK = 168.0
"""Hours in which recency falls to 1/e."""
CITED = 1.0
UNCITED = 0.5


def recency(age_hours: float) -> float:
    """Return exp(−age/168), in [0, 1] (section Recency Scoring); an age below 0 counts as 0."""
    return exp(-max(0.0, age_hours) / WEEK)


def availability(citations: int) -> float:
    """Return 1.0 with at least one citation, else 0.5 (section Core Scoring Function)."""
    return CITED if citations > 0 else UNCITED


def benefit(overlap: float, recent: float, available: float) -> float:
    """Return α·overlap + β·recency + γ·citation availability, in [0, 1] (section 1).

    All three are in [0, 1].
    """
    return ALPHA * overlap + BETA * recent + GAMMA * available


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


_HOUR = 3600.0
_DIGITS = 14
"""Of a moment: year to second."""
PLACES = 9
"""Decimals of benefits: what differs less differs by rounding, which machines do unlike."""


def prospects(parts: Sequence[Part], question: Question) -> Planned:
    """Return what ``question`` looks at, and the entries to choose from, best bound first.

    Of each kind ``question.most`` at most. Superseded entries are none.
    """
    corpus = Corpus(parts)
    means = question.asked
    looking = gaze(question, means.lexicon)
    world = _World(corpus, question, looking)
    if question.query.strip():
        askable = corpus.asked_for(question)
        world.found = relevance(corpus, question.query, askable, means.lexicon, means.near)
    kinds = list(world.by_kind())
    found = [_Prospect(world, at) for held in kinds for at in world.best(held, question.most)]
    if question.explained:
        for one in found:
            one.fragments()
    count = sum(map(len, kinds)) * len(LEVELS)
    return Planned(found, [term.name for term in looking.terms], count)


class _World:
    """What all prospects of one plan share."""

    def __init__(self, corpus: Corpus, question: Question, looking: Gaze) -> None:
        self.corpus = corpus
        self.gaze = looking
        self.masks = looking.masks
        self.found: Mapping[int, Relevant] = {}
        """What the query finds, by position."""
        self.gated = bool(question.query.strip() or question.focus)
        """Whether something is asked for."""
        self.links = Links(corpus)
        self.exists = question.exists
        self.named = {term.name: bit for bit, term in enumerate(looking.terms) if not term.is_word}
        """Terms of several words, and their bits."""
        self.doubtful = sum(1 << bit for bit in self.named.values())
        self.words = {term.name: bit for bit, term in enumerate(looking.terms) if term.is_word}
        self._askable = corpus.asked_for(question)
        self._as_of = question.as_of
        self._recent: dict[str, float] = {}
        """Recency by timestamp."""
        self._oldest = self._look_at_dates()

    def _look_at_dates(self) -> str:
        """Return the oldest timestamp that is one; empty where nothing is dated."""
        for stamp in {stamp for part in self.corpus.parts for stamp in part.timestamps}:
            hours = age(stamp, self._as_of) / _HOUR
            if isfinite(hours):
                self._recent[stamp] = recency(hours)
        return min(self._recent, key=lambda stamp: (_moment(stamp), stamp), default="")

    def stamp(self, at: int) -> str:
        """Return when an entry was written: what is undated is as old as the oldest known."""
        written = self.corpus.timestamp(at)
        return written if written in self._recent else self._oldest

    def recency(self, at: int) -> float:
        """Return the recency of an entry, in [0, 1]; 0 where nothing is dated."""
        return self._recent.get(self.stamp(at), 0.0)

    def relevance(self, at: int) -> float:
        """Return what an entry has to do with the query, in [0, 1], 1 for the best."""
        found = self.found.get(at)
        return found.sim if found else 0.0

    def benefit(self, at: int, overlap: float, recent: float, available: float) -> float:
        """Return the benefit of what has this ``overlap``, in [0, 1]; of a summary times Q."""
        worth = benefit(overlap, recent * overlap if self.gated else recent, available)
        return round(worth * quality(self.corpus.decay(at)), PLACES)

    def bound(self, at: int) -> float:
        """Return what no fragment of an entry is worth more than."""
        overlap = max(self.gaze.overlap(self.masks.get(at, 0)), self.relevance(at))
        return self.benefit(at, overlap, self.recency(at), CITED)

    def by_kind(self) -> Iterator[list[int]]:
        """Yield the positions of the entries that may be chosen, each kind together."""
        return self._askable.by_kind(range(len(self.corpus)))

    def best(self, positions: Iterable[int], most: int | None) -> list[int]:
        """Return the ``most`` best of ``positions``, all where it is None; ties by position."""
        bounds = [(-self.bound(at), at) for at in positions]
        chosen = sorted(bounds) if most is None else nsmallest(most, bounds)
        return [at for _, at in chosen]


class _Prospect:
    """An entry that may be chosen: its bound first, its fragments when they are asked for."""

    __slots__ = ("_at", "_fragments", "_world", "bound", "scored")

    def __init__(self, world: _World, at: int) -> None:
        self._world = world
        self._at = at
        self._fragments: tuple[Fragment, ...] = ()
        self.bound = world.bound(at)
        parts = (
            ("overlap", world.gaze.overlap(world.masks.get(at, 0))),
            ("relevance", world.relevance(at)),
            ("recency", world.recency(at)),
        )
        self.scored = Scored(world.corpus.entry(at), self.bound, parts)

    def fragments(self) -> Sequence[Fragment]:
        """Return the entry at each of its levels; reads it."""
        if not self._fragments:
            self._fragments = tuple(self._read())
        return self._fragments

    def needs(self) -> Sequence[str]:
        """Return the ids of the entries that it links to; reads it."""
        corpus = self._world.corpus
        return [corpus.entry(at).id for at in self._world.links.of(self._at)]

    def _read(self) -> Iterator[Fragment]:
        entry, world = self.scored.entry, self._world
        body = entry.body
        cited = _cited(f"{entry.title}\n{body}", world.exists)
        told = _Told(
            world.recency(self._at),
            _moment(world.stamp(self._at)),
            cited,
            world.links.unresolved(self._at),
        )
        mask = self._sure(entry, body)
        yield self._fragment("full", mask, told)
        key = key_lines(entry)
        if key:
            yield self._fragment("key", self._within(mask, f"{entry.title}\n{key}"), told)
        yield self._fragment("title", self._within(mask, entry.title), told)

    def _sure(self, entry: Entry, body: str) -> int:
        """Return the terms that the whole entry holds."""
        world = self._world
        mask = world.masks.get(self._at, 0)
        if mask & world.doubtful:
            said = entities(f"{entry.title}\n{entry.speaker}\n{body}")
            mask &= ~sum(1 << bit for name, bit in world.named.items() if name not in said)
        return mask

    def _within(self, mask: int, text: str) -> int:
        """Return which terms of ``mask`` a part of the entry holds."""
        if not mask:
            return 0
        world = self._world
        found = sum(1 << world.words[word] for word in world.words.keys() & index_words(text))
        if mask & world.doubtful:
            found |= sum(1 << world.named[name] for name in world.named.keys() & entities(text))
        return found & mask

    def _fragment(self, level: Level, mask: int, told: _Told) -> Fragment:
        world = self._world
        overlap = world.gaze.overlap(mask)
        if level == "full":
            # A title that shares nothing with the query tells nothing of what the body answers.
            overlap = max(overlap, world.relevance(self._at))
        worth = world.benefit(self._at, overlap, told.recency, availability(told.citations))
        return Fragment(level, worth, mask, told.moment, told.citations, told.unresolved)


class _Told(NamedTuple):
    """What all levels of an entry share."""

    recency: float
    moment: int
    citations: int
    unresolved: int


def _cited(text: str, exists: Callable[[str], bool] | None) -> int:
    """Return how many things ``text`` cites; a path counts if there is something at it."""
    return sum(
        one.kind != "path" or (exists is not None and exists(one.target)) for one in citations(text)
    )


def _moment(stamp: str) -> int:
    """Return ``Entry.timestamp`` as a number of 14 digits; 0 for an empty one."""
    digits = "".join(filter(str.isdigit, stamp))[:_DIGITS]
    return int(digits.ljust(_DIGITS, "0")) if digits else 0

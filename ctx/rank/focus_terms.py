"""What the agent is looking at: the query, the work in hand, and the files in focus.

Source: ``planner.md``, section Terms. Where several of the three are there, each counts as a
whole: three long tasks must not make the five words of a query count for nothing.
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from ctx.model import Entry, Lexicon, Question
from ctx.text.entities import entities, keywords, of_path
from ctx.text.proper_nouns import is_common
from ctx.text.words import STOPS, index_words, words

QUERY = 1.0
FOCUS = 1.0
TASKS = 0.5
"""What query, files in focus and tasks weigh together, where more than one of them is there."""
FEW = 3
"""Tasks that stand for the work in hand where none is in progress."""
MOST_TERMS = 32
"""Terms of each of the three; of more the rarest, as with the words of a search."""
MOST_COUNTED = 1_000
"""Terms among which the rarest are looked for."""


class Term(NamedTuple):
    """One thing that is looked at."""

    name: str
    """An entity as written, case-folded; a keyword by its stem."""
    words: tuple[str, ...]
    """The stems that an entry must hold to hold the term: of a keyword itself."""

    @property
    def is_word(self) -> bool:
        """Whether holding the one word is holding the term."""
        return len(self.words) == 1


class Gaze:
    """The terms of a gaze, who may hold them, and what share of the gaze some of them are."""

    def __init__(self, weights: Mapping[Term, float], masks: Mapping[int, int]) -> None:
        """Look at terms of these weights, which add up to 1.

        ``masks`` says by position which terms an entry may hold, a bit each in the order of
        the weights. A term of several words is held for sure only where an entry says it so.
        """
        self.terms = tuple(weights)
        self.masks = masks
        self._weights = tuple(weights.values())
        self._shares: dict[int, float] = {0: 0.0}

    def overlap(self, covered: int) -> float:
        """Return |E_f ∩ E_g| / |E_g|, in [0, 1] (section Entity Overlap Calculation).

        ``covered`` has a bit for each term that a fragment holds. 0 where the gaze is empty.
        """
        share = self._shares.get(covered)
        if share is None:
            held = (weight for bit, weight in enumerate(self._weights) if covered >> bit & 1)
            share = self._shares[covered] = fsum(held)
        return share


def gaze(question: Question, lexicon: Lexicon) -> Gaze:
    """Return what ``question`` looks at, in the order of names.

    The tasks are those in progress; where there is neither a query nor any of these, the most
    urgent ones. What no entry holds is left out: it tells entries not apart.
    """
    named = frozenset().union(*map(of_path, question.focus))
    holders = _Holders(lexicon)
    origins = [
        (QUERY, _terms(entities(question.query) | keywords(question.query), holders)),
        (FOCUS, _terms(named, holders)),
        (TASKS, _terms(_of_tasks(question), holders)),
    ]
    there = [(weight, terms) for weight, terms in origins if terms]
    total = fsum(weight for weight, _ in there)
    weights: dict[Term, float] = {}
    for weight, terms in there:
        for term in terms:
            weights[term] = weights.get(term, 0.0) + weight / total / len(terms)
    weights = dict(sorted(weights.items()))
    return Gaze(weights, holders.masks(weights))


class _Holders:
    """Who holds which word, each looked up once."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._held: dict[str, frozenset[int]] = {}

    def of(self, term: Term) -> frozenset[int]:
        """Return the positions of the entries that hold all words of a term."""
        return frozenset.intersection(*map(self._holding, term.words))

    def _holding(self, word: str) -> frozenset[int]:
        if word not in self._held:
            self._held[word] = frozenset(at for at, _ in self._lexicon.holding(word))
        return self._held[word]

    def masks(self, terms: Iterable[Term]) -> dict[int, int]:
        """Return which of ``terms`` each entry may hold, by position."""
        masks: dict[int, int] = {}
        for bit, term in enumerate(terms):
            for at in self.of(term):
                masks[at] = masks.get(at, 0) | 1 << bit
        return masks


def _of_tasks(question: Question) -> set[str]:
    working = [task for task in question.tasks if task.status == "in-progress"]
    if not working and not question.query and not question.focus:
        working = list(question.tasks[:FEW])
    return {name for task in working for name in _of_task(task)}


def _of_task(task: Entry) -> Iterable[str]:
    """Return what a task is about: labels, dates and numbers say how far it is."""
    text = f"{task.title}\n{task.body}"
    named = {name for name in entities(text) if not name.startswith("#")}
    return named | {word for word in set(words(text)) - STOPS if not is_common(word)}


def _terms(names: Iterable[str], holders: _Holders) -> Sequence[Term]:
    """Return the terms of ``names`` that any entry holds, each once; of too many the rarest."""
    every = sorted({term for name in names if (term := _term(name)).words})[:MOST_COUNTED]
    held = [(len(holders.of(term)), term) for term in every]
    return [term for count, term in sorted(held) if count][:MOST_TERMS]


def _term(name: str) -> Term:
    """Return what is looked for: an entity of one word is the word."""
    words = tuple(index_words(name))
    return Term(words[0] if len(words) == 1 else name, words)

"""Focus terms: what the agent works on, as words of the query, the tasks and the files in focus.

Source: ``planner.md``, section Terms. Where several of the three are given, each counts as a
whole: three long tasks must not make the five words of a query count for nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from math import fsum
from typing import NamedTuple

from ctx.model import Lexicon, Question
from ctx.text.entities import entities, is_common, keywords, of_path
from ctx.text.words import STOPS, index_words, words

QUERY = 1.0
FOCUS = 1.0
TASKS = 0.5  # weight of all terms of the query, of the files in focus and of the tasks together
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
        self.overlap = cache(self._overlap)

    def _overlap(self, covered: int) -> float:
        """Return |E_f ∩ E_g| / |E_g|, in [0, 1], 0 without terms (Entity Overlap Calculation).

        ``covered`` has a bit for each term that a fragment holds.
        """
        return fsum(weight for bit, weight in enumerate(self._weights) if covered >> bit & 1)


def focus_terms(question: Question, lexicon: Lexicon) -> FocusTerms:
    """Return the focus terms that entries hold, by name: of query, files and current tasks."""
    named = frozenset().union(*map(of_path, question.focus))
    held = cache(lambda word: frozenset(at for at, _ in lexicon.holding(word)))

    def holders(term: Term) -> frozenset[int]:
        return frozenset.intersection(*map(held, term.words))

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


def _terms(names: Iterable[str], holders: Callable[[Term], AbstractSet[int]]) -> Sequence[Term]:
    """Return the terms of ``names`` that any entry holds, each once; of too many the rarest."""
    every = set()
    for name in names:
        if stems := tuple(index_words(name)):
            every.add(Term(stems[0] if len(stems) == 1 else name, stems))
    held = [(len(holders(term)), term) for term in sorted(every)[:MOST_COUNTED]]
    return [term for count, term in sorted(held) if count][:MOST_TERMS]

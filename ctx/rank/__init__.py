"""Rankers: one a file, one signature, and the registry of them all."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from itertools import chain

from ctx.errors import UsageError
from ctx.model import BY_AGE, FOREIGN, WEAK, RerankError, Scored
from ctx.rank.documents import fields, text
from ctx.rank.urgency import by_urgency, in_focus
from ctx.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ctx.model import Candidates, Entry, Indexes, Part, Question, Ranker
    from ctx.rank.spelling import Corrections

__all__ = [
    "BY_AGE", "BY_QUERY", "FINDERS", "RANKERS", "SIGNALS", "Meaning", "RankerInfo", "asks",
    "by_urgency", "clearest", "corrected", "elevated", "events", "fields", "foreign_last",
    "in_focus", "lookups", "meanings", "naming", "ranker", "reranked", "similarity", "text",
    "together", "weigh",
]  # fmt: skip

HANDFUL = 8  # instructions sent without a query


class Meaning(NamedTuple):
    """What one part of a score means."""

    text: str
    weight: str  # how it enters the score


class RankerInfo(NamedTuple):
    """What is known of a ranker without loading it."""

    help: str
    words: bool = True  # whether it needs the words (``Question.indexes``): it finds by query
    vectors: bool = True  # whether it uses the vectors of the entries


SIGNALS = frozenset({  # the parts of a score that ``ctx.rank.relevance`` adds up
    "words", "words nearby", "words around", "source", "title", "speaker", "names", "question",
    "meaning", "meaning nearby", "meaning around", "asks", "preference", "step", "user",
})  # fmt: skip
RANKERS = {
    BY_AGE: RankerInfo("by age and the words of the tasks", words=False, vectors=False),
    "lexical": RankerInfo("by words alone", vectors=False),
    "hybrid": RankerInfo("by words, meaning, age and trust"),
    "discovery": RankerInfo("in two passes, along links"),
}  # the registry. A ranker is a module of this package with a function ``rank``, and an item here
BY_QUERY = "discovery"  # the ranker that ``auto`` means with a query; without one it is ``BY_AGE``
FINDERS = tuple(name for name, info in RANKERS.items() if info.words)  # those that score a query
_OWN = frozenset({"words", "meaning"})  # signals of an entry alone, without its neighbours


@cache
def meanings(name: str) -> dict[str, Meaning]:
    """Return what the parts of scores mean, by name: of the ranker ``name``, ``tasks`` or ``acs``.

    They are in ``meanings.txt``, which is read only where somebody asks for reasons.
    """
    from ctx.text.tables import groups

    known = {called: rows for called, (_, rows) in groups(__file__, "meanings.txt").items()}
    every = chain.from_iterable(
        known["signals"] if row == ["signals"] else [row] for row in known[name]
    )
    return {part: Meaning(text, weight) for part, text, weight in every}


def ranker(name: str) -> Ranker:
    """Return the ranker called ``name``, and load no other; UsageError if it is unknown."""
    asks(name)
    rank: Ranker = import_module(f"ctx.rank.{name}").rank
    return rank


def asks(name: str) -> RankerInfo:
    """Return what the ranker called ``name`` asks for; UsageError if it is unknown."""
    if name not in RANKERS:
        known = ", ".join(("auto", *RANKERS))
        raise UsageError(f"--ranker: there is no ranker {name!r}", f"one of {known}")
    return RANKERS[name]


def lookups(query: str) -> tuple[list[str], list[str]]:
    """Return what a query is looked up by (see ``ctx.rank.relevance``)."""
    from ctx.rank.relevance import lookups as found

    return found(query)


def events(query: str) -> list[str]:
    """Return the events that a question about time names, whose meaning is asked for as well."""
    from ctx.rank.temporal.question import indicate, slots  # only with an embedder

    return [slot.text for slot in slots(query)] if indicate(query).active else []


def elevated(scored: Sequence[Scored]) -> list[Scored]:
    """Return turns in which a user gave a rule that is relevant by its own words or meaning."""

    def is_relevant(parts: Mapping[str, float]) -> bool:
        signals = SIGNALS & parts.keys()
        by_itself = not signals or not signals.isdisjoint(_OWN)
        return by_itself and similarity(parts) > 0

    turns = (turn for turn in scored if turn.entry.section == "elevated")
    return [turn for turn in turns if is_relevant(dict(turn.parts))]


def clearest(instructions: Sequence[Entry], query: str) -> list[Scored]:
    """Return the instructions to send, given oldest first: a word shared, clearness, newness.

    Weak ones are not sent; without a query a handful of the others.
    """
    sent = [each for each in reversed(instructions) if each.priority > WEAK]
    if not sent:
        return []
    from ctx.text.words import term_ids  # loads the stemmer: only where there are sessions

    asked = set(term_ids(query)) if query else set[int]()
    sent.sort(key=lambda each: (not asked.isdisjoint(each.terms), each.priority), reverse=True)
    return [Scored(each, 0.0, ()) for each in sent[: None if asked else HANDFUL]]


def foreign_last(scored: Iterable[Scored]) -> list[Scored]:
    """Return turns that came with the repository behind all else, whatever their score."""
    return sorted(scored, key=lambda entry: entry.entry.source.startswith(FOREIGN))


def reranked(scored: Sequence[Scored], question: Question) -> tuple[list[Scored], tuple[str, ...]]:
    """Return ``scored``, its first entries reordered behind what is named, or a warning."""
    indexes = question.needed_indexes
    first = scored[: indexes.reranked]
    if indexes.reranker is None or len(first) <= 1 or not question.query.strip():
        return list(scored), ()
    from ctx.rank.corpus import DEAR  # only where one is set up

    try:
        found = indexes.reranker.scores(question.query, [text(each.entry) for each in first])
    except RerankError as error:
        return list(scored), (f"not reranked: {error}",)

    def key(place: int) -> tuple[bool, float]:
        length = first[place].entry.size if question.per_token else 0
        return not first[place].named, -found[place] / (1 + length / DEAR)

    order = sorted(range(len(first)), key=key)
    scores = sorted((each.score for each in first), reverse=True)
    new = [
        first[place]._replace(score=score, parts=(*first[place].parts, ("rerank", found[place])))
        for place, score in zip(order, scores, strict=True)
    ]
    return [*new, *scored[len(new) :]], ()


def similarity(parts: Mapping[str, float]) -> float:
    """Return sim(q) as rankers and planners name it among the parts of a score; 0 without."""
    return max(parts.get(name, 0.0) for name in ("similarity", "relevance"))


def naming(
    parts: Sequence[Part], query: str, indexes: Indexes, groups: Sequence[Sequence[str]]
) -> tuple[Indexes, AbstractSet[int]]:
    """Return ``indexes`` that also find other names in ``groups``, and what ``query`` names."""
    from ctx.rank.names import glossed, named  # only for searches

    lexicon = glossed(indexes.lexicon, query, groups)
    return indexes._replace(lexicon=lexicon), named(parts, query, lexicon, groups)


def together(found: Iterable[Sequence[Scored]]) -> list[Scored]:
    """Return the results of several directories, what is named first, then by score."""
    every = (each for scored in found for each in scored)
    return foreign_last(sorted(every, key=lambda each: (not each.named, -each.score)))


def corrected(query: str, indexes: Indexes) -> tuple[str, Corrections]:
    """Return ``query`` with mistyped words corrected, and what was corrected."""
    from ctx.rank.spelling import corrected as found  # only for searches

    return found(query, indexes.lexicon)


def weigh(parts: Sequence[Part], question: Question) -> Candidates:
    """Return what the benefit/cost planner may choose from ``parts``; needs words."""
    from ctx.rank.prospects import prospects  # loads entities: not for the tiered planner

    return prospects(parts, question)

"""Rankers: one a file, one signature, and the registry of them all."""

from __future__ import annotations

from importlib import import_module

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
    "in_focus", "lookups", "naming", "ranker", "reranked", "similarity", "text", "together",
    "weigh",
]  # fmt: skip

HANDFUL = 8  # instructions sent without a query


class Meaning(NamedTuple):
    """What one part of a score means."""

    text: str
    weight: str  # how it enters the score


class RankerInfo(NamedTuple):
    """What is known of a ranker without loading it."""

    help: str
    parts: Mapping[str, Meaning]  # the meaning of the parts of its scores, by name
    words: bool = True  # whether it needs the words (``Question.indexes``): it finds by query
    vectors: bool = True  # whether it uses the vectors of the entries


SIGNALS = {  # the signals of ``ctx.rank.relevance``, each with its weight there
    "words": Meaning("words of the query that it holds itself", "1 in similarity"),
    "words nearby": Meaning("the same in it and in its neighbours", "½ in similarity"),
    "words around": Meaning("the same, three entries to either side", "1 in similarity"),
    "source": Meaning("the same in its whole file or session", "½ in similarity"),
    "title": Meaning("the same in title and file name of its document", "½ in similarity"),
    "speaker": Meaning("its speaker is in the query", "¾ in similarity"),
    "names": Meaning("holds names of several words as they are in the query", "½ in similarity"),
    "question": Meaning("words of the query in the question before it", ".3 in similarity"),
    "meaning": Meaning("its meaning is near the query", "1 in similarity"),
    "meaning nearby": Meaning("the same with its neighbours", "½ in similarity"),
    "meaning around": Meaning("the same, three entries to either side", "½ in similarity"),
    "asks": Meaning("ends in a question", "similarity times .8"),
    "preference": Meaning(
        "holds a preference or a standing instruction, where advice is asked", "similarity times 2"
    ),
    "step": Meaning(
        "a call of a tool, its output, or few words that announce it", "similarity times .3"
    ),
    "user": Meaning("a turn of the agent's user", "similarity times 1.3"),
}
_SIMILARITY = "how well it answers the query: the signals below, the best is 1"
_RERANKED = {"rerank": Meaning("how well a reranker finds that it answers", "orders the first")}
_QUALITY = Meaning("how well a summary covers its turns", "the score times it")

RANKERS = {
    BY_AGE: RankerInfo(
        "by age and the words of the tasks",
        {
            "recency": Meaning("up to 7 days old 1, 30 days .7, 90 days .4, older .2", "added"),
            "relevance": Meaning(
                "keywords that it shares with the query, three or more 1", "added"
            ),
            "idf": Meaning("how rare these keywords are", "decides between equals only"),
            "quality": _QUALITY,
        },
        words=False,
        vectors=False,
    ),
    "lexical": RankerInfo(
        "by words alone",
        {"similarity": Meaning(_SIMILARITY, "the score"), **SIGNALS, **_RERANKED},
        vectors=False,
    ),
    "hybrid": RankerInfo(
        "by words, meaning, age and trust",
        {
            "similarity": Meaning(_SIMILARITY, ".7 of the score, unless set"),
            "recency": Meaning("its age, fading", ".2 of the score, likewise"),
            "scope": Meaning("session, project or global", ".1 of the score, likewise"),
            **_RERANKED,
        },
    ),
    "discovery": RankerInfo(
        "in two passes, along links",
        {
            "similarity": Meaning(_SIMILARITY, "what the score starts from"),
            **SIGNALS,
            "authority": Meaning("age, use and standing", "the score times .9 to 1"),
            "keywords": Meaning("share of the query that it holds", "the score times .77 to 1"),
            "hop": Meaning("reached by a link from what was found", "the score itself"),
            "temporal": Meaning("selected by the times in the query", "the score at least"),
            "quality": _QUALITY,
            **_RERANKED,
        },
    ),
}  # the registry. A ranker is a module of this package with a function ``rank``, and an item here
BY_QUERY = "discovery"  # the ranker that ``auto`` means with a query; without one it is ``BY_AGE``
FINDERS = tuple(name for name, info in RANKERS.items() if info.words)  # those that score a query
_OWN = frozenset({"words", "meaning"})  # signals of an entry alone, without its neighbours


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
        signals = SIGNALS.keys() & parts.keys()
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

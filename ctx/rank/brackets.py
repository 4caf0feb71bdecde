"""Brackets: the age of an entry, and how many words it shares with the work in hand.

Source: ``smart-retrieval``, section Entry Scoring.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import chain, groupby
from math import log
from typing import NamedTuple

from ctx.model import Entry, Question, Scored
from ctx.words import term_ids

BRACKETS = ((7, 1.0), (30, 0.7), (90, 0.4))
"""Age in days, inclusive, and the recency up to it."""
OLDEST = 0.2
"""Recency beyond the last bracket, and of entries without a date that can be read."""
FULL_MATCH = 3
"""Distinct keywords that make an entry fully relevant."""
COMMON = 5
"""A keyword in more than one of this many entries tells them not apart."""
SEPARATE = 10
"""Fewer than one of this many entries may be fully relevant, or the score says nothing."""
FEW = 20
"""Entries below which shares of them are too coarse to act on."""


def rank(entries: Sequence[Entry], question: Question) -> list[Scored]:
    """Score ``entries`` by ``recency + relevance``, in [0.0, 2.0], 0 for superseded; best first.

    Ties: the greater recency, then the greater sum of inverse document frequencies of all
    keywords matched, then file order.
    """
    match = _match(entries, question)
    recency = _Recency(question.as_of)
    scored = [
        _scored(entry, recency[entry.timestamp[:10]], count, idf)
        for entry, count, idf in zip(entries, match.counts, match.idf, strict=True)
    ]
    scored.sort(key=_order)
    return scored


def _order(one: Scored) -> tuple[float, float, float]:
    (_, recency), _, (_, idf) = one.parts
    return (-one.score, -recency, -idf)


def _scored(entry: Entry, recency: float, count: int, idf: float) -> Scored:
    if entry.status == "superseded":
        recency, count, idf = 0.0, 0, 0.0
    relevance = min(count / FULL_MATCH, 1.0)
    parts = (("recency", recency), ("relevance", relevance), ("idf", idf))
    return Scored(entry, recency + relevance, parts)


class _Recency(dict[str, float]):
    """Recency by written date, worked out once for each date."""

    def __init__(self, as_of: date) -> None:
        super().__init__()
        self._as_of = as_of

    def __missing__(self, written: str) -> float:
        try:
            age = (self._as_of - date.fromisoformat(written)).days
        except ValueError:
            worth = OLDEST
        else:
            worth = next((value for days, value in BRACKETS if age <= days), OLDEST)
        self[written] = worth
        return worth


class _Match(NamedTuple):
    """By entry: how many chosen keywords it holds, and the weight of all it holds."""

    counts: list[int]
    idf: list[float]


def _match(entries: Sequence[Entry], question: Question) -> _Match:
    asked = set(term_ids(question.query))
    wanted = asked.union(*(task.terms for task in question.tasks))
    found = [wanted.intersection(entry.terms) for entry in entries]
    frequency = Counter(chain.from_iterable(found))
    places = _places(found, _telling(frequency, asked, len(entries)))
    counts = _counts(places, asked, len(entries))
    idf = [0.0] * len(entries)
    for term, where in places.items():
        weight = log(1 + len(entries) / frequency[term])
        for place in where:
            idf[place] += weight
    return _Match(counts, [round(value, 4) for value in idf])


def _telling(frequency: Counter[int], asked: set[int], total: int) -> list[int]:
    """Return the keywords that tell entries apart, rarest first.

    What a person asked for stays, however common, when nothing else of it is left; and a
    handful of entries is too few to call a word common.
    """
    limit = max(total / COMMON, FULL_MATCH)
    rare = {term for term, count in frequency.items() if count <= limit}
    if not rare & asked:
        rare |= asked & frequency.keys()
    return sorted(rare, key=lambda term: (frequency[term], term))


def _places(found: list[set[int]], telling: list[int]) -> dict[int, list[int]]:
    """Return the entries that hold each keyword, by place."""
    places: dict[int, list[int]] = {term: [] for term in telling}
    for place, terms in enumerate(found):
        for term in terms:
            where = places.get(term)
            if where is not None:
                where.append(place)
    return places


def _counts(places: dict[int, list[int]], asked: set[int], total: int) -> list[int]:
    """Return how many keywords each entry holds, of as many as keep the scores apart.

    Hundreds of task words would make every entry fully relevant. So after the query's own,
    keywords count from the rarest up, until a tenth of the entries would be.
    """
    counts = [0] * total
    full = 0
    limit = total / SEPARATE if total >= FEW else total + 1
    query = [term for term in places if term in asked]
    others = (term for term in places if term not in asked)
    batches: list[Iterable[int]] = [query]
    batches += [tuple(batch) for _, batch in groupby(others, key=lambda term: len(places[term]))]
    for batch in batches:
        added = Counter(chain.from_iterable(places[term] for term in batch))
        newly = sum(
            counts[place] < FULL_MATCH <= counts[place] + more for place, more in added.items()
        )
        if full + newly >= limit and batch is not query:
            break
        full += newly
        for place, more in added.items():
            counts[place] += more
    return counts

"""Rank by age, and by words shared with query and tasks (``smart-retrieval``, Entry Scoring)."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import cache
from heapq import nlargest
from itertools import accumulate, chain, groupby
from math import log

from ctx.model import Kind, Part, Question, Scored
from ctx.typed import NamedTuple

BRACKETS = ((7, 1.0), (30, 0.7), (90, 0.4))  # age in days, inclusive, and the recency up to it
OLDEST = 0.2  # recency beyond the last bracket, and of entries without a readable date
FULL_MATCH = 3  # distinct keywords that make an entry fully relevant
COMMON = 5  # a keyword in more than 1/5 of the entries does not tell them apart
SEPARATE = 10  # at most 1/10 of the entries may become fully relevant by the words of tasks
FEW = 20  # fewer entries than this are too few to act on shares of them

_GRAIN = 30  # scores are whole numbers of 1/30, the finest that brackets and thirds add up to
_DAY_BITS = 22  # bits of an ordinal date: the last one that Python knows is 3,652,059
_IDF_GRAIN = 1000  # inverse document frequencies are whole thousandths: sums are the same anywhere

_TALK: frozenset[Kind] = frozenset({"turn", "summary"})
FAMILIES: tuple[frozenset[Kind], ...] = (
    frozenset({"decision", "learning"}),
    frozenset({"lore"}),
    _TALK,
)  # word frequencies count in each family alone: turns must not make words of decisions rare


def rank(parts: Sequence[Part], question: Question) -> list[Scored]:
    """Score entries by ``recency + relevance``, in [0.0, 2.0], 0 for superseded.

    Best first within each family of kinds. Ties: the greater recency, then the greater sum of
    inverse document frequencies of the keywords that counted, then the later day, then file
    order; of the turns of a file the later one.
    """
    return [
        scored
        for family in FAMILIES
        for scored in _rank([part for part in parts if part.kind in family], question)
    ]


def _rank(parts: Sequence[Part], question: Question) -> list[Scored]:
    if not parts:
        return []
    matches = _match(parts, question)
    recency = cache(lambda written: _recency(written, question.as_of))
    worth = [_worth(part, match, recency) for part, match in zip(parts, matches, strict=True)]
    best = [
        (worth[number][place], number, place)
        for kind in dict.fromkeys(part.kind for part in parts)
        for number, place in _best(parts, worth, kind, question.most)
    ]
    # Of the turns of one day the last is the newest.
    turn = -1 if parts[0].kind in _TALK else 1
    best.sort(key=lambda row: (-row[0], row[1], turn * row[2]))
    return [_scored(parts[n], matches[n], place, recency) for _, n, place in best]


class _Match(NamedTuple):
    """By place: how many keywords an entry holds, and the sum of their weights."""

    counts: list[int]
    weights: list[int]  # in thousandths


def _recency(written: str, as_of: date) -> tuple[int, int]:
    """Return the recency of a date, in grains, and its ordinal, 0 where it cannot be read."""
    try:
        day = date.fromisoformat(written)
    except ValueError:
        return round(OLDEST * _GRAIN), 0
    age = (as_of - day).days
    worth = next((value for days, value in BRACKETS if age <= days), OLDEST)
    return round(worth * _GRAIN), day.toordinal()


_Recency = Callable[[str], tuple[int, int]]


def _worth(part: Part, match: _Match, recency: _Recency) -> list[int]:
    """Return a sort key for each entry: score, then recency, keywords' weight and day."""
    recent = [recency(written[:10]) for written in part.timestamps]
    steps = [
        min(n, FULL_MATCH) * _GRAIN // FULL_MATCH for n in range(max(match.counts, default=0) + 1)
    ]
    sums = [age + steps[count] for (age, _), count in zip(recent, match.counts, strict=True)]
    if part.confidences:
        sums = [
            int(total * _quality(confidence))
            for total, confidence in zip(sums, part.confidences, strict=True)
        ]
    worth = [
        (((((total << 8) + age) << 32) + weight) << _DAY_BITS) + day
        for (age, day), total, weight in zip(recent, sums, match.weights, strict=True)
    ]
    for place in part.superseded:
        worth[place] = -1
    return worth


def _best(
    parts: Sequence[Part], worth: Sequence[Sequence[int]], kind: str, most: int | None
) -> list[tuple[int, int]]:
    """Return file and place of the best entries of a kind, ``most`` at most."""
    files = [number for number, part in enumerate(parts) if part.kind == kind]
    all_worth = list(chain.from_iterable(worth[number] for number in files))
    starts = list(accumulate((len(worth[number]) for number in files), initial=0))
    wanted = len(all_worth) if most is None else most
    places = range(len(all_worth))[:: -1 if kind in _TALK else 1]
    chosen = nlargest(wanted, places, key=all_worth.__getitem__)
    found = []
    for index in chosen:
        number = bisect_right(starts, index) - 1
        found.append((files[number], index - starts[number]))
    return found


def _scored(part: Part, match: _Match, place: int, recency: _Recency) -> Scored:
    entry = part.entry(place)
    if place in part.superseded:
        return Scored(entry, 0.0, (("recency", 0.0), ("relevance", 0.0), ("idf", 0.0)))
    recent = recency(part.timestamps[place][:10])[0] / _GRAIN
    relevance = min(match.counts[place] / FULL_MATCH, 1.0)
    idf = match.weights[place] / _IDF_GRAIN
    parts = (("recency", recent), ("relevance", relevance), ("idf", idf))
    if entry.confidence is None:
        return Scored(entry, recent + relevance, parts)
    q = _quality(entry.confidence)
    return Scored(entry, (recent + relevance) * q, (*parts, ("quality", q)))


def _quality(confidence: float) -> float:
    from ctx.rank.score import decay_rate, quality  # only for summaries

    return quality(decay_rate(confidence))


_Holders = dict[int, list[tuple[_Match, Sequence[int]]]]  # by keyword, places in files that hold it


def _match(parts: Sequence[Part], question: Question) -> list[_Match]:
    """Count keywords of the query, then of tasks, rarest first, until a tenth would be relevant."""
    matches = [_Match([0] * len(part), [0] * len(part)) for part in parts]
    total = sum(map(len, parts))
    asked: set[int] = set()
    if question.query:
        from ctx.text.words import term_ids  # loads the stemmer and hashlib: only for a query

        asked.update(term_ids(question.query))
    wanted = list(asked.union(*(task.terms for task in question.tasks)))
    holders: _Holders = {}
    for part, match in zip(parts, matches, strict=True):
        for term, places in part.holding(wanted):
            holders.setdefault(term, []).append((match, places))
    frequency = {term: sum(len(places) for _, places in where) for term, where in holders.items()}
    distinctive = _distinctive(frequency, asked, total)
    limit = total / SEPARATE if total >= FEW else total + 1
    full = _count([term for term in distinctive if term in asked], holders, frequency, total)
    others = (term for term in distinctive if term not in asked)
    for _, batch in groupby(others, key=frequency.__getitem__):
        terms = list(batch)
        full += _count(terms, holders, frequency, total)
        if full >= limit:
            _count(terms, holders, frequency, total, step=-1)
            break
    return matches


def _distinctive(frequency: dict[int, int], asked: set[int], total: int) -> list[int]:
    """Return the keywords that tell entries apart, rarest first; without any the common ones."""
    limit = max(total / (COMMON if total >= FEW else 2), FULL_MATCH)
    rare = {term for term, count in frequency.items() if count <= limit}
    if not rare & asked:
        rare |= asked & frequency.keys()
    rare = rare or set(frequency)
    return sorted(rare, key=lambda term: (frequency[term], term))


def _count(
    terms: Iterable[int], holders: _Holders, frequency: dict[int, int], total: int, step: int = 1
) -> int:
    """Count ``terms``, or back with a ``step`` of -1; return how many entries became full."""
    full = 0
    reached = FULL_MATCH if step > 0 else FULL_MATCH - 1
    for term in terms:
        weight = step * round(_IDF_GRAIN * log(1 + total / frequency[term]))
        for (counts, weights), places in holders[term]:
            for place in places:
                counts[place] += step
                weights[place] += weight
                full += counts[place] == reached
    return full * step

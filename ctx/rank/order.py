"""The order of ranked entries: the best first, or the best for their length."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ctx.model import FOREIGN, Question, Scored
from ctx.rank.corpus import Corpus

DEAR = 200
"""Tokens that halve the worth of an entry where tokens are the budget (``planner.md``)."""
DIGITS = 9
"""Decimals of scores: smaller differences are rounding errors, which differ by machine."""


def ordered(
    corpus: Corpus,
    scores: Mapping[int, tuple[float, tuple[tuple[str, float], ...]]],
    question: Question,
) -> list[Scored]:
    """Return the entries of ``scores``, by position, best first; ties in the order of files."""
    best = sorted(scores, key=lambda at: (-worth(corpus, at, scores[at][0], question), at))
    return [scored(corpus, at, *scores[at]) for at in first_of_each(corpus, best, question.most)]


def first_of_each(corpus: Corpus, positions: Iterable[int], most: int | None) -> Iterator[int]:
    """Yield the first ``most`` of each kind, all where it is None: entries cost time to make.

    Turns that came with the repository are a kind of their own: they displace no others.
    """
    seen: Counter[tuple[str, bool]] = Counter()
    for at in positions:
        part = corpus.part(at)
        kind = part.kind, part.source.startswith(FOREIGN)
        seen[kind] += 1
        if most is None or seen[kind] <= most:
            yield at


def scored(
    corpus: Corpus, position: int, score: float, parts: tuple[tuple[str, float], ...]
) -> Scored:
    """Return the entry at ``position`` with its rounded score."""
    return Scored(corpus.entry(position), round(score, DIGITS), parts)


def worth(corpus: Corpus, position: int, score: float, question: Question) -> float:
    """Return what an entry of this ``score`` is sorted by: by length where tokens count."""
    if question.per_token:
        score /= 1 + corpus.size(position) / DEAR
    return round(score, DIGITS)

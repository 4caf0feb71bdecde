"""What comes first: the best, or what is worth most for its length."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ctx.model import FOREIGN, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ctx.model import Question
    from ctx.rank.corpus import Corpus

DEAR = 200
"""Tokens that halve what an entry is worth where tokens are the budget (``planner.md``)."""
DIGITS = 9
"""Decimals of scores: what differs less differs by rounding, which machines do unlike."""


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

    Turns that came with the repository are a kind of their own: they take no other's place.
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
    """Return what an entry of this ``score`` is sorted by: for its length, where that counts."""
    if question.per_token:
        score /= 1 + corpus.size(position) / DEAR
    return round(score, DIGITS)

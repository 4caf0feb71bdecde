"""Two passes, one hop, and sets of dated entries for questions about time.

Source: ``retrieval-math``, section 7, and ``temporal-retrieval``, section 9; the symbols are
their own. The default wherever there is a query.
"""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from ctx.rank import links as hops
from ctx.rank import temporal
from ctx.rank.authority import LAMBDA_R, authority, frequency, standing
from ctx.rank.corpus import Corpus
from ctx.rank.coverage import s_final
from ctx.rank.links import Links
from ctx.rank.order import first_of_each, scored, worth
from ctx.rank.recency import age, recency
from ctx.rank.relevance import relevance
from ctx.rank.score import quality

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx.model import Part, Question, Scored
    from ctx.rank.corpus import Askable
    from ctx.rank.relevance import Relevant

THETA_1 = 0.05
"""θ₁: similarity below which nothing is looked at further."""
BREADTH = 16
"""k₁ for each result that is wanted."""
LEAST_BREADTH = 64
"""k₁ at least."""
INFLUENCE = 0.1
"""How much of a score authority decides: ω is mapped onto [1 − INFLUENCE, 1]. Multiplied as it
stands in the source (1.0), the newest talk pushes out what answers the question."""
PARENTS = 16
"""Entries of C₂, best first, whose links are followed."""

_Scores = dict[int, "_Score"]


class _Score(NamedTuple):
    """What an entry is worth, and why."""

    value: float
    """In [0, 1]."""
    parts: tuple[tuple[str, float], ...]


def rank(
    parts: Sequence[Part],
    question: Question,
    settings: temporal.Settings = temporal.DEFAULTS,
) -> list[Scored]:
    """Return Proj(V_rest, q), with scores in [0, 1] and their parts (sections 7.8 and 9.8).

    What a question about time selects comes first, then all others by score.
    """
    corpus = Corpus(parts)
    means = question.asked
    askable = corpus.asked_for(question)
    found = relevance(corpus, question.query, askable, means.lexicon, means.near)
    first = _first_pass(found, question)
    scores = _second_pass(corpus, first, question)
    scores |= _hopped(corpus, scores, askable)
    chosen = _anchors(corpus, found, scores, question, settings)
    least = max((score.value for score in scores.values()), default=0.0) if chosen else 0.0
    for one in chosen:
        position = int(one.key)
        known = scores.get(position, _NOTHING)
        # Said first, so never worth less than what follows.
        value = max(one.s_proj, least)
        scores[position] = _Score(value, (*known.parts, ("temporal", one.s_proj)))
    best = sorted(scores, key=lambda at: (-worth(corpus, at, scores[at].value, question), at))
    order = map(int, temporal.project(chosen, map(_key, best)))
    return [scored(corpus, at, *scores[at]) for at in first_of_each(corpus, order, question.most)]


_NOTHING = _Score(0.0, ())


def _first_pass(found: Mapping[int, Relevant], question: Question) -> dict[int, Relevant]:
    """Return C₁(q): the k₁ most similar, of these what is at least θ₁ (section 7.4)."""
    k_1 = len(found)
    if question.most is not None:
        k_1 = max(LEAST_BREADTH, BREADTH * question.most)
    raw = nlargest(k_1, found, key=lambda at: (found[at].sim, -at))
    return {at: found[at] for at in raw if found[at].sim >= THETA_1}


def _second_pass(corpus: Corpus, first: Mapping[int, Relevant], question: Question) -> _Scores:
    """Return C₂(q) with S_final (section 7.5)."""
    acc = question.asked.acc
    most = max(acc.values(), default=0)
    scores = {}
    for position, one in first.items():
        part = corpus.part(position)
        r = recency(age(corpus.timestamp(position), question.as_of), LAMBDA_R)
        f = frequency(acc.get(corpus.entry(position).id, 0), most) if most else 0.0
        omega = authority(r, f, standing(part.kind, part.front.trust))
        value = s_final(1 - INFLUENCE + INFLUENCE * omega, one.sim, one.m_norm)
        q = quality(corpus.decay(position))
        parts = (
            ("similarity", one.sim),
            *one.parts,
            ("authority", omega),
            ("keywords", one.m_norm),
        )
        if q < 1:
            parts = (*parts, ("quality", q))
        scores[position] = _Score(value * q, parts)
    return scores


def _hopped(corpus: Corpus, scores: Mapping[int, _Score], askable: Askable) -> _Scores:
    """Return what one hop finds, or makes worth more (sections 7.7 and 7.8)."""
    links = Links(corpus)
    best = nlargest(PARENTS, scores, key=lambda at: (scores[at].value, -at))
    reached = hops.hop(
        {_key(at): scores[at].value for at in best},
        lambda key: map(_key, links.of(int(key))),
        outside=False,
    )
    known = {_key(at): score.value for at, score in scores.items()}
    merged = hops.merge(known, (one for one in reached if int(one.key) in askable))
    return {int(one.key): _Score(one.score, (("hop", one.score),)) for one in merged if one.parent}


def _anchors(
    corpus: Corpus,
    found: Mapping[int, Relevant],
    scores: Mapping[int, _Score],
    question: Question,
    settings: temporal.Settings,
) -> list[temporal.Chosen]:
    """Return S*(q), where the question is about time (section 9.7).

    Of C₂ alone. The recovery set of section 9.6 admits what θ₁ turned away down to θ_rec; here
    θ₁ is below θ_rec already, so there is nothing to recover.
    """
    indication = temporal.indicate(question.query, settings)
    if not indication.active:
        return []
    from ctx.text.words import words

    def candidate(at: int) -> temporal.Candidate:
        body = corpus.entry(at).body
        value = scores.get(at, _NOTHING).value
        density = temporal.density(body, settings)
        sim = found[at].sim if at in found else 0.0
        # Selected whatever they cost, two long answers would fill a packet.
        weight = worth(corpus, at, 1.0, question)
        return temporal.Candidate(
            _key(at), value, sim, density, frozenset(words(body)), None, weight
        )

    best = nlargest(LEAST_BREADTH, scores, key=lambda at: (scores[at].value, -at))
    slots = temporal.slots(question.query, settings)
    return temporal.select(map(candidate, best), slots, indication, settings)


def _key(position: int) -> str:
    """Return a position as a key that sorts as positions do."""
    return f"{position:012}"

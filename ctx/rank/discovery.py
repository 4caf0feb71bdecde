"""Rank in two passes and a hop (``retrieval-math`` 7), and by time (``temporal-retrieval`` 9)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import nlargest

from ctx.model import Part, Question, Scored
from ctx.rank.corpus import Askable, Corpus, by_worth, first_of_each, scored, worth
from ctx.rank.links import ETA_HOP, Links, hop, merge
from ctx.rank.relevance import relevance
from ctx.rank.score import LAMBDA_R, age, authority, frequency, quality, recency, s_final, standing
from ctx.rank.stopping import Relevant
from ctx.rank.temporal.dates import density
from ctx.rank.temporal.question import indicate, slots
from ctx.rank.temporal.selector import Candidate, Chosen, project, select
from ctx.text.words import words
from ctx.typed import NamedTuple

BREADTH = 16  # k₁ for each wanted result, unless the settings give it
LEAST_BREADTH = 64  # k₁ at least, and the k₂ from which sets of entries are selected; likewise
INFLUENCE = 0.1
"""Share of a score that authority decides: ω is mapped onto [1 − INFLUENCE, 1]. With the 1.0 of
the source the newest talk comes before what answers the question."""
THETA_REC = 0.15  # θ_rec: similarity from which what pass 1 or 2 drops is recovered (9.6)
K_REC = 10  # most entries recovered (9.6)
PARENTS = 16  # entries of C₂, best first, whose links are followed

_Scores = dict[int, "_Score"]


class _Score(NamedTuple):
    value: float  # in [0, 1]
    parts: tuple[tuple[str, float], ...]
    relevance: float  # in [0, 1]


def rank(parts: Sequence[Part], question: Question) -> list[Scored]:
    """Return Proj(V_rest, q), selected ones first, with scores in [0, 1] (7.8 and 9.8)."""
    corpus = Corpus(parts)
    indexes = question.needed_indexes
    askable = corpus.asked_for(question)
    indication = indicate(question.query)

    def anchored(at: int) -> float:
        return density(indexes.lexicon.anchors(at))

    found = relevance(
        corpus, question, askable, indexes.lexicon, indexes.near,
        anchored if indication.active else None,
    )  # fmt: skip
    relevant = {at: one for at, one in found.items() if one.sim > 0}
    scores = _second_pass(corpus, _first_pass(relevant, question), question)
    if indexes.expect:
        indexes.expect(_best(scores, max(LEAST_BREADTH, question.most or 0)))
    scores |= _hopped(corpus, scores, askable)
    pool: _Scores = {}
    chosen: list[Chosen] = []
    if indication.active:
        pool = {at: scores[at] for at in _best(scores, LEAST_BREADTH)}
        pool |= _recovered(corpus, relevant, pool, question, anchored)
        candidates = _candidates(corpus, pool, question, anchored)
        chosen = select(candidates, slots(question.query), indication)
    least = max((score.value for score in scores.values()), default=0.0) if chosen else 0.0
    for position, s_proj in chosen:
        # It comes first, so its score is at least that of what follows.
        known = pool[position]
        timed = (*known.parts, ("temporal", s_proj))
        scores[position] = _Score(max(s_proj, least), timed, known.relevance)
    rest = {at: _Score(0.0, found[at].parts, found[at].relevance) for at in found.keys() - relevant}
    scores = rest | scores
    best = by_worth(corpus, scores, question)
    order = first_of_each(corpus, project(chosen, best), question)
    return [scored(corpus, at, scores[at], named=at in question.named) for at in order]


def _best(scores: Mapping[int, _Score], most: int) -> list[int]:
    return nlargest(most, scores, key=lambda at: (scores[at].value, -at))


def _first_pass(found: Mapping[int, Relevant], question: Question) -> dict[int, Relevant]:
    """Return C₁(q): the k₁ most similar; ``relevance`` has dropped what θ₁ would (7.4)."""
    wanted = len(found) if question.most is None else BREADTH * question.most
    named = question.named
    nearest = nlargest(
        max(LEAST_BREADTH, wanted), found, key=lambda at: (at in named, found[at].sim, -at)
    )
    return {at: found[at] for at in nearest}


def _second_pass(corpus: Corpus, first: Mapping[int, Relevant], question: Question) -> _Scores:
    acc = question.needed_indexes.acc
    most = max(acc.values(), default=0)
    scores = {}
    for position, relevant in first.items():
        part = corpus.part(position)
        r = recency(age(corpus.timestamp(position), question.as_of), LAMBDA_R)
        f = frequency(acc.get(corpus.entry(position).id, 0), most) if most else 0.0
        omega = authority(r, f, standing(part.kind, part.front.trust))
        value = s_final(1 - INFLUENCE + INFLUENCE * omega, relevant.sim, relevant.m_norm)
        q = quality(corpus.decay(position))
        parts = (
            ("similarity", relevant.sim),
            *relevant.parts,
            ("authority", omega),
            ("keywords", relevant.m_norm),
        )
        if q < 1:
            parts = (*parts, ("quality", q))
        scores[position] = _Score(value * q, parts, relevant.relevance)
    return scores


def _hopped(corpus: Corpus, scores: Mapping[int, _Score], askable: Askable) -> _Scores:
    """Return what one hop finds, or raises in score (sections 7.7 and 7.8)."""
    reached = hop({at: scores[at].value for at in _best(scores, PARENTS)}, Links(corpus).of)
    known = {at: score.value for at, score in scores.items()}
    merged = merge(known, (found for found in reached if found.position in askable))
    return {
        found.position: _Score(
            found.score, (("hop", found.score),), ETA_HOP * scores[found.parent].relevance
        )
        for found in merged
        if found.parent >= 0
    }


def _recovered(
    corpus: Corpus,
    found: Mapping[int, Relevant],
    kept: _Scores,
    question: Question,
    density: Callable[[int], float],
) -> _Scores:
    """Return C_rec(q): of what k₁ cut the k_rec with most anchors (section 9.6)."""
    near = (at for at in found.keys() - kept if found[at].sim >= THETA_REC)
    dated = filter(density, near)
    best = nlargest(K_REC, dated, key=lambda at: (density(at), found[at].sim, -at))
    return _second_pass(corpus, {at: found[at] for at in best}, question)


def _candidates(
    corpus: Corpus, pool: _Scores, question: Question, density: Callable[[int], float]
) -> Iterator[Candidate]:
    """Yield C_pool(q) = C₂ ∪ C_rec as the selector sees it (section 9.6)."""
    near = question.needed_indexes.near
    events = slots(question.query) if near else ()
    sims = [near.similarities(event.text) for event in events] if near else []
    for at, score in pool.items():
        held = frozenset(words(corpus.entry(at).body))
        meanings = tuple(each[at] for each in sims)
        # Without a weight by length two long answers would fill a packet.
        weight = worth(corpus, at, 1.0, question)
        yield Candidate(at, score.value, density(at), held, meanings, weight)

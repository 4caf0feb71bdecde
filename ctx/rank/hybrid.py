"""Rank by similarity, recency and scope in one sum (``retrieval-math``, sections 1 and 2)."""

from collections.abc import Sequence

from ctx.model import Part, Question, Scored, session_file
from ctx.rank.corpus import Corpus, ordered
from ctx.rank.relevance import relevance
from ctx.rank.score import age, rate, recency, scope_weight, score


def rank(parts: Sequence[Part], question: Question) -> list[Scored]:
    """Return what ``question`` finds, with scores in [0, 1] and their parts (section 1)."""
    corpus = Corpus(parts)
    indexes = question.needed_indexes
    askable = corpus.asked_for(question)
    found = relevance(corpus, question, askable, indexes.lexicon, indexes.near)
    session = f"sessions/{session_file(question.session)}" if question.session else None
    settings, scores = question.settings, {}
    weights = (settings.similarity_weight, settings.recency_weight, settings.scope_weight)
    decay = {
        "session": max(0.0, settings.session_decay),
        "project": max(0.0, settings.project_decay),
        "global": max(0.0, settings.global_decay),
    }
    for position, relevant in found.items():
        entry = corpus.entry(position)
        scope = "session" if entry.source == session else entry.front.scope
        r = recency(age(entry.timestamp, question.as_of), rate(scope, decay))
        s = scope_weight(scope)
        value = score(relevant.sim, r, s, corpus.decay(position), weights)
        value *= relevant.sim > 0  # what is irrelevant has no score, however new it is
        shown = (("similarity", relevant.sim), ("recency", r), ("scope", s))
        scores[position] = (value, shown, relevant.relevance)
    return ordered(corpus, scores, question)

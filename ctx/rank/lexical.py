"""Rank by words alone: BM25 of an entry, of its neighbours, and of its session or file."""

from collections.abc import Sequence

from ctx.model import Part, Question, Scored
from ctx.rank.corpus import Corpus, ordered
from ctx.rank.relevance import relevance
from ctx.rank.score import quality


def rank(parts: Sequence[Part], question: Question) -> list[Scored]:
    """Return what ``question`` finds, with scores in [0, 1], 1 for the best, and their parts."""
    corpus = Corpus(parts)
    lexicon = question.needed_indexes.lexicon
    found = relevance(corpus, question, corpus.asked_for(question), lexicon)
    scores = {
        at: (
            relevant.sim * quality(corpus.decay(at)),
            (("similarity", relevant.sim), *relevant.parts),
            relevant.relevance,
        )
        for at, relevant in found.items()
    }
    return ordered(corpus, scores, question)

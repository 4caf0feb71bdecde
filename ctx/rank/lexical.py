"""Words only: BM25 of an entry, of what stands around it, and of its session or file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.rank.corpus import Corpus
from ctx.rank.order import ordered
from ctx.rank.relevance import relevance
from ctx.rank.score import quality

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Part, Question, Scored


def rank(parts: Sequence[Part], question: Question) -> list[Scored]:
    """Return what ``question`` finds, with scores in [0, 1], 1 for the best, and their parts."""
    corpus = Corpus(parts)
    lexicon = question.asked.lexicon
    found = relevance(corpus, question.query, corpus.asked_for(question), lexicon)
    scores = {
        at: (one.sim * quality(corpus.decay(at)), (("similarity", one.sim), *one.parts))
        for at, one in found.items()
    }
    return ordered(corpus, scores, question)

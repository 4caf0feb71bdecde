"""Similarity, recency and scope in one sum.

Source: ``retrieval-math``, sections 1 and 2; the symbols are its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.model import session_file
from ctx.rank.corpus import Corpus
from ctx.rank.order import ordered
from ctx.rank.recency import age, rate, recency, scope_weight
from ctx.rank.relevance import relevance
from ctx.rank.score import score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Entry, Part, Question, Scored


def rank(parts: Sequence[Part], question: Question) -> list[Scored]:
    """Return what ``question`` finds, with scores in [0, 1] and their parts (section 1).

    ``cos`` is the similarity of ``relevance``: fused, or of words alone. λ is that of the
    entry's scope: the session that the packet is for, else what the file says.
    """
    corpus = Corpus(parts)
    means = question.asked
    found = relevance(corpus, question.query, corpus.asked_for(question), means.lexicon, means.near)
    scores = {}
    for position, one in found.items():
        entry = corpus.entry(position)
        scope = _scope(entry, question.session)
        r = recency(age(entry.timestamp, question.as_of), rate(scope))
        s = scope_weight(scope)
        value = score(one.sim, r, s, corpus.decay(position))
        scores[position] = (value, (("similarity", one.sim), ("recency", r), ("scope", s)))
    return ordered(corpus, scores, question)


def _scope(entry: Entry, session: str) -> str:
    own = session and entry.source == f"sessions/{session_file(session)}"
    return "session" if own else entry.front.scope

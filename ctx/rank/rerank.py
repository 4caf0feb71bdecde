"""The first of what a ranker found, in the order of a reranker."""

from collections.abc import Sequence

from ctx.model import Question, RerankError, Scored
from ctx.rank.corpus import DEAR
from ctx.rank.documents import text


def reranked(scored: Sequence[Scored], question: Question) -> tuple[list[Scored], tuple[str, ...]]:
    """Return ``scored``, its first entries reordered behind what is named, or a warning."""
    indexes = question.needed_indexes
    first = scored[: indexes.reranked]
    if indexes.reranker is None or len(first) <= 1 or not question.query.strip():
        return list(scored), ()
    try:
        found = indexes.reranker.scores(question.query, [text(each.entry) for each in first])
    except RerankError as error:
        return list(scored), (f"not reranked: {error}",)

    def key(place: int) -> tuple[bool, float]:
        length = first[place].entry.size if question.per_token else 0
        return not first[place].named, -found[place] / (1 + length / DEAR)

    order = sorted(range(len(first)), key=key)
    scores = sorted((each.score for each in first), reverse=True)
    new = [
        first[place]._replace(score=score, parts=(*first[place].parts, ("rerank", found[place])))
        for place, score in zip(order, scores, strict=True)
    ]
    return [*new, *scored[len(new) :]], ()

"""The first results in the order of a reranker."""

from collections.abc import Sequence

from ctx.model import Question, RerankError, Scored
from ctx.rank import reranked
from tests.rank.hands import TODAY, Hand, means
from tests.read.samples import entry


class Reading:
    """A ``Reranker`` that scores by the number in a text; it fails where there is none."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((query, list(texts)))
        try:
            return [float(text.split()[0]) for text in texts]
        except ValueError:
            raise RerankError("no number") from None


def _found(titles: Sequence[str], named: str = "") -> list[Scored]:
    return [
        Scored(entry(title, ""), 1 - place / 10, (), title == named)
        for place, title in enumerate(titles)
    ]


def _asked(by: Reading | None, first: int, query: str = "q") -> Question:
    indexes = means([Hand([])], query)._replace(reranker=by, reranked=first)
    return Question(query, (), TODAY, indexes=indexes, per_token=False)


def _titles(scored: Sequence[Scored]) -> list[str]:
    return [each.entry.title for each in scored]


def test_the_first_are_ordered_and_scores_still_fall() -> None:
    found = _found(["0.1", "0.9", "0.5", "1.0"])
    ordered, warnings = reranked(found, _asked(Reading(), 3))
    assert _titles(ordered) == ["0.9", "0.5", "0.1", "1.0"]
    assert [each.score for each in ordered] == [each.score for each in found]
    assert [dict(each.parts).get("rerank") for each in ordered] == [0.9, 0.5, 0.1, None]
    assert warnings == ()


def test_equals_keep_their_order_and_what_is_named_stays_first() -> None:
    found = _found(["0.1 a", "0.5 b", "0.5 c", "0.9 d"], named="0.1 a")
    ordered, _ = reranked(found, _asked(Reading(), 9))
    assert _titles(ordered) == ["0.1 a", "0.9 d", "0.5 b", "0.5 c"]


def test_a_long_entry_is_worth_less_where_tokens_count() -> None:
    found = [Scored(entry("0.6", "", size=400), 1.0, ()), Scored(entry("0.5", ""), 0.9, ())]
    question = _asked(Reading(), 9)
    assert _titles(reranked(found, question)[0]) == ["0.6", "0.5"]
    assert _titles(reranked(found, question._replace(per_token=True))[0]) == ["0.5", "0.6"]


def test_nothing_is_asked_without_a_reranker_a_query_or_a_choice() -> None:
    reading = Reading()
    found = _found(["0.1", "0.9"])
    assert reranked(found, _asked(None, 9)) == (found, ())
    assert reranked(found, _asked(reading, 9, query=" ")) == (found, ())
    assert reranked(found[:1], _asked(reading, 9)) == (found[:1], ())
    assert reading.asked == []


def test_what_fails_is_a_warning_and_the_order_stays() -> None:
    found = _found(["0.1", "none", "0.9"])
    assert reranked(found, _asked(Reading(), 9)) == (found, ("not reranked: no number",))

"""Similarity, recency and scope: figures by hand (``retrieval-math``, sections 1 and 2)."""

from math import exp

import pytest
from hypothesis import given, settings

from ctx.model import Frontmatter, Settings
from tests.rank.hands import TODAY, Asked, Hand, check, corpora, find, titles, turn
from tests.read.samples import entry

BY = "hybrid"
HALF_DAY = 43_200


@settings(max_examples=60)
@given(corpora())
def test_scores_and_parts_are_in_0_1_whatever_is_asked(asked: Asked) -> None:
    for one in check(asked, BY):
        assert [name for name, _ in one.parts] == ["similarity", "recency", "scope"]


@pytest.mark.parametrize(
    ("scope", "lambda_", "weight"),
    [("session", 1e-4, 1.0), ("project", 1e-5, 0.6), ("global", 2e-6, 0.3), ("odd", 1e-5, 0.6)],
)
def test_the_score_is_the_sum_of_section_1(scope: str, lambda_: float, weight: float) -> None:
    noon = f"{TODAY.isoformat()}-120000"
    one = entry("Zebra", "", timestamp=noon)._replace(front=Frontmatter(scope=scope))
    (found,) = find([Hand([one])], "zebra", by=BY)
    recency = exp(-lambda_ * HALF_DAY)
    assert dict(found.parts) == pytest.approx(
        {"similarity": 1.0, "recency": recency, "scope": weight}
    )
    assert found.score == pytest.approx(0.7 * 1.0 + 0.2 * recency + 0.1 * weight)


def test_weights_and_decay_are_settings() -> None:
    one = Hand([entry("Zebra", "", timestamp=f"{TODAY.isoformat()}-120000")])
    settings = Settings(similarity_weight=0, recency_weight=1, scope_weight=1, project_decay=1e-6)
    (found,) = find([one], "zebra", by=BY, settings=settings)
    assert found.score == pytest.approx(0.5 * exp(-1e-6 * HALF_DAY) + 0.5 * 0.6)
    (found,) = find([Hand([entry("Zebra")])], "zebra", by=BY, settings=Settings(project_decay=-1))
    assert dict(found.parts)["recency"] == 0  # undated, though nothing ages


def test_turns_of_the_session_that_is_going_on_are_of_its_scope() -> None:
    parts = [Hand([turn("zebra", session="here")]), Hand([turn("zebra", session="there")])]
    scopes = {
        one.entry.source: dict(one.parts)["scope"]
        for one in find(parts, "zebra", by=BY, session="here")
    }
    assert scopes == {"sessions/here.jsonl": 1.0, "sessions/there.jsonl": 0.6}


def test_what_is_new_but_has_nothing_to_do_with_the_query_is_not_found() -> None:
    new = Hand([entry("Other", timestamp=TODAY.isoformat(), source="new.md")])
    parts = [new, Hand([entry("Zebra", source="old.md")]), Hand([entry("More", source="m.md")])]
    assert titles(find(parts, "zebra", by=BY)) == ["Zebra"]

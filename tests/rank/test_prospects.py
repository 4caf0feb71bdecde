"""Prospects: bounds and benefits, each figure worked out by hand."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from math import e, exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.model import LEVELS, Candidates, Entry, Fragment, Part, Prospect, Question
from ctx.rank.prospects import (
    CITED,
    UNCITED,
    availability,
    benefit,
    prospects,
    recency,
)
from tests.rank.hands import TODAY, Asked, Gone, Hand, corpora, means, turn
from tests.read.samples import entry

# --- prospects ---------------------------------------------------------------------------

quick = settings(max_examples=60)
NOW = TODAY.isoformat()
DECIDED = "**Context**: rain\n\n**Decision**: cache it\n\n**Rationale**: Fast.\nRetry is not."


def _planned(entries: Sequence[Entry], query: str = "", **more: object) -> Candidates:
    return _of([Hand(entries)], query, **more)  # type: ignore[arg-type]


def _of(
    parts: Sequence[Part],
    query: str = "",
    exists: Callable[[str], bool] | None = None,
    most: int | None = None,
    **more: object,
) -> Candidates:
    asked = means(parts, query)
    question = Question(query, (), TODAY, most=most, indexes=asked, exists=exists)
    return prospects(parts, question._replace(**more))  # type: ignore[arg-type]


def _only(entries: Sequence[Entry], query: str = "", **more: object) -> Prospect:
    (found,) = _planned(entries, query, **more).prospects
    return found


def _at(one: Prospect, level: str) -> Fragment:
    return next(fragment for fragment in one.fragments() if fragment.level == level)


def test_what_says_no_less_by_key_lines_has_none() -> None:
    assert [one.level for one in _only([entry(body="One line.")]).fragments()] == ["full", "title"]


def test_nothing_asked_is_recency_and_citation() -> None:
    one = _only([entry(timestamp=NOW)])
    assert _at(one, "full").benefit == pytest.approx(0.3 + 0.1 * 0.5)
    day = _only([entry(timestamp=(TODAY - timedelta(7)).isoformat())])
    assert _at(day, "full").benefit == pytest.approx(0.3 * exp(-1) + 0.05)


def test_a_citation_is_worth_a_tenth_instead_of_a_twentieth() -> None:
    one = _only([entry(body="See https://example.org/a.", timestamp=NOW)])
    assert _at(one, "full").benefit == pytest.approx(0.3 + 0.1)
    assert _at(one, "full").citations == 1


def test_a_path_is_cited_where_there_is_something_at_it() -> None:
    body = "It is in `src/net/retry.py` and `src/net/none.py`."
    told: list[str] = []

    def exists(path: str) -> bool:
        told.append(path)
        return path.endswith("retry.py")

    assert _at(_only([entry(body=body)], exists=exists), "full").citations == 1
    assert sorted(told) == ["src/net/none.py", "src/net/retry.py"]
    assert _at(_only([entry(body=body)]), "full").citations == 0


def test_undated_is_as_old_as_the_oldest() -> None:
    old = (TODAY - timedelta(14)).isoformat()
    found = _planned([entry("a", timestamp=old), entry("b"), entry("c", timestamp=NOW)]).prospects
    benefits = {one.scored.entry.title: _at(one, "full").benefit for one in found}
    assert benefits["b"] == benefits["a"] < benefits["c"]
    moments = {one.scored.entry.title: _at(one, "full").moment for one in found}
    assert moments["b"] == moments["a"] == int(old.replace("-", "") + "000000")


def test_where_nothing_is_dated_nothing_is_recent() -> None:
    assert _at(_only([entry()]), "full").benefit == pytest.approx(0.05)
    assert _at(_only([entry(timestamp="no date")]), "full").moment == 0


def test_the_overlap_of_a_level_is_its_own() -> None:
    one = _only([entry("Label", body=DECIDED)], "retry cache label")
    assert _at(one, "title").covers.bit_count() == 1
    assert _at(one, "key").covers.bit_count() == 2
    assert _at(one, "full").covers.bit_count() == 3
    # Undated, so not recent; a third of the focus terms for the title.
    assert _at(one, "title").benefit == pytest.approx(0.6 / 3 + 0.05)


def test_what_the_query_finds_is_overlap_for_the_whole_entry_only() -> None:
    turns = [turn("what of the zebra", number=0), turn("Yes, last Friday!", number=1)]
    found = {one.scored.entry.id[-2:]: one for one in _planned(turns, "zebra").prospects}
    assert _at(found["t0"], "full").benefit == pytest.approx(0.6 + 0.05)
    answer = dict(found["t1"].scored.parts)
    assert 0 < answer["relevance"] < 1
    assert answer["overlap"] == 0
    assert _at(found["t1"], "full").benefit == pytest.approx(0.6 * answer["relevance"] + 0.05)
    assert _at(found["t1"], "title").benefit == pytest.approx(0.05)


def test_where_something_is_asked_for_recency_counts_as_far_as_there_is_overlap() -> None:
    new = entry("a", body="rain", timestamp=NOW)
    assert _at(_only([new], "rain"), "full").benefit == pytest.approx(0.6 + 0.3 + 0.05)
    both = [new, entry("b", body="zebra", timestamp=NOW)]
    found = {one.scored.entry.title: one for one in _planned(both, focus=("zebra",)).prospects}
    assert _at(found["a"], "full").benefit == pytest.approx(0.05)


def test_what_is_irrelevant_to_a_query_is_not_offered() -> None:
    both = [entry("a", body="rain", timestamp=NOW), entry("b", body="zebra", timestamp=NOW)]
    assert [one.scored.entry.title for one in _planned(both, "zebra").prospects] == ["b"]
    assert not _planned(both, "sourdough bread").prospects


def test_work_in_hand_alone_does_not_gate_recency() -> None:
    task = entry("zebra", kind="task", status="in-progress")
    entries = [entry("a", body="rain", timestamp=NOW), entry("b", body="zebra", timestamp=NOW)]
    found = _planned(entries, tasks=(task,)).prospects
    benefits = {one.scored.entry.title: _at(one, "full").benefit for one in found}
    assert benefits == {"a": pytest.approx(0.35), "b": pytest.approx(0.95)}


def test_a_name_of_several_words_has_to_be_said_as_such() -> None:
    entries = [entry("a", body="in src/net/retry.py"), entry("b", body="retry net src py")]
    planned = _planned(entries, focus=("src/net/retry.py",))
    whole = 1 << list(planned.terms).index("src/net/retry.py")
    found = {one.scored.entry.title: _at(one, "full") for one in planned.prospects}
    assert found["a"].covers & whole
    assert not found["b"].covers & whole


def test_links_that_lead_nowhere_are_counted() -> None:
    body = "See [[Other]], [[Nobody]] and [x](#gone)."
    found = _planned([entry("a", body=body), entry("Other")]).prospects
    one = next(one for one in found if one.scored.entry.title == "a")
    assert _at(one, "full").unresolved == 2
    assert list(one.needs()) == [entry("Other").id]


def test_superseded_entries_are_no_prospects() -> None:
    parts = [Gone([entry("a"), entry("b", status="superseded")], {1})]
    assert [one.scored.entry.title for one in _of(parts).prospects] == ["a"]


def test_of_each_kind_the_best_are_offered() -> None:
    decisions = Hand([entry(f"d{n}", body="cache" if n == 2 else "x") for n in range(4)])
    learnings = Hand([entry(f"l{n}", "cache", kind="learning", source="L.md") for n in range(3)])
    planned = _of([decisions, learnings], "cache", most=1)
    assert [one.scored.entry.title for one in planned.prospects] == ["d2", "l0"]
    assert planned.fragments == 4 * len(LEVELS)


@quick
@given(corpora())
def test_no_fragment_is_worth_more_than_the_bound(asked: Asked) -> None:
    found = _of(asked.parts, asked.query, kinds=asked.kinds, since=asked.since, most=asked.most)
    ids = [one.scored.entry.id for one in found.prospects]
    assert set(ids) <= asked.askable
    assert len(ids) == len(set(ids))
    for one in found.prospects:
        assert 0 <= one.bound <= 1
        assert one.scored.score == one.bound
        for fragment in one.fragments():
            assert 0 <= fragment.benefit <= one.bound
            assert fragment.covers < 1 << len(found.terms)
        whole = _at(one, "full")
        assert all(fragment.covers | whole.covers == whole.covers for fragment in one.fragments())


# --- what a fragment brings --------------------------------------------------------------

shares = st.floats(0, 1)


def test_benefit_is_overlap_recency_and_citations_weighed() -> None:
    for overlap, recent, available, expected in (
        (0, 0, 0, 0.0), (1, 0, 0, 0.6), (0, 1, 0, 0.3), (0, 0, 1, 0.1), (1, 1, 1, 1.0),
        (0.5, 0.5, 0.5, 0.5), (0.5, 0.1, 1, 0.3 + 0.03 + 0.1),
    ):  # fmt: skip
        assert benefit(overlap, recent, available) == pytest.approx(expected), overlap


def test_recency_falls_to_a_third_or_so_in_a_week() -> None:
    for hours, expected in (
        (0, 1.0),
        (168, 1 / e),
        (336, 1 / e**2),
        (24, exp(-1 / 7)),
        (84, 0.60653066),
    ):
        assert recency(hours) == pytest.approx(expected), hours


def test_one_citation_counts_as_much_as_many() -> None:
    for count, expected in ((0, 0.5), (1, 1.0), (2, 1.0), (99, 1.0)):
        assert availability(count) == expected, count


@given(shares, shares, st.integers(0, 9), st.floats(0, 1e6))
def test_benefit_stays_in_range_and_rises_with_each_part(
    overlap: float, more: float, citations: int, hours: float
) -> None:
    low, high = sorted((overlap, more))
    recent, available = recency(hours), availability(citations)
    assert 0 <= benefit(low, recent, available) <= benefit(high, recent, available) <= 1
    assert benefit(low, recent, UNCITED) < benefit(low, recent, CITED)

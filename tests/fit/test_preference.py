"""Which of two fragments comes first: each rule by an example, and that the order is one."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit.preference import (
    COVERAGE,
    DEAR,
    GRAIN,
    Candidate,
    Progress,
    rank,
    score,
)
from ctx.model import LEVELS, Level, LodMix
from tests.fit.flat import fragment

MIX = LodMix()
BUDGET = 1000
MUCH = BUDGET
LITTLE = 199
"""Tokens left: less than a fifth."""


def one(
    id_: str = "m",
    points: float = 0.5,
    cost: int = 0,
    *,
    level: Level = "full",
    source: str = "a.md",
    **marks: int,
) -> Candidate:
    """Return a fragment of which the score is ``points`` whatever it costs."""
    return Candidate(fragment(level, points * (1 + cost / DEAR), **marks), cost, 0, source, id_)


def begun(*chosen: Candidate, terms: int = 0, mix: LodMix = MIX) -> Progress:
    """Return the state in which ``chosen`` are chosen."""
    progress = Progress(terms, BUDGET, mix)
    for candidate in chosen:
        progress.choose(candidate, None)
    return progress


def first(progress: Progress, *candidates: Candidate, left: int = MUCH) -> str:
    """Return the id of the one that comes first, in whatever order they are looked at."""
    found = {min(row, key=lambda it: progress.key(it, left)).id for row in permutations(candidates)}
    (id_,) = found
    return id_


# Benefit by cost


def test_the_score_is_benefit_by_cost() -> None:
    for benefit, cost, expected in (
        (0.8, 0, 0.8),
        (0.8, DEAR, 0.4),
        (0.8, 3 * DEAR, 0.2),
        (1.0, DEAR // 2, 2 / 3),
        (0.0, 10, 0.0),
        (0.8, -5, 0.8),  # what costs less than nothing is not worth more
    ):
        assert score(benefit, cost) == pytest.approx(expected), benefit
        made = Candidate(fragment(benefit=benefit), cost, 0, "a.md", "a")
        assert made.score == score(benefit, cost), benefit


@given(st.floats(0, 1), st.integers(0, 10**9), st.integers(0, 10**6))
def test_a_score_stays_in_range_and_falls_with_the_cost(
    benefit: float, cost: int, more: int
) -> None:
    assert 0 <= score(benefit, cost + more) <= score(benefit, cost) <= benefit


def test_scores_within_a_thousandth_are_equal() -> None:
    # .5004 rounds to .500, .5006 to .501.
    assert first(begun(), one("a", 0.5), one("z", 0.5004)) == "a"
    assert first(begun(), one("a", 0.5), one("z", 0.5006)) == "z"


@given(st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_a_rank_never_falls_with_the_score(low: float, high: float, covers: bool) -> None:
    low, high = sorted((low, high))
    assert rank(low, covers=covers) <= rank(high, covers=covers)
    assert rank(low, covers=False) < rank(low, covers=True)


# Coverage of the focus terms


def test_what_covers_nothing_new_loses_within_a_twentieth() -> None:
    for other, winner in (
        (0.501, "covers"), (0.549, "covers"), (0.55, "covers"), (0.551, "other"), (0.6, "other"),
    ):  # fmt: skip
        progress = begun(terms=2)
        assert first(progress, one("covers", 0.5, covers=0b10), one("other", other)) == winner


def test_what_is_covered_already_is_nothing_new() -> None:
    progress = begun(one("first", covers=0b01), terms=2)
    assert first(progress, one("again", 0.54, covers=0b01), one("new", 0.5, covers=0b10)) == "new"
    assert first(progress, one("again", 0.54, covers=0b01), one("plain", 0.541)) == "plain"


def test_coverage_counts_only_while_terms_are_uncovered() -> None:
    for terms in (0, 1):
        progress = begun(one("first", covers=0b1), terms=terms)
        assert progress.uncovered == 0, terms
        assert first(progress, one("a", 0.5, covers=0b1), one("z", 0.501)) == "z", terms


def test_ranks_never_rise_while_more_is_chosen() -> None:
    progress = begun(terms=2)
    pair = one("a", covers=0b11), one("b", covers=0b10)
    before = [progress.rank(it) for it in pair]
    progress.choose(one("c", covers=0b01), None)
    assert [progress.rank(it) for it in pair] == before  # each covers the second term
    progress.choose(one("d", covers=0b10), None)
    assert [progress.rank(it) for it in pair] == [before[0] - 101, before[1] - 101]


# The mix of levels


def test_the_level_under_its_share_wins_among_equals() -> None:
    progress = begun(one("first", cost=100))  # all of it micro, whose share is .6
    # Each tie-break is for the whole one.
    whole = one("a", level="full", moment=9, citations=9)
    assert first(progress, whole, one("z", level="title", unresolved=9)) == "z"
    assert first(progress, whole, one("z", level="key", unresolved=9)) == "z"


def test_the_mix_does_not_decide_before_anything_is_chosen() -> None:
    progress = begun()
    assert all(map(progress.under_share, LEVELS))
    for level in LEVELS:
        assert first(progress, one("a", level=level), one("z", level="full")) == "a"


def test_a_level_at_its_share_is_not_under_it() -> None:
    progress = begun(
        one(level="title", cost=20), one(level="full", cost=60), one(level="key", cost=20)
    )
    assert [*map(progress.under_share, LEVELS)] == [False, False, False]
    progress.choose(one(level="key", cost=1), None)
    # 20 and 60 of 101 are less than 20.2 and 60.6; 21 are more.
    assert {level: progress.under_share(level) for level in LEVELS} == {
        "title": True, "full": True, "key": False,
    }  # fmt: skip


def test_what_a_better_level_replaces_counts_no_more() -> None:
    title = one(level="title", cost=40)
    progress = begun(title, one("b", level="key", cost=10))
    assert not progress.under_share("title")
    progress.choose(one(level="full", cost=90), title)
    assert progress.under_share("title")  # 0 of 100
    progress.choose(one("c", level="title", cost=30), None)
    assert not progress.under_share("title")  # 30 of 130


# The tie-breaks, each against all that follow


def told_of(*sources: str) -> Progress:
    """Return the state after picks from these sources, none of which cost anything."""
    return begun(*(one(source=source) for source in sources))


NEW, OLD = "new.md", "old.md"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            one("z", cost=1, source=OLD, moment=20260102000000, unresolved=1),
            one("a", source=NEW, moment=20260101235959, citations=1),
        ),
        (
            one("z", cost=1, source=OLD, citations=3, unresolved=1),
            one("a", source=NEW, citations=2),
        ),
        (one("z", cost=1, source=OLD, unresolved=1), one("a", source=NEW, unresolved=2)),
        (one("z", cost=1, source=NEW), one("a", source=OLD)),
        (one("z", cost=99), one("a", cost=100)),
        (one("a"), one("b")),
    ],
    ids=["newer", "more citations", "fewer unresolved", "another source", "smaller", "id"],
)
def test_ties_are_broken_in_this_order(better: Candidate, worse: Candidate) -> None:
    assert first(told_of(OLD), better, worse, left=LITTLE) == better.id


def test_of_one_entry_the_fuller_level_comes_first() -> None:
    progress = begun()
    ones = [one(level=level) for level in LEVELS]
    for row in permutations(ones):
        by_key = sorted(row, key=lambda it: progress.key(it, MUCH))
        assert [it.fragment.level for it in by_key] == ["full", "key", "title"]


def test_the_last_three_picks_are_looked_at_and_no_more() -> None:
    a, z = one("a", source="old.md"), one("z", source="new.md")
    assert first(told_of("old.md", "x", "y"), a, z) == "z"
    assert first(told_of("old.md", "x", "y", "w"), a, z) == "a"
    assert first(told_of(), a, z) == "a"


@given(st.integers(0, 10**6))
def test_exactly_a_fifth_is_not_little_whatever_the_budget(fifth: int) -> None:
    assert not Progress(0, 5 * fifth, MIX).is_late(fifth)
    assert Progress(0, 5 * fifth, MIX).is_late(fifth - 1)


# The order as a whole

candidates = st.builds(
    one,
    st.sampled_from("abcd"),
    st.sampled_from([0.0, 0.4996, 0.5, 0.5004, 0.55, 0.551, 1.0]),
    st.sampled_from([0, 1, 100, DEAR]),
    level=st.sampled_from(LEVELS),
    source=st.sampled_from(["x", "y", "z", "v", "w"]),
    covers=st.integers(0, 7),
    moment=st.integers(0, 1),
    citations=st.integers(0, 1),
    unresolved=st.integers(0, 1),
)


@st.composite
def states(draw: st.DrawFn) -> Progress:
    chosen = draw(st.lists(candidates, max_size=6))
    return begun(*chosen, terms=draw(st.integers(0, 3)))


fragments = st.lists(
    candidates, min_size=2, max_size=9, unique_by=lambda it: (it.id, it.fragment.level)
)


@given(states(), fragments, st.sampled_from([0, LITTLE, 200, MUCH]))
def test_the_order_is_total_whatever_was_chosen(
    progress: Progress, ones: list[Candidate], left: int
) -> None:
    before = {
        (a, b): progress.key(ones[a], left) < progress.key(ones[b], left)
        for a, b in permutations(range(len(ones)), 2)
    }
    for (a, b), is_less in before.items():
        assert is_less != before[b, a]  # total, and antisymmetric
    for a, b, c in permutations(range(min(len(ones), 5)), 3):
        if before[a, b] and before[b, c]:
            assert before[a, c]  # transitive


@given(states(), fragments, st.sampled_from([0, LITTLE, 200, MUCH]))
def test_no_tie_break_passes_a_clear_lead_in_score(
    progress: Progress, ones: list[Candidate], left: int
) -> None:
    for a, b in permutations(ones, 2):
        if a.score - b.score > COVERAGE + GRAIN:
            assert progress.key(a, left) < progress.key(b, left)

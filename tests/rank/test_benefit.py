"""What a fragment brings: the formula of the source with its own figures."""

from __future__ import annotations

from math import e, exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.rank.prospects import (
    ALPHA,
    BETA,
    CITED,
    GAMMA,
    UNCITED,
    WEEK,
    availability,
    benefit,
    recency,
)

shares = st.floats(0, 1)


def test_the_constants() -> None:
    assert (ALPHA, BETA, GAMMA) == (0.6, 0.3, 0.1)
    assert WEEK == 168 == 24 * 7
    assert (CITED, UNCITED) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("overlap", "recent", "available", "expected"),
    [
        (0, 0, 0, 0.0),
        (1, 0, 0, 0.6),
        (0, 1, 0, 0.3),
        (0, 0, 1, 0.1),
        (1, 1, 1, 1.0),
        (0.5, 0.5, 0.5, 0.5),
        (0.5, 0.1, 1, 0.3 + 0.03 + 0.1),
    ],
)
def test_benefit_is_overlap_recency_and_citations_weighed(
    overlap: float, recent: float, available: float, expected: float
) -> None:
    assert benefit(overlap, recent, available) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("hours", "expected"),
    [(0, 1.0), (168, 1 / e), (336, 1 / e**2), (24, exp(-1 / 7)), (84, 0.60653066)],
)
def test_recency_falls_to_a_third_or_so_in_a_week(hours: float, expected: float) -> None:
    assert recency(hours) == pytest.approx(expected)


def test_the_future_is_as_new_as_now() -> None:
    assert recency(-1) == recency(-1e9) == 1.0


def test_what_has_no_age_that_ends_is_worth_nothing_for_it() -> None:
    assert recency(float("inf")) == 0.0


@pytest.mark.parametrize(("count", "expected"), [(0, 0.5), (1, 1.0), (2, 1.0), (99, 1.0)])
def test_one_citation_counts_as_much_as_many(count: int, expected: float) -> None:
    assert availability(count) == expected


@given(shares, shares, st.integers(0, 9), st.floats(0, 1e6))
def test_benefit_stays_in_range_and_rises_with_each_part(
    overlap: float, more: float, citations: int, hours: float
) -> None:
    low, high = sorted((overlap, more))
    recent, available = recency(hours), availability(citations)
    assert 0 <= benefit(low, recent, available) <= benefit(high, recent, available) <= 1
    assert benefit(low, recent, UNCITED) < benefit(low, recent, CITED)


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_the_older_is_never_the_more_recent(one: float, other: float) -> None:
    assert recency(max(one, other)) <= recency(min(one, other)) <= 1

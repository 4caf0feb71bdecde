"""Authority: each figure worked out by hand."""

from __future__ import annotations

from math import inf, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.rank.score import LAMBDA_R, Shares, authority, frequency, standing

ANY = st.floats(allow_nan=True, allow_infinity=True)


def test_the_constants() -> None:
    assert Shares() == (0.5, 0.2, 0.3)
    assert log(2) / LAMBDA_R / 86_400 == pytest.approx(30, rel=0.02)


def test_frequency_by_hand() -> None:
    assert frequency(3, 6) == pytest.approx(log(4) / log(8)) == pytest.approx(2 / 3)
    assert frequency(6, 6) == pytest.approx(log(7) / log(8))  # the +1 below alone: never 1
    assert frequency(1, 1) == pytest.approx(log(2) / log(3))


def test_no_access_is_zero_exactly() -> None:
    assert frequency(0, 0) == 0  # cold start: log 1 / log 2
    assert frequency(0, 1000) == 0


@pytest.mark.parametrize(
    ("acc", "most", "expected"),
    [(-4, 6, 0), (nan, 6, 0), (3, nan, 0), (3, -1, 0), (3, inf, 0), (inf, inf, 0)],
)
def test_counts_that_cannot_be(acc: float, most: float, expected: float) -> None:
    assert frequency(acc, most) == expected


def test_a_count_over_the_most_is_the_most() -> None:
    assert frequency(9, 6) == frequency(6, 6)


def test_standing() -> None:
    assert standing("lore", None) == 1.0
    assert standing("lore", 0.2) == 1.0
    assert standing("decision", 0.8) == 0.8
    assert standing("decision", 0.0) == 0.0
    assert standing("turn", None) == 0.5
    assert standing("turn", nan) == 0.5
    assert standing("learning", 3.0) == 1.0
    assert standing("learning", -3.0) == 0.0


def test_authority_by_hand() -> None:
    assert authority(1, 0, 0.5) == pytest.approx(0.5 + 0.15)
    assert authority(0.5, 2 / 3, 1.0) == pytest.approx(0.25 + 0.2 * 2 / 3 + 0.3)
    assert authority(1, 1, 1) == 1
    assert authority(0.2, 0.4, 0.9, Shares(0, 0, 7)) == pytest.approx(0.9)
    assert authority(1, 0, 0, Shares(0, 0, 0)) == pytest.approx(0.5)  # the defaults


@given(ANY, ANY)
def test_frequency_stays_in_range(acc: float, most: float) -> None:
    assert 0 <= frequency(acc, most) <= 1


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_more_used_is_never_worth_less(one: int, two: int) -> None:
    low, high = sorted((one, two))
    assert 0 <= frequency(low, high) <= frequency(high, high) < 1


@given(ANY, ANY, ANY, st.builds(Shares, ANY, ANY, ANY))
def test_authority_stays_in_range(r: float, f: float, a: float, shares: Shares) -> None:
    assert 0 <= authority(r, f, a, shares) <= 1

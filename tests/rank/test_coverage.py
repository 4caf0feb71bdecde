"""Keyword coverage and the second-pass score: each figure worked out by hand."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.rank.score import KAPPA, m_norm, s_final
from ctx.rank.temporal.question import keywords
from ctx.text.words import words

ANY = st.floats(allow_nan=True, allow_infinity=True)
UNIT = st.floats(0, 1)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What did we decide about caching the tokens?", {"decid", "cach", "token"}),
        ("Why does the cache expire before the tokens do?", {"cach", "expir", "token"}),
        ("how many were there before that", set()),
        ("", set()),
        ("!!! … ???", set()),
        ("cache CACHE caching", {"cach"}),
        ("didn't the build fail?", {"build", "fail"}),
        ("如何缓存", {"如何", "何缓", "缓存"}),
    ],
)
def test_keywords_are_what_a_query_is_about(query: str, expected: set[str]) -> None:
    assert keywords(query) == expected


@given(st.text() | st.sampled_from(["When was the first cache built?", "why does it fail"]))
def test_keywords_are_words_of_the_query(query: str) -> None:
    assert keywords(query) <= set(words(query))


def test_coverage_by_hand() -> None:
    assert m_norm(2, 3) == pytest.approx(2 / 3)
    assert m_norm(3, 3) == 1
    assert m_norm(0, 3) == 0


def test_without_keywords_nothing_is_covered() -> None:
    assert m_norm(0, 0) == 0


def test_s_final_by_hand() -> None:
    assert KAPPA == 0.3
    assert s_final(0.8, 0.5, 1.0) == pytest.approx(0.4)
    assert s_final(0.8, 0.5, 0.0) == pytest.approx(0.4 / 1.3)
    assert s_final(0.8, 0.5, 0.5) == pytest.approx(0.4 * 1.15 / 1.3)
    assert s_final(0.8, -0.5, 1.0) == 0


def test_what_kappa_means() -> None:
    assert s_final(0.8, 0.5, 0.0, kappa=0) == pytest.approx(0.4)  # similarity alone
    assert s_final(1, 1, 0, kappa=0.5) == pytest.approx(2 / 3)
    assert s_final(1, 1, 1, kappa=1) == 1
    assert s_final(1, 1, 0, kappa=1) == 0.5


@pytest.mark.parametrize("kappa", [-0.1, nan, inf])
def test_a_kappa_out_of_range_is_refused(kappa: float) -> None:
    with pytest.raises(ValueError, match="κ"):
        s_final(1, 1, 1, kappa)


@given(st.integers(0, 100), st.integers(0, 100))
def test_coverage_stays_in_range(held: int, asked: int) -> None:
    assert 0 <= m_norm(held, asked) <= 1


@given(ANY, ANY, ANY, st.floats(0, 1e308))
def test_s_final_is_never_over_omega(omega: float, sim: float, m: float, kappa: float) -> None:
    assert 0 <= s_final(omega, sim, m, kappa) <= min(max(omega, 0), 1) or omega != omega  # noqa: PLR0124 -- NaN


@given(UNIT, UNIT, UNIT, UNIT)
def test_more_coverage_is_never_worth_less(omega: float, sim: float, one: float, m: float) -> None:
    low, high = sorted((one, m))
    assert s_final(omega, sim, low) <= s_final(omega, sim, high)

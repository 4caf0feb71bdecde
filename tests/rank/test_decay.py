"""Recency and scope: each figure worked out by hand."""

from __future__ import annotations

from math import e, inf, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.rank.score import LAMBDA_S, SCOPE_S, rate, recency, scope_weight

HOUR = 3600.0
DAY = 24 * HOUR


def test_the_constants_are_the_source_s() -> None:
    assert LAMBDA_S == {"session": 1e-4, "project": 1e-5, "global": 2e-6}
    assert SCOPE_S == {"session": 1.0, "project": 0.6, "global": 0.3}


def test_half_lives_are_those_of_the_table() -> None:
    assert recency(1.9 * HOUR, 1e-4) == pytest.approx(0.5, rel=0.02)
    assert recency(19 * HOUR, 1e-5) == pytest.approx(0.5, rel=0.02)
    assert recency(4 * DAY, 2e-6) == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize("scope", LAMBDA_S)
def test_recency_is_one_now_and_a_half_after_a_half_life(scope: str) -> None:
    assert recency(0, rate(scope)) == 1
    assert recency(log(2) / rate(scope), rate(scope)) == pytest.approx(0.5)


def test_recency_by_hand() -> None:
    assert recency(10_000, 1e-4) == pytest.approx(1 / e)
    assert recency(DAY, 1e-5) == pytest.approx(0.4215, abs=1e-4)  # exp(-0.864)


@pytest.mark.parametrize(
    ("age", "lambda_", "expected"),
    [(-5, 1e-4, 1), (-inf, 1e-4, 1), (inf, 1e-4, 0), (nan, 1e-4, 0), (1e300, 1e-4, 0)]
    + [(age, 0, 1) for age in (0.0, 1e9, inf, nan)],
)
def test_ages_at_the_edge(age: float, lambda_: float, expected: float) -> None:
    assert recency(age, lambda_) == expected


@pytest.mark.parametrize("lambda_", [-1e-9, nan, inf, -inf])
def test_a_rate_that_is_none_is_refused(lambda_: float) -> None:
    with pytest.raises(ValueError, match="decay constant"):
        recency(1, lambda_)


def test_rates_and_weights_can_be_set_one_by_one() -> None:
    assert rate("project", {"project": 1e-7}) == 1e-7
    assert rate("session", {"project": 1e-7}) == 1e-4
    assert scope_weight("global", {"global": 0.5}) == 0.5
    assert scope_weight("session", {"global": 0.5}) == 1.0


@pytest.mark.parametrize("scope", ["", "user", "Project"])
def test_an_unknown_scope_is_the_project_s(scope: str) -> None:
    assert rate(scope) == 1e-5
    assert rate(scope, {"project": 3e-7}) == 3e-7
    assert scope_weight(scope) == 0.6


def test_sessions_fade_fastest() -> None:
    faded = [recency(HOUR, rate(scope)) for scope in ("session", "project", "global")]
    assert faded == sorted(faded)
    assert log(faded[0]) == pytest.approx(-0.36)


@given(st.floats(allow_nan=True, allow_infinity=True), st.floats(0, 1e300))
def test_recency_stays_in_range(age: float, lambda_: float) -> None:
    assert 0 <= recency(age, lambda_) <= 1


@given(st.floats(0, 1e12), st.floats(0, 1e12), st.floats(0, 1))
def test_older_is_never_more_recent(one: float, two: float, lambda_: float) -> None:
    young, old = sorted((one, two))
    assert recency(old, lambda_) <= recency(young, lambda_)

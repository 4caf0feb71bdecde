"""The formulas of ranking: each figure worked out by hand."""

from datetime import date, timedelta
from math import inf, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.rank.score import (
    KAPPA,
    LAMBDA_S,
    age,
    authority,
    base,
    decay_rate,
    frequency,
    m_norm,
    quality,
    rate,
    recency,
    s_final,
    scope_weight,
    score,
    standing,
    unit,
)
from ctx.rank.temporal.question import keywords

# --- the hybrid score --------------------------------------------------------------------

ANY = st.floats(allow_nan=True, allow_infinity=True)
UNIT = st.floats(0, 1)


def test_unit_clamps() -> None:
    for value, clamped in (
        (-1, 0),
        (0, 0),
        (0.5, 0.5),
        (1, 1),
        (7, 1),
        (inf, 1),
        (-inf, 0),
        (nan, 0),
    ):
        assert unit(value) == clamped, value


def test_base_by_hand() -> None:
    assert base(0.5, 0.25, 0.6) == pytest.approx(0.7 * 0.5 + 0.2 * 0.25 + 0.1 * 0.6)
    assert base(-0.9, 0.25, 0.6) == pytest.approx(0.2 * 0.25 + 0.1 * 0.6)  # cos clamped at 0


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ((1, 0, 0), 0.5), ((2, 0, 0), 0.5), ((0, -1, 3), 0.6), ((0, 0.2, 0.2), 0.425),
        ((0.5, 0.5, 0.5), 0.45), ((0, 0, 0), 0.5), ((nan, 1, 0), 0.25),
    ],
)  # fmt: skip
def test_weights_are_clamped_and_scaled(weights: tuple[float, ...], expected: float) -> None:
    assert base(0.5, 0.25, 0.6, weights) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("decay_rate", "expected"),
    [(None, 1), (0.0, 1), (0.4, 0.8), (1.0, 0.5), (7.0, 0.5), (nan, 1)],
)
def test_quality_by_hand(decay_rate: float | None, expected: float) -> None:
    assert quality(decay_rate) == pytest.approx(expected)


def test_score_is_base_times_quality() -> None:
    assert score(1, 1, 1) == 1
    assert score(0.5, 0.25, 0.6, 0.4) == pytest.approx(0.46 * 0.8)
    assert score(0.5, 0.25, 0.6, 1.0) == pytest.approx(0.46 * 0.5)


@given(ANY, ANY, ANY, st.none() | ANY)
def test_every_figure_stays_in_range(
    cos: float, recency: float, scope: float, decay_rate: float | None
) -> None:
    assert 0 <= base(cos, recency, scope) <= 1
    assert 0.5 <= quality(decay_rate) <= 1
    assert 0 <= score(cos, recency, scope, decay_rate) <= base(cos, recency, scope)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_higher_confidence_never_lowers_the_score(one: float, more: float, cos: float) -> None:
    less_sure, surer = (
        score(cos, 0.5, 0.6, decay_rate(confidence)) for confidence in sorted((one, more))
    )
    assert less_sure <= surer
    assert decay_rate(one) == 1 - one


def test_a_confidence_that_is_none_decays_within_bounds() -> None:
    for confidence, expected in ((nan, 1.0), (-1.0, 1.0), (2.0, 0.0)):
        assert decay_rate(confidence) == expected, confidence


# --- the age of an entry in seconds, each figure worked out by hand ----------------------

DAY = 86_400
TODAY = date(2026, 1, 31)


def test_seconds_to_the_end_of_the_day() -> None:
    for timestamp, seconds in (
        ("2026-01-31", 0), ("2026-01-30", DAY), ("2025-01-31", 365 * DAY),
        ("2026-01-31-235959", 1), ("2026-01-31-000000", DAY), ("2026-01-31-120000", DAY // 2),
        ("2026-01-30-120000", DAY + DAY // 2), ("2026-01-31-1200", DAY // 2), ("2026-02-01", 0),
        ("2026-02-01-000000", 0), ("9999-12-31-235959", 0),
        ("0001-01-01", (TODAY - date(1, 1, 1)).days * DAY),
    ):  # fmt: skip
        assert age(timestamp, TODAY) == seconds, timestamp


def test_what_is_not_dated_is_as_old_as_can_be() -> None:
    for timestamp in (
        "", "2026", "2026-13-01", "2026-02-30", "yesterday", "0000-01-01", "٢٠٢٦-٠١-٠١",
    ):  # fmt: skip
        assert age(timestamp, TODAY) == inf, timestamp


def test_a_clock_that_is_none_leaves_the_day() -> None:
    for clock in ("999999", "246000", "noon", "-1", "1", "   ", "१२००००"):
        assert 0 <= age(f"2026-01-30-{clock}", TODAY) <= 2 * DAY, clock


@given(st.dates(), st.dates(), st.times())
def test_an_age_is_never_negative_and_grows_with_the_day(
    written: date, today: date, clock: object
) -> None:
    timestamp = f"{written.isoformat()}-{str(clock)[:8].replace(':', '')}"
    found = age(timestamp, today)
    assert 0 <= found < inf
    if today < date.max:
        assert found <= age(timestamp, today + timedelta(1)) <= found + DAY


@given(st.text(max_size=24), st.dates())
def test_no_timestamp_breaks_it(timestamp: str, today: date) -> None:
    assert age(timestamp, today) >= 0


# --- recency and scope -------------------------------------------------------------------

HOUR = 3600.0


def test_half_lives_are_those_of_the_table() -> None:
    assert recency(1.9 * HOUR, 1e-4) == pytest.approx(0.5, rel=0.02)
    assert recency(19 * HOUR, 1e-5) == pytest.approx(0.5, rel=0.02)
    assert recency(4 * DAY, 2e-6) == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize("scope", LAMBDA_S)
def test_recency_is_one_now_and_a_half_after_a_half_life(scope: str) -> None:
    assert recency(0, rate(scope)) == 1
    assert recency(log(2) / rate(scope), rate(scope)) == pytest.approx(0.5)


def test_ages_at_the_edge() -> None:
    for seconds, lambda_, expected in (
        (-5, 1e-4, 1),
        (-inf, 1e-4, 1),
        (inf, 1e-4, 0),
        (nan, 1e-4, 0),
        (1e300, 1e-4, 0),
    ):
        assert recency(seconds, lambda_) == expected, seconds


def test_an_unknown_scope_is_the_project_s() -> None:
    for scope in ("", "user", "Project"):
        assert rate(scope) == 1e-5, scope
        assert scope_weight(scope) == 0.6, scope


@given(st.floats(allow_nan=True, allow_infinity=True), st.floats(1e-300, 1e300))
def test_recency_stays_in_range(age: float, lambda_: float) -> None:
    assert 0 <= recency(age, lambda_) <= 1


# --- authority ---------------------------------------------------------------------------


def test_frequency_by_hand() -> None:
    assert frequency(3, 6) == pytest.approx(log(4) / log(8)) == pytest.approx(2 / 3)
    assert frequency(6, 6) == pytest.approx(log(7) / log(8))  # the +1 below alone: never 1
    assert frequency(1, 1) == pytest.approx(log(2) / log(3))


def test_counts_that_cannot_be() -> None:
    for acc, most, expected in (
        (-4, 6, 0), (nan, 6, 0), (3, nan, 0), (3, -1, 0), (3, inf, 0), (inf, inf, 0),
    ):  # fmt: skip
        assert frequency(acc, most) == expected, acc


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
    assert authority(1, 0, 0) == pytest.approx(0.5)


@given(ANY, ANY, ANY)
def test_authority_stays_in_range(r: float, f: float, a: float) -> None:
    assert 0 <= authority(r, f, a) <= 1


# --- keyword coverage and the second-pass score ------------------------------------------


def test_keywords_are_what_a_query_is_about() -> None:
    for query, expected in (
        ("What did we decide about caching the tokens?", {"decid", "cach", "token"}),
        ("Why does the cache expire before the tokens do?", {"cach", "expir", "token"}),
        ("how many were there before that", set()),
        ("", set()),
        ("!!! … ???", set()),
        ("cache CACHE caching", {"cach"}),
        ("didn't the build fail?", {"build", "fail"}),
        ("如何缓存", {"如何", "何缓", "缓存"}),
    ):
        assert keywords(query) == expected, query


def test_coverage_by_hand() -> None:
    assert m_norm(2, 3) == pytest.approx(2 / 3)
    assert m_norm(3, 3) == 1
    assert m_norm(0, 3) == 0


def test_s_final_by_hand() -> None:
    assert KAPPA == 0.3
    assert s_final(0.8, 0.5, 1.0) == pytest.approx(0.4)
    assert s_final(0.8, 0.5, 0.0) == pytest.approx(0.4 / 1.3)
    assert s_final(0.8, 0.5, 0.5) == pytest.approx(0.4 * 1.15 / 1.3)
    assert s_final(0.8, -0.5, 1.0) == 0


@given(ANY, ANY, ANY)
def test_s_final_is_never_over_omega(omega: float, sim: float, m: float) -> None:
    assert 0 <= s_final(omega, sim, m) <= min(max(omega, 0), 1) or omega != omega  # noqa: PLR0124 -- NaN

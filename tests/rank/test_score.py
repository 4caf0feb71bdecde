"""The hybrid score: each figure worked out by hand."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.rank.score import Mix, base, decay_rate, normalised, quality, score, unit, unit_sum

ANY = st.floats(allow_nan=True, allow_infinity=True)
UNIT = st.floats(0, 1)


def test_the_defaults_are_the_source_s() -> None:
    assert Mix() == (0.7, 0.2, 0.1, 0.5)
    assert normalised(Mix()) == pytest.approx(Mix())


@pytest.mark.parametrize(
    ("value", "clamped"),
    [(-1, 0), (0, 0), (0.5, 0.5), (1, 1), (7, 1), (inf, 1), (-inf, 0), (nan, 0)],
)
def test_unit_clamps(value: float, clamped: float) -> None:
    assert unit(value) == clamped


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ((1, 1, 0), (0.5, 0.5, 0)),
        ((2, 1, 1), (1 / 3, 1 / 3, 1 / 3)),  # clamped first
        ((-3, 0.5, 0), (0, 1, 0)),
        ((inf, 0, 0), (1, 0, 0)),
        ((nan, 0.25, 0.75), (0, 0.25, 0.75)),
        ((5e-324, 0, 0), (1, 0, 0)),
        ((0, 0, 0), (0.7, 0.2, 0.1)),
        ((-1, nan, -inf), (0.7, 0.2, 0.1)),
    ],
)
def test_weights_are_clamped_then_scaled_onto_one(
    weights: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    assert unit_sum(weights, (0.7, 0.2, 0.1)) == pytest.approx(expected)


def test_base_by_hand() -> None:
    assert base(0.5, 0.25, 0.6) == pytest.approx(0.7 * 0.5 + 0.2 * 0.25 + 0.1 * 0.6)
    assert base(-0.9, 0.25, 0.6) == pytest.approx(0.2 * 0.25 + 0.1 * 0.6)  # cos clamped at 0
    assert base(0.5, 0.2, 1.0, Mix(1, 1, 0)) == pytest.approx(0.35)


def test_one_weight_alone_decides_alone() -> None:
    assert base(0.3, 0.5, 0.6, Mix(1, 0, 0)) == pytest.approx(0.3)
    assert base(0.3, 0.5, 0.6, Mix(0, 1, 0)) == pytest.approx(0.5)
    assert base(0.3, 0.5, 0.6, Mix(0, 0, 1)) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("decay_rate", "delta", "expected"),
    [
        (None, 0.5, 1),
        (0.0, 0.5, 1),
        (0.4, 0.5, 0.8),
        (1.0, 0.5, 0.5),
        (1.0, 1.0, 0),
        (1.0, 0.0, 1),
        (7.0, 0.5, 0.5),
        (nan, 0.5, 1),
        (1.0, inf, 0),
        (1.0, nan, 1),
    ],
)
def test_quality_by_hand(decay_rate: float | None, delta: float, expected: float) -> None:
    assert quality(decay_rate, delta) == pytest.approx(expected)


def test_score_is_base_times_quality() -> None:
    assert score(1, 1, 1) == 1
    assert score(0.5, 0.25, 0.6, 0.4) == pytest.approx(0.46 * 0.8)
    assert score(0.5, 0.25, 0.6, 1.0, Mix(delta=1)) == 0


@given(ANY, ANY, ANY, st.none() | ANY, st.builds(Mix, ANY, ANY, ANY, ANY))
def test_every_figure_stays_in_range(
    cos: float, recency: float, scope: float, decay_rate: float | None, mix: Mix
) -> None:
    fixed = normalised(mix)
    assert sum(fixed[:3]) == pytest.approx(1)
    assert all(0 <= weight <= 1 for weight in fixed)
    assert 0 <= base(cos, recency, scope, mix) <= 1
    assert 1 - fixed.delta <= quality(decay_rate, mix.delta) <= 1
    assert 0 <= score(cos, recency, scope, decay_rate, mix) <= base(cos, recency, scope, mix)


@given(UNIT, UNIT, UNIT, UNIT)
def test_more_similar_is_never_worth_less(one: float, two: float, r: float, s: float) -> None:
    low, high = sorted((one, two))
    assert base(low, r, s) <= base(high, r, s)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_higher_confidence_never_lowers_the_score(one: float, more: float, cos: float) -> None:
    less_sure, surer = (
        score(cos, 0.5, 0.6, decay_rate(confidence)) for confidence in sorted((one, more))
    )
    assert less_sure <= surer
    assert decay_rate(one) == 1 - one


@pytest.mark.parametrize(("confidence", "expected"), [(nan, 1.0), (-1.0, 1.0), (2.0, 0.0)])
def test_a_confidence_that_is_none_decays_within_bounds(confidence: float, expected: float) -> None:
    assert decay_rate(confidence) == expected

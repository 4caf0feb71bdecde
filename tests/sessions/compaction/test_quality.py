"""Quality: section 5.2 to 5.5 of the source, each figure worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log, nan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Vectors
from ctx.sessions.compaction.refusal import LAMBDA, TAU, align, confidence, cover

ANY = st.floats(allow_nan=True, allow_infinity=True)
UNIT = st.floats(0, 1)


class Flat:
    """Vectors in a plane, which are worked with by hand."""

    def __init__(self, *rows: tuple[float, float]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def cosines(self, at: int) -> list[float]:
        x, y = self._rows[at]
        return [x * a + y * b for a, b in self._rows]

    def to_mean(self, places: Sequence[int]) -> list[float]:
        x, y = (sum(self._rows[at][axis] for at in places) for axis in (0, 1))
        length = sqrt(x * x + y * y)
        return [(x * a + y * b) / length if length else 0.0 for a, b in self._rows]


EAST, NORTH, WEST, NOWHERE = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, 0.0)


def judged(*rows: tuple[float, float]) -> tuple[float, float]:
    """Return Q_align and Q_cover of the last row, which summarises the others."""
    vectors: Vectors = Flat(*rows)
    last = len(rows) - 1
    return align(vectors, last, range(last)), cover(vectors, last, range(last))


def test_alignment_and_coverage_by_hand() -> None:
    assert judged(EAST, NORTH, EAST) == pytest.approx((sqrt(0.5), 0.5))
    assert judged(EAST, EAST) == (1, 1)


def test_what_points_the_other_way_covers_nothing_and_is_not_subtracted() -> None:
    assert judged(EAST, EAST, WEST, EAST) == pytest.approx((1, 2 / 3))
    assert judged(EAST, WEST) == (-1, 0)


def test_what_says_nothing_stands_for_nothing() -> None:
    assert judged(EAST, NORTH, NOWHERE) == (0, 0)
    assert judged(EAST, WEST, NORTH) == (0, 0)
    assert judged(EAST) == (0, 0)  # no sources


def test_confidence_by_hand() -> None:
    assert (TAU, LAMBDA) == (0.65, 0.8)
    assert confidence(0.9, 0.5) == pytest.approx(0.7)
    assert confidence(-0.9, 0.5) == 0
    assert confidence(1, 1) == 1
    assert confidence(0.9, 0.5, log(0.5)) == pytest.approx(0.8 * 0.7 + 0.2 * 0.5)
    assert confidence(0.9, 0.5, 0) == pytest.approx(0.76)


@pytest.mark.parametrize(
    ("logprob", "expected"), [(-inf, 0.56), (-1e300, 0.56), (3.0, 0.76), (inf, 0.76), (nan, 0.7)]
)
def test_logarithms_that_cannot_be(logprob: float, expected: float) -> None:
    assert confidence(0.9, 0.5, logprob) == pytest.approx(expected)


def test_what_is_not_a_number_counts_as_nothing() -> None:
    assert confidence(nan, 1) == 0.5
    assert confidence(1, nan) == 0.5
    assert confidence(inf, -inf) == 0


@given(ANY, ANY, ANY | st.none())
def test_confidence_is_bounded(one: float, other: float, logprob: float | None) -> None:
    sure = confidence(one, other, logprob)
    assert 0 <= sure <= 1


@given(UNIT, UNIT, st.floats(max_value=1, allow_nan=False), st.floats(max_value=1, allow_nan=False))
def test_a_surer_model_never_lowers_confidence(
    one: float, other: float, sure: float, surer: float
) -> None:
    sure, surer = sorted((sure, surer))
    assert confidence(one, other, sure) <= confidence(one, other, surer)


@given(UNIT, UNIT, UNIT, st.floats(-9, 0) | st.none())
def test_better_geometry_never_lowers_confidence(
    one: float, other: float, more: float, logprob: float | None
) -> None:
    assert confidence(one, other, logprob) <= confidence(max(one, more), other, logprob)
    assert confidence(one, other, logprob) <= confidence(one, max(other, more), logprob)


@given(UNIT, UNIT, st.floats(-9, 0))
def test_the_geometry_weighs_four_fifths(one: float, other: float, logprob: float) -> None:
    geometry = (one + other) / 2
    expected = 0.8 * geometry + 0.2 * exp(logprob)
    assert confidence(one, other, logprob) == pytest.approx(expected)

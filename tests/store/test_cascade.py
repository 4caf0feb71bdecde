"""The cascade: each figure worked out by hand, and what damaged vectors do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

np = pytest.importorskip("numpy")

from ctx.store import cascade  # noqa: E402
from ctx.store.cascade import TIERS, Tier, derive, top  # noqa: E402

with mock.patch.dict(os.environ):  # benchmarks keep what ctx remembers elsewhere
    from benchmarks.cascade import Threshold, threshold

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ctx.store.cascade import Floats, Rows

SHORT = (Tier(1, 0.65), Tier(2, 0.75))
"""A cascade that can be worked out by hand."""


def rows(*values: tuple[float, ...]) -> Floats:
    made: Floats = np.array(values, np.float32)
    return made


class Nearest(NamedTuple):
    rows: Rows
    scores: Floats
    dim: int


def search(
    query: Floats,
    full: Floats,
    kept: Mapping[int, Floats],
    k: int,
    tiers: Collection[Tier] = TIERS,
) -> Nearest:
    scores, dim = cascade.search(query, full, kept, tiers)
    nearest = top(scores, k)
    return Nearest(nearest, scores[nearest], dim)


FULL = rows((0.6, 0.0, 0.8), (0.0, 0.6, 0.8), (0.0, 0.0, 1.0), (0.8, 0.6, 0.0))


def kept(full: Floats = FULL) -> dict[int, Floats]:
    return {dim: derive(full, dim) for dim, _ in SHORT}


def test_a_prefix_of_hardly_any_length_is_hardly_any_vector() -> None:
    for length, expected in (
        (0.0, 0.0), (1e-30, 1e-22), (1e-8, 2**-0.5), (1e-4, 1.0), (1.0, 1.0), (1e30, 1.0),
    ):  # fmt: skip
        assert derive(rows((length, 1)), 1)[0, 0] == pytest.approx(expected, rel=1e-6), length


def test_a_damaged_row_becomes_zero() -> None:
    for value in (np.nan, np.inf, -np.inf):
        assert derive(rows((value, 1), (1, 0)), 2).tolist() == [[0, 0], [1, 0]], value


def test_a_prefix_that_cannot_be_is_refused() -> None:
    for dim in (0, -1, 4):
        with pytest.raises(ValueError, match="no prefix"):
            derive(FULL, dim)


# Search


def test_it_ends_at_the_first_tier_that_is_sure() -> None:
    found = search(rows((1, 0, 0))[0], FULL, kept(), 2, tiers=SHORT)
    assert (found.dim, found.rows.tolist()) == (1, [0, 3])  # both are 1 there: by index
    assert found.scores.tolist() == pytest.approx([1, 1])


def test_it_falls_through_to_the_next_tier() -> None:
    found = search(rows((0, 1, 0))[0], FULL, kept(), 2, tiers=SHORT)
    assert (found.dim, found.rows.tolist()) == (2, [1, 3])  # 1, .6
    assert found.scores.tolist() == pytest.approx([1, 0.6])


def test_it_falls_through_to_the_full_vectors() -> None:
    found = search(rows((0, 0, 1))[0], FULL, kept(), 2, tiers=SHORT)  # prefixes of no length
    assert (found.dim, found.rows.tolist()) == (3, [2, 0])
    assert found.scores.tolist() == pytest.approx([1, 0.8])


def test_the_threshold_has_to_be_passed() -> None:
    full = rows((1, 0), (0, 1))
    tiers = {1: rows((0.5,), (0,))}
    query = rows((1, 0))[0]
    assert search(query, full, tiers, 1, tiers=[Tier(1, 0.5)]).dim == 2
    assert search(query, full, tiers, 1, tiers=[Tier(1, 0.49)]).dim == 1


def test_without_its_tiers_the_full_vectors_answer() -> None:
    query = rows((1, 0, 0))[0]
    for tiers in ({}, {1: np.empty((0, 1), np.float32)}, {1: np.ones((4, 2), np.float32)}):
        found = search(query, FULL, tiers, 1, tiers=SHORT)
        assert (found.dim, found.rows.tolist()) == (3, [3])


def test_an_empty_matrix_is_searched_to_the_end() -> None:
    empty = np.empty((0, 3), np.float32)
    found = search(rows((1, 0, 0))[0], empty, kept(empty), 5, tiers=SHORT)
    assert (found.dim, found.rows.tolist(), found.scores.tolist()) == (3, [], [])
    # Even where a tier asks for nothing: max(∅) = 0 passes no threshold.
    assert search(rows((1, 0, 0))[0], empty, kept(empty), 5, tiers=[Tier(1, -1)]).dim == 3


def test_a_damaged_row_or_query_finds_nothing() -> None:
    full = rows((np.nan, 1), (np.inf, 0), (0.6, 0.8))
    found = search(rows((1, 0))[0], full, {}, 3)
    assert found.rows.tolist() == [2, 0, 1]
    assert found.scores.tolist() == pytest.approx([0.6, 0, 0])
    assert search(rows((np.nan, 0))[0], full, {}, 3).scores.tolist() == [0, 0, 0]


def test_a_query_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="components"):
        search(rows((1, 0))[0], FULL, {}, 3)


def test_equal_scores_go_by_index() -> None:
    full = np.ones((50, 1), np.float32)
    full[7] = -1
    assert search(rows((1,))[0], full, {}, 9).rows.tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 9]


NUMBER = st.floats(width=32, allow_nan=True, allow_infinity=True) | st.floats(-1, 1, width=32)
MATRIX = st.lists(st.tuples(NUMBER, NUMBER, NUMBER), max_size=8)


@given(MATRIX, st.tuples(NUMBER, NUMBER, NUMBER), st.integers(-1, 9))
def test_cosines_are_bounded_and_fall(
    values: list[tuple[float, ...]], query: tuple[float, ...], k: int
) -> None:
    full = np.array(values, np.float32).reshape(len(values), 3)
    tiers = kept(full)
    for tier in tiers.values():
        assert np.isfinite(tier).all()
        assert (np.square(tier.astype(np.float64)).sum(axis=1) <= 1 + 1e-6).all()
    found = search(np.array(query, np.float32), full, tiers, k, tiers=SHORT)
    assert len(found.rows) == len(set(found.rows.tolist())) == max(min(k, len(values)), 0)
    assert ((found.scores >= -1) & (found.scores <= 1)).all()
    assert (np.diff(found.scores) <= 0).all()


# Thresholds


def test_a_threshold_by_hand() -> None:
    full = rows((0.9, 0.1, 0.0), (0.9, 0.1, 0.0), (0.0, 0.9, 0.1), (0.1, 0.0, 0.9))
    prefix = rows((0.8, 0.1, 0.0), (0.1, 0.5, 0.0), (0.0, 0.7, 0.1), (0.6, 0.0, 0.3))
    # Best prefix scores .8 (right), .5 (wrong), .7 (right), .6 (wrong): over .6 all are right.
    assert threshold(full, prefix, k=1) == pytest.approx((0.6, 0.5, 1.0))
    # Two of three are right over .5, half of them over 0.
    assert threshold(full, prefix, k=1, keep=0.6).theta == pytest.approx(0.5)
    assert threshold(full, prefix, k=1, keep=0.5) == Threshold(0.0, 1.0, 0.5)
    assert threshold(full, prefix, k=3) == Threshold(0.0, 1.0, 1.0)  # all are the top 3


def test_a_prefix_that_never_keeps_enough_never_ends_a_search() -> None:
    full, prefix = rows((1, 0), (0, 1)), rows((0, 1), (1, 0))
    assert threshold(full, prefix, k=1) == Threshold(1.0, 0.0, 1.0)
    assert threshold(full, -full, k=1) == Threshold(1.0, 0.0, 1.0)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_without_samples_no_search_ends_early(shape: tuple[int, int]) -> None:
    none = np.empty(shape, np.float32)
    assert threshold(none, none) == Threshold(1.0, 0.0, 1.0)


def test_figures_that_cannot_be_are_refused() -> None:
    for k, keep in ((0, 0.9), (1, 0.0), (1, 1.1), (1, np.nan)):
        with pytest.raises(ValueError, match="share"):
            threshold(FULL, FULL, k, keep)


def test_samples_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="samples"):
        threshold(FULL, FULL[:2])


def test_a_threshold_holds_in_a_search() -> None:
    random = np.random.default_rng(7)
    full = derive(random.normal(size=(200, 32)).astype(np.float32), 32)
    noise = random.normal(size=(40, 32)) * np.linspace(0.02, 2, 40)[:, None]
    queries = derive((full[:40] + noise).astype(np.float32), 32)
    tier = derive(full, 8)
    found = threshold(queries @ full.T, derive(queries, 8) @ tier.T, k=1)
    assert 0 < found.exits < 1
    ended = [
        (nearest.rows[0], search(query, full, {}, 1).rows[0])
        for query in queries
        if (nearest := search(query, full, {8: tier}, 1, tiers=[Tier(8, found.theta)])).dim == 8
    ]
    assert len(ended) == pytest.approx(found.exits * 40, abs=1)  # float32 in two orders
    assert sum(one == two for one, two in ended) >= 0.95 * len(ended) - 1

"""The best that fit: in order, within the budget, and not for ever."""

from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit import PATIENCE, greedy
from ctx.model import Scored
from tests.read.samples import entry

COSTS = st.lists(st.integers(0, 120), max_size=40)


def _ranked(costs: list[int]) -> list[Scored]:
    return [Scored(entry(str(place), size=cost), 0.5, ()) for place, cost in enumerate(costs)]


def _cost(one: Scored) -> int:
    return one.entry.size


def _chosen(costs: list[int], budget: int) -> list[int]:
    return [int(one.entry.title) for one in greedy(_ranked(costs), _cost, budget)]


@given(COSTS, st.integers(-5, 500))
def test_the_sum_stays_within_the_budget_and_the_order_is_kept(
    costs: list[int], budget: int
) -> None:
    chosen = _chosen(costs, budget)
    assert chosen == sorted(set(chosen))
    assert sum(costs[place] for place in chosen) <= max(budget, 0)


@given(COSTS, st.integers(1, 500))
def test_nothing_that_would_still_fit_is_left(costs: list[int], budget: int) -> None:
    chosen = _chosen(costs, budget)
    left = budget - sum(costs[place] for place in chosen)
    assert all(costs[place] > left for place in set(range(len(costs))) - set(chosen)) or left == 0


@pytest.mark.parametrize("budget", [0, -1])
def test_no_budget_buys_nothing_and_costs_no_look(budget: int) -> None:
    def never(_one: Scored) -> int:
        raise AssertionError

    assert greedy(_ranked([0, 1]), never, budget) == []


def _then(before: int, after: int) -> Iterator[Scored]:
    yield from _ranked([99] * before)
    yield from _ranked([after])


def test_patience_ends_after_its_number_of_misses_in_a_row() -> None:
    assert len(greedy(_then(PATIENCE - 1, 1), _cost, 10)) == 1
    assert len(greedy(_then(PATIENCE, 1), _cost, 10)) == 0


def test_patience_begins_anew_with_every_hit() -> None:
    costs = ([99] * (PATIENCE - 1) + [1]) * 3
    assert len(_chosen(costs, 10)) == 3


def test_a_row_without_end_is_not_read_to_its_end() -> None:
    endless = (Scored(entry(str(place), size=50), 0.5, ()) for place in count())
    assert len(greedy(endless, _cost, 120)) == 2

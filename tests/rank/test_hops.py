"""One hop: each figure worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, nan
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.rank.links import ETA_HOP, THETA_HOP, Found, hop, merge

T = TypeVar("T")
KEY = st.sampled_from("abcdefgh")
SCORES = st.dictionaries(KEY, st.floats(0, 1))
GRAPH = st.dictionaries(KEY, st.lists(KEY))


def test_the_constants_are_the_spec_s() -> None:
    assert ETA_HOP == 0.5
    assert THETA_HOP == 0.15


def test_a_neighbour_inherits_half_of_its_best_parent() -> None:
    graph = {"a": ["x", "y"], "b": ["x"]}
    assert hop({"a": 0.4, "b": 0.8}, graph) == [Found("x", 0.4, "b"), Found("y", 0.2, "a")]


def test_what_inherits_less_than_the_threshold_is_left_out() -> None:
    graph = {"a": ["x"], "b": ["y"]}
    assert [one.key for one in hop({"a": 0.3, "b": 0.29}, graph)] == ["x"]  # 0.15 is enough
    assert hop({"a": 0.3}, graph, theta=0.2) == []
    assert hop({"a": 0.0}, graph, theta=0) == [Found("x", 0.0, "a")]


def test_only_one_hop() -> None:
    assert [one.key for one in hop({"a": 1.0}, {"a": ["b"], "b": ["c"]})] == ["b"]


def test_what_was_found_by_itself_is_no_hop_unless_asked_for() -> None:
    graph = {"a": ["b", "x"]}
    scores = {"a": 1.0, "b": 0.2}
    assert [one.key for one in hop(scores, graph)] == ["x"]
    both = hop(scores, graph, outside=False)
    assert both == [Found("b", 0.5, "a"), Found("x", 0.5, "a")]
    assert merge(scores, both) == [Found("a", 1.0), Found("b", 0.5, "a"), Found("x", 0.5, "a")]


def test_merge_keeps_the_better_of_two() -> None:
    hopped = [Found("a", 0.4, "b"), Found("b", 0.5, "a"), Found("c", 0.3, "a")]
    assert merge({"a": 0.6, "b": 0.5}, hopped) == [
        Found("a", 0.6),
        Found("b", 0.5),  # its own, where both are equal
        Found("c", 0.3, "a"),
    ]


@pytest.mark.parametrize("graph", [{}, {"a": []}, {"a": ["a"]}, {"b": ["a"]}])
def test_a_neighbourhood_without_anyone(graph: dict[str, list[str]]) -> None:
    assert hop({"a": 1.0}, graph) == []
    assert hop({"a": 1.0}, lambda key: graph.get(key, ())) == []
    assert hop({}, graph) == []


def test_cycles_end() -> None:
    ring = {str(at): [str((at + 1) % 5000)] for at in range(5000)}
    assert hop({"7": 1.0}, ring) == [Found("8", 0.5, "7")]
    assert hop(dict.fromkeys(ring, 1.0), ring) == []
    assert len(hop(dict.fromkeys(ring, 1.0), ring, outside=False)) == 5000


def test_of_equal_parents_the_first_by_key() -> None:
    assert hop({"b": 0.6, "a": 0.6}, {"a": ["x"], "b": ["x"]}) == [Found("x", 0.3, "a")]


def test_scores_out_of_range_are_clamped() -> None:
    graph = {"a": ["x"], "b": ["y"], "c": ["z"]}
    scores = {"a": inf, "b": nan, "c": -1.0}
    assert hop(scores, graph, theta=0) == [
        Found("x", 0.5, "a"),
        Found("y", 0.0, "b"),
        Found("z", 0.0, "c"),
    ]
    assert merge(scores, []) == [Found("a", 1.0), Found("b", 0.0), Found("c", 0.0)]


@pytest.mark.parametrize(
    ("eta", "theta"), [(0, 0), (1, 0), (-1, 0), (nan, 0), (0.5, -0.1), (0.5, 1.1), (0.5, nan)]
)
def test_figures_out_of_range_are_refused(eta: float, theta: float) -> None:
    with pytest.raises(ValueError, match=r"_hop is"):
        hop({"a": 1.0}, {}, eta=eta, theta=theta)


@given(SCORES, GRAPH, st.booleans(), st.randoms())
def test_hops_stay_in_range_whatever_the_order(
    scores: dict[str, float], graph: dict[str, list[str]], outside: bool, random: Random
) -> None:
    hopped = hop(scores, graph, outside=outside)
    merged = merge(scores, hopped)
    assert all(0 <= one.score < 1 for one in hopped)
    assert all(0 <= one.score <= 1 for one in merged)
    assert {one.key for one in merged} == {*scores, *(one.key for one in hopped)}
    for one in merged:
        assert one.score >= scores.get(one.key, 0)
    mixed = {key: shuffled(graph[key], random) for key in shuffled(graph, random)}
    again = hop({key: scores[key] for key in shuffled(scores, random)}, mixed, outside=outside)
    assert again == hopped
    assert merge(scores, shuffled(hopped, random)) == merged


def shuffled(items: Iterable[T], random: Random) -> list[T]:
    mixed = list(items)
    random.shuffle(mixed)
    return mixed

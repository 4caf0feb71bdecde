"""Where a session's tail may start: against the definition, tried turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from ctx.fit.continuity import Boundaries, base_start, longest
from ctx.model import Entry


class Thread:
    """A session that is asked for its length and its bundles, and for no turn."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    def turn(self, index: int) -> Entry:
        raise AssertionError(index)

    def bundles(self) -> Iterator[tuple[int, str]]:
        return ((index, name) for index, name in enumerate(self.names) if name)


def boundaries(names: Sequence[str]) -> Boundaries:
    return Boundaries(Thread(names).bundles())


def splits(names: Sequence[str], cut: int) -> bool:
    """Return whether turns of one bundle stand on both sides of a cut before turn ``cut``."""
    return bool({*names[:cut]} & {*names[cut:]} - {""})


def back(names: Sequence[str], index: int) -> int:
    """Return the nearest cut at or before ``index`` that splits nothing, by trying."""
    return next(cut for cut in range(index, -1, -1) if not splits(names, cut))


sessions = st.lists(st.sampled_from(("", "", "a", "b", "c", "d")), max_size=14)
"""Bundles that overlap, nest and interleave."""


@given(sessions)
@example(list("abab"))
@example(list("abba"))
@example(["a", "", "a", "b", "b"])
@example(["a", "b", "a", "c", "b", "c", ""])
@example(["a"])
def test_a_cut_goes_back_to_where_no_bundle_is_split(names: list[str]) -> None:
    found = boundaries(names)
    for index in range(len(names) + 1):
        assert found.back(index) == back(names, index)
        assert found.back(found.back(index)) == found.back(index)


# --- the base -----------------------------------------------------------------------------


@given(sessions, st.integers(1, 20))
def test_the_base_is_the_shortest_whole_suffix_with_enough_turns(
    names: list[str], least: int
) -> None:
    start = base_start(Thread(names), least, boundaries(names))
    whole = [cut for cut in range(len(names) + 1) if not splits(names, cut)]
    long_enough = [cut for cut in whole if len(names) - cut >= least]
    assert start == (max(long_enough) if long_enough else 0)


# --- the longest tail ---------------------------------------------------------------------


def longest_by_trying(names: Sequence[str], prices: Sequence[int], start: int, room: int) -> int:
    whole = [cut for cut in range(start + 1) if not splits(names, cut)]
    return min(cut for cut in [*whole, start] if sum(prices[cut:start]) <= max(room, 0))


@st.composite
def _priced(draw: st.DrawFn) -> tuple[list[str], list[int], int]:
    names = draw(sessions)
    prices = draw(st.lists(st.integers(1, 9), min_size=len(names), max_size=len(names)))
    return names, prices, back(names, draw(st.integers(0, len(names))))


@given(_priced(), st.integers(-5, 60))
def test_the_longest_suffix_that_fits(drawn: tuple[list[str], list[int], int], room: int) -> None:
    names, prices, start = drawn
    found = longest(start, boundaries(names), prices.__getitem__, room)
    assert found == longest_by_trying(names, prices, start, room)
    assert not splits(names, found) or found == start


def test_no_more_is_priced_than_could_fit() -> None:
    asked: list[int] = []

    def price(index: int) -> int:
        asked.append(index)
        return 10

    assert longest(100_000, Boundaries(()), price, 35) == 99_997
    assert asked == [99_999, 99_998, 99_997, 99_996]
    asked.clear()
    one = Boundaries([(0, "all"), (99_999, "all")])
    assert longest(100_000, one, price, 35) == 100_000
    assert len(asked) == 4


def test_turns_that_cost_nothing_are_said() -> None:
    assert longest(5, Boundaries(()), lambda _: 0, 0) == 0
    assert longest(5, Boundaries(()), lambda _: 0, -1) == 5

"""The law of the budget, with measures whose whole is not the sum of its pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit import plan
from ctx.model import Request, Selection
from tests.fit.flat import Flat, offer, scored
from tests.rank.test_brackets import TODAY

CHOICE = offer(
    {
        "tasks": scored("task", [60] * 9),
        "conventions": scored("convention", [40] * 9),
        "decisions": scored("decision", [70] * 9),
        "learnings": scored("learning", [30] * 9),
    }
)


class Dear(Flat):
    """The whole costs more, or less, than its pieces."""

    def __init__(self, percent: int) -> None:
        super().__init__(line=4, heading=3)
        self.percent = percent

    def whole(self, selection: Selection) -> int:
        return super().whole(selection) * self.percent // 100


def said(selection: Selection) -> int:
    return sum(len(one.included) + len(one.titles) for one in selection.sections)


@pytest.mark.parametrize("percent", [101, 110, 150, 200, 1000])
def test_what_is_too_long_as_a_whole_is_taken_back(percent: int) -> None:
    measure = Dear(percent)
    selection = plan(CHOICE, Request("/", TODAY, budget=1000), measure)
    assert measure.whole(selection) <= 1000
    plain = plan(CHOICE, Request("/", TODAY, budget=1000), Dear(100))
    assert Dear(100).whole(selection) < Dear(100).whole(plain)
    assert said(selection) > 0 or percent == 1000


@pytest.mark.parametrize("percent", [99, 80, 50])
def test_what_is_shorter_as_a_whole_is_spent_again(percent: int) -> None:
    measure = Dear(percent)
    selection = plan(CHOICE, Request("/", TODAY, budget=1000), measure)
    plain = plan(CHOICE, Request("/", TODAY, budget=1000), Dear(100))
    assert measure.whole(selection) <= 1000
    assert measure.whole(selection) > measure.whole(plain)


@given(st.integers(50, 300), st.integers(0, 2500))
def test_no_measure_makes_the_law_break(percent: int, budget: int) -> None:
    measure = Dear(percent)
    assert measure.whole(plan(CHOICE, Request("/", TODAY, budget=budget), measure)) <= budget


def test_a_whole_that_never_fits_says_only_the_frame() -> None:
    class Jumpy(Flat):
        def whole(self, selection: Selection) -> int:
            return 5000 if len(selection.sections) > 1 else 0

    selection = plan(CHOICE, Request("/", TODAY, budget=1000), Jumpy())
    assert [section.name for section in selection.sections] == ["rules"]

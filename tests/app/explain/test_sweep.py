"""A sweep: packets at many budgets, and from which on an entry is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ctx.app.explain.sweep import (
    ANY,
    EDGES,
    FEWEST,
    LEAST_PACKETS,
    STEPS,
    WHOLE,
    Once,
    Remembering,
    Share,
    Span,
    Step,
    Sweep,
    Takes,
    allowed,
    coarse_first,
    grid,
    history,
    span,
    takes,
)
from ctx.model import Fields, Indexes, Level, Part, Text

LEVEL: dict[str, Level] = {"t": "title", "k": "key", "f": "full"}


def step(budget: int, level: Level | None) -> Step:
    """Return a packet that says the entry ``x`` at ``level``, or not at all."""
    return Step(budget, budget, "", {"lore": Share(0, 0, 0, 0, 0)}, {"x": level} if level else {})


def steps(levels: str) -> list[Step]:
    """Return packets a hundred tokens apart: ``.`` says nothing."""
    return [step(100 * at, LEVEL.get(sign)) for at, sign in enumerate(levels)]


def sweep_of(level: Callable[[int], Level | None], most: int) -> tuple[Sweep, list[int]]:
    """Return a sweep over eight budgets up to ``most``, and the budgets that it asks for."""
    asked: list[int] = []

    def make(budget: int) -> Step:
        asked.append(budget)
        return step(budget, level(budget))

    sweep = Sweep(make)
    for at in range(9):
        sweep.at(most * at // 8)
    return sweep, asked


@given(st.integers(0, 10**7))
def test_a_grid_has_the_budget_and_goes_on_beyond_it(budget: int) -> None:
    budgets = grid(budget)
    assert budget in budgets
    assert budgets == sorted(set(budgets))
    assert budgets[0] == 0
    assert budgets[-1] == max(4 * budget, 1000)
    assert len(budgets) <= STEPS + 2


@given(st.integers(0, 10**7))
def test_who_stops_a_sweep_has_an_even_grid(budget: int) -> None:
    budgets = grid(budget)
    order = list(coarse_first(budgets))
    assert sorted(order) == budgets
    assert set(order[:2]) == {budgets[0], budgets[-1]}
    half = sorted(order[: FEWEST + 1])
    assert max(b - a for a, b in pairwise(half)) <= budgets[-1] / 4


def test_what_a_sweep_may_cost_is_bounded() -> None:
    assert allowed(30, 3_000) > STEPS
    assert 20 < allowed(830, 50_000) < STEPS
    assert allowed(10_000, 250_000) == FEWEST
    assert allowed(30_000, 750_000) == allowed(10**6, 10**7) == LEAST_PACKETS
    assert allowed(0, 0) > STEPS


def test_a_sweep_that_is_spent_makes_no_more_packets() -> None:
    sweep, asked = sweep_of(lambda budget: "full" if budget >= 611 else None, 800)
    sweep.most = len(asked) + 3
    assert sweep.finely("x", 10**9).full == Span(612, None)  # to the token: 611
    assert len(asked) == 9 + 3
    sweep.most = 0
    assert sweep.finely("y", 10**9) == Takes(None, None)
    assert len(asked) == 9 + 3


def test_from_which_budget_on_an_entry_is_said() -> None:
    expected = {
        "....": Takes(None, None),
        "..tt": Takes(Span(200, None), None),
        ".tkf": Takes(Span(100, None), Span(300, None)),
        "ffff": Takes(Span(0, None), Span(0, None)),
        # It goes again, and comes back: what holds from there on is what counts.
        "t.tf": Takes(Span(200, None), Span(300, None)),
        # A summary gives way to its turns.
        ".tf.": Takes(Span(100, 200), Span(200, 200)),
        "f.t.": Takes(Span(200, 200), Span(0, 0)),
    }
    assert {levels: takes(steps(levels), "x") for levels in expected} == expected
    assert takes(steps("ffff"), "y") == Takes(None, None)


def test_what_becomes_of_an_entry() -> None:
    assert history(steps("..tt.f"), "x") == [
        ("out", 0, 100), ("title", 200, 300), ("out", 400, 400), ("full", 500, 500),
    ]  # fmt: skip
    assert history([], "x") == []


def test_to_the_token() -> None:
    sweep, asked = sweep_of(
        lambda budget: "full" if budget >= 611 else "title" if budget >= 207 else None, 800
    )
    before = len(asked)
    assert sweep.exactly("x", 800) == Takes(Span(207, None), Span(611, None))
    assert len(asked) - before <= 14  # two times a hundred tokens, halved again and again
    assert len(asked) == len(set(asked))
    assert [one.budget for one in sweep.steps] == sorted(asked)


def test_beyond_the_sweep_budgets_are_doubled_up_to_the_ceiling() -> None:
    sweep, asked = sweep_of(lambda budget: "full" if budget >= 5000 else None, 800)
    assert sweep.exactly("x", 6000) == Takes(Span(5000, None), Span(5000, None))
    assert max(asked) == 6000
    none, asked = sweep_of(lambda budget: "full" if budget >= 5000 else None, 800)
    assert none.exactly("x", 4999) == Takes(None, None)
    assert max(asked) == 4999


@given(st.lists(st.sampled_from([None, "title", "key", "full"]), min_size=2, max_size=400))
def test_what_is_found_was_looked_at(levels: list[Level | None]) -> None:
    """However it comes and goes: it is in at the start, not with a token less, and in above."""
    most = len(levels) - 1
    sweep, _ = sweep_of(lambda budget: levels[budget], most)
    found = sweep.exactly("x", most)
    for one, wanted in ((found.title, ANY), (found.full, WHOLE)):
        assert one == span(sweep.steps, "x", wanted)
        if one is None:
            continue
        end = most if one.end is None else one.end
        assert levels[one.start] in wanted
        assert one.start == 0 or levels[one.start - 1] not in wanted
        looked = [made for made in sweep.steps if one.start <= made.budget <= end]
        assert all(made.levels.get("x") in wanted for made in looked)


def test_of_many_changes_the_first_are_found() -> None:
    """As a planner that weighs everything anew may have it."""
    sweep, asked = sweep_of(lambda budget: "full" if budget // 100 % 2 else None, 800)
    sweep.finely("x", 800)
    assert len(asked) < 9 + 8 * 8
    turning = [step(budget, "full" if budget % 20 else None) for budget in range(0, 10_000, 10)]
    many = Sweep(lambda budget: step(budget, None))
    for one in turning:
        many._made[one.budget] = one  # as made before
    many._edges("x")
    assert len(turning) < len(many.steps) <= len(turning) + EDGES * 9


@given(st.lists(st.sampled_from([None, "title", "key", "full"]), min_size=2, max_size=200))
def test_what_takes_and_changes_say_is_the_same(levels: list[Level | None]) -> None:
    most = len(levels) - 1
    sweep, _ = sweep_of(lambda budget: levels[budget], most)
    found = sweep.finely("x", most)
    assert found == takes(sweep.steps, "x")
    for run in history(sweep.steps, "x"):
        assert (levels[run.first] or "out") == run.outcome == (levels[run.last] or "out")


class Counting:
    """Counts letters, and how often it is asked."""

    name = "letters"

    def __init__(self) -> None:
        self.asked = 0

    def count(self, text: str) -> int:
        self.asked += 1
        return len(text)


def test_a_text_is_counted_once() -> None:
    counting = Counting()
    remembering = Remembering(counting)
    assert remembering.name == "letters"
    assert [remembering.count("four") for _ in range(3)] == [4, 4, 4]
    assert counting.asked == 1


class Words:
    """A library that knows how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def indexes(self, parts: Sequence[Part], fields: Fields, text: Text, query: str) -> Indexes:
        del parts, fields, text
        self.asked.append(query)
        return Indexes(None, warnings=(query,))  # type: ignore[arg-type]


def test_a_library_is_asked_once_for_the_same() -> None:
    library = Words()
    once = Once(library)

    def ask(query: str) -> tuple[str, ...]:
        return once.indexes((), lambda _: ("", "", "", 0), lambda _: "", query).warnings

    assert [ask(query) for query in ("a", "a", "b", "b", "a")] == [("a",)] * 2 + [("b",)] * 2 + [
        ("a",)
    ]
    assert library.asked == ["a", "b", "a"]

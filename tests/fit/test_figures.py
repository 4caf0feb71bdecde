"""What a packet says of its own making, and that the budget holds for it as well."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit.delivery import furnish
from ctx.fit.offer import FIGURES_SHARE, LEAST_FIGURES, apart
from ctx.model import Format, KVPolicy, Memory, Metrics, Plan, Request, Selection
from tests.fit.flat import Telling

ASKED = Request("/", date(2026, 1, 31), budget=1000, format="json", planner="acs")
TOP3 = (("a", 0.9), ("b", 0.8), ("c", 0.7))
FIGURES = Metrics("0123", "acs", 1.0, 30, 500, 0.5, 0.5, 0.5, TOP3)
POLICY = KVPolicy(tuple(f"p{n}" for n in range(40)), ("c",), ("e", "f"))
# By ``Telling``: figures cost 16, without the first three 10; the policy 6, and 1 an id.
BARE = Selection((), (), 0, "", ())
ELSE = 5000
"""What the rest of the packet costs."""


def furnished(room: int, policy: KVPolicy | None = POLICY) -> Selection:
    """Return a packet with ``room`` tokens left, and what is said in them."""
    asked = ASKED._replace(budget=ELSE + room)
    return furnish(BARE, Plan((), (), FIGURES, policy), asked, Telling(extra=ELSE))


def test_figures_take_no_more_than_their_share_where_more_is_left() -> None:
    many = POLICY._replace(pin=tuple(f"p{n}" for n in range(1000)))
    asked = ASKED._replace(budget=10_000)
    made = furnish(BARE, Plan((), (), FIGURES, many), asked, Telling(extra=ELSE))
    assert made.policy is not None
    assert (len(made.policy.pin), made.unpinned) == (250, 750)  # half of them would cost over 300


def test_a_session_has_a_policy_whatever_planned_its_packet() -> None:
    memory = Memory("s", {})
    asked = ASKED._replace(planner="tiered", budget=10_000)
    made = furnish(BARE, Plan((), (), FIGURES, POLICY), asked._replace(memory=memory), Telling())
    assert (made.metrics, made.policy) == (None, POLICY)
    assert furnish(BARE, Plan((), (), FIGURES, None), asked, Telling()) is BARE


def test_where_there_is_no_news_no_figures_are_said() -> None:
    silent = BARE._replace(news_only=True)
    asked = ASKED._replace(budget=10_000)
    assert furnish(silent, Plan((), (), FIGURES, POLICY), asked, Telling()) is silent


def test_the_share_that_is_kept_for_figures() -> None:
    assert (FIGURES_SHARE, LEAST_FIGURES) == (0.03, 110)
    assert apart(ASKED._replace(budget=10_000)) == 300
    assert apart(ASKED._replace(budget=3_667)) == 110
    assert apart(ASKED._replace(budget=3_666)) == 0  # too few for what figures take


@pytest.mark.parametrize(("kind", "planner"), [("md", "acs"), ("json", "tiered"), ("md", "tiered")])
def test_markdown_and_other_planners_have_no_figures(kind: Format, planner: str) -> None:
    asked = ASKED._replace(format=kind, planner=planner, budget=100_000)
    assert apart(asked) == 0
    assert furnish(BARE, Plan((), (), FIGURES, POLICY), asked, Telling()) is BARE


# With the figures a policy costs 25 and its pins, without them 9 and its pins.


@pytest.mark.parametrize(
    ("room", "pins"),
    [(65, 40), (64, 20), (45, 20), (44, 10), (35, 10), (34, 4), (29, 4), (28, 0), (25, 0)],
)
def test_the_policy_is_cut_first_by_its_pins(room: int, pins: int) -> None:
    made = furnished(room)
    assert made.metrics == FIGURES
    assert made.policy is not None
    assert (made.policy.pin, made.unpinned) == (POLICY.pin[:pins], 40 - pins)
    assert (made.policy.compress, made.policy.evict) == (POLICY.compress, POLICY.evict)


@pytest.mark.parametrize(("room", "pins"), [(24, 10), (19, 10), (18, 4), (13, 4), (12, 0), (9, 0)])
def test_then_the_figures_go_and_the_policy_stays(room: int, pins: int) -> None:
    made = furnished(room)
    assert made.metrics is None
    assert made.policy is not None
    assert (made.policy.pin, made.unpinned) == (POLICY.pin[:pins], 40 - pins)


@pytest.mark.parametrize(("room", "top"), [(16, TOP3), (15, ()), (10, ())])
def test_without_a_policy_the_first_three_go(room: int, top: tuple[tuple[str, float], ...]) -> None:
    assert furnished(room, None) == BARE._replace(metrics=FIGURES._replace(top3=top))


@pytest.mark.parametrize("room", [8, 0, -500])
def test_without_room_nothing_is_said_of_it(room: int) -> None:
    assert furnished(room) is BARE


@given(
    st.integers(-100, 100),
    st.none() | st.builds(lambda n: POLICY._replace(pin=POLICY.pin[:n]), st.integers(0, 40)),
)
def test_figures_never_pass_the_budget(room: int, policy: KVPolicy | None) -> None:
    made = furnished(room, policy)
    cost = Telling(extra=ELSE).whole(made)
    assert cost <= ELSE + room or made is BARE
    assert made._replace(metrics=None, policy=None, unpinned=0) == BARE

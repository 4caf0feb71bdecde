"""The figures of a plan, and what a packet says of its own making."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit import Weighed
from ctx.fit.delivery import furnish, metrics, picks
from ctx.fit.offer import FIGURES_SHARE, LEAST_FIGURES, apart
from ctx.fit.preference import score
from ctx.model import (
    Candidates,
    Entry,
    Format,
    Included,
    KVPolicy,
    Level,
    Memory,
    Metrics,
    Pick,
    Plan,
    Request,
    Scored,
    Section,
    SectionName,
    Selection,
)
from tests.fit.flat import Flat, Likely, Telling, fragment, likely
from tests.read.samples import entry

# --- what a packet says of its own making, and that the budget holds for it as well ------

IN_JSON = Request("/", date(2026, 1, 31), budget=1000, format="json", planner="acs")
TOP3 = (("a", 0.9), ("b", 0.8), ("c", 0.7))
FIGURES = Metrics("0123", "acs", 1.0, 30, 500, 0.5, 0.5, 0.5, TOP3)
POLICY = KVPolicy(tuple(f"p{n}" for n in range(40)), ("c",), ("e", "f"))
# By ``Telling``: figures cost 16, without the first three 10; the policy 6, and 1 an id.
BARE = Selection((), (), 0, "", ())
ELSE = 5000
"""What the rest of the packet costs."""


def furnished(room: int, policy: KVPolicy | None = POLICY) -> Selection:
    """Return a packet with ``room`` tokens left, and what is said in them."""
    asked = IN_JSON._replace(budget=ELSE + room)
    return furnish(BARE, Plan((), (), FIGURES, policy), asked, Telling(extra=ELSE))


def test_figures_take_no_more_than_their_share_where_more_is_left() -> None:
    many = POLICY._replace(pin=tuple(f"f{n % 5}.md#p{n}" for n in range(1000)))
    asked = IN_JSON._replace(budget=10_000)
    made = furnish(BARE, Plan((), (), FIGURES, many), asked, Telling(extra=ELSE))
    assert made.policy is not None
    assert len(made.policy.pin) == 275  # figures and lists cost 25 of 300
    assert made.unpinned == 725
    assert made.unpinned_files == tuple((f"f{n}.md", 145) for n in range(5))


def test_a_session_has_a_policy_whatever_planned_its_packet() -> None:
    memory = Memory("s", {})
    asked = IN_JSON._replace(planner="tiered", budget=10_000)
    made = furnish(BARE, Plan((), (), FIGURES, POLICY), asked._replace(memory=memory), Telling())
    assert (made.metrics, made.policy) == (None, POLICY)
    assert furnish(BARE, Plan((), (), FIGURES, None), asked, Telling()) is BARE


def test_where_there_is_no_news_no_figures_are_said() -> None:
    silent = BARE._replace(news_only=True)
    asked = IN_JSON._replace(budget=10_000)
    assert furnish(silent, Plan((), (), FIGURES, POLICY), asked, Telling()) is silent


def test_the_share_that_is_kept_for_figures() -> None:
    assert (FIGURES_SHARE, LEAST_FIGURES) == (0.03, 120)
    assert apart(IN_JSON._replace(budget=10_000)) == 300
    assert apart(IN_JSON._replace(budget=4_000)) == 120
    assert apart(IN_JSON._replace(budget=3_999)) == 0  # too few for what figures take
    memory = Memory("s", {})
    assert apart(IN_JSON._replace(budget=10_000, memory=memory)) == 500  # and what it should keep
    for budget, room in ((0, 120), (300, 120), (10_000, 300)):
        asked = IN_JSON._replace(budget=budget, planner="tiered", metrics=True)
        assert apart(asked) == room
        assert apart(asked._replace(format="md")) == 0


@pytest.mark.parametrize(("kind", "planner"), [("md", "acs"), ("json", "tiered"), ("md", "tiered")])
def test_markdown_and_other_planners_have_no_figures(kind: Format, planner: str) -> None:
    asked = IN_JSON._replace(format=kind, planner=planner, budget=100_000)
    assert apart(asked) == 0
    assert furnish(BARE, Plan((), (), FIGURES, POLICY), asked, Telling()) is BARE


# With the figures a policy costs 25 and its pins, without them 9 and its pins.


@pytest.mark.parametrize(
    ("room", "pins"),
    [(65, 40), (64, 39), (45, 20), (26, 1), (25, 0)],
)
def test_the_policy_is_cut_first_by_its_pins(room: int, pins: int) -> None:
    made = furnished(room)
    assert made.metrics == FIGURES
    assert made.policy is not None
    assert made.policy.pin == POLICY.pin[:pins]
    assert made.unpinned == 40 - pins
    assert (made.policy.compress, made.policy.evict) == (POLICY.compress, POLICY.evict)


@pytest.mark.parametrize(("room", "pins"), [(24, 15), (10, 1), (9, 0)])
def test_then_the_figures_go_and_the_policy_stays(room: int, pins: int) -> None:
    made = furnished(room)
    assert made.metrics is None
    assert made.policy is not None
    assert made.policy.pin == POLICY.pin[:pins]
    assert made.unpinned == 40 - pins


@pytest.mark.parametrize(("room", "top"), [(16, TOP3), (15, ()), (10, ())])
def test_without_a_policy_the_first_three_go(room: int, top: tuple[tuple[str, float], ...]) -> None:
    assert furnished(room, None) == BARE._replace(metrics=FIGURES._replace(top3=top))


def test_metrics_that_are_asked_for_come_before_the_policy() -> None:
    asked = IN_JSON._replace(planner="tiered", metrics=True, budget=ELSE + 24)
    plan = Plan((), (), FIGURES, POLICY)
    assert furnish(BARE, plan, asked, Telling(extra=ELSE)) == BARE._replace(metrics=FIGURES)
    made = furnish(BARE, plan, asked._replace(budget=ELSE + 30), Telling(extra=ELSE))
    assert made.metrics == FIGURES
    assert made.policy == POLICY._replace(pin=POLICY.pin[:5])


def test_without_room_nothing_is_said_of_it() -> None:
    for room in (8, 0, -500):
        assert furnished(room) is BARE, room


@given(
    st.integers(-100, 100),
    st.none() | st.builds(lambda n: POLICY._replace(pin=POLICY.pin[:n]), st.integers(0, 40)),
)
def test_figures_never_pass_the_budget(room: int, policy: KVPolicy | None) -> None:
    made = furnished(room, policy)
    cost = Telling(extra=ELSE).whole(made)
    assert cost <= ELSE + room or made is BARE
    assert made._replace(metrics=None, policy=None, unpinned=0, unpinned_files=()) == BARE


# --- the figures of a plan, worked out by hand -------------------------------------------


def section(name: SectionName, *said: tuple[Entry, Level]) -> Section:
    made = [Included(Scored(one, 7.5, ()), level) for one, level in said]
    whole = tuple(one for one in made if one.level != "title")
    return Section(name, 0, 0, whole, tuple(one for one in made if one.level == "title"), 0, "")


def selection(*sections: Section) -> Selection:
    return Selection(sections, (), 0, "", ())


def of(one: Likely) -> Entry:
    return one.scored.entry


def test_a_pick_has_the_figures_of_its_level() -> None:
    one = entry("a", size=400)
    parts = [fragment("full", 0.9, covers=3), fragment("key", 0.6, covers=1)]
    planned = Candidates([Likely(one, parts)])
    (pick,) = picks(selection(section("decisions", (one, "key"))), planned, Flat())
    assert pick == Pick(Included(Scored(one, 7.5, ()), "key"), 100, 0.6, score(0.6, 100), 1)


def test_picks_are_of_decisions_learnings_lore_and_older_turns_the_best_first() -> None:
    kinds = {"decisions": "decision", "learnings": "learning", "lore": "lore", "turns": "turn"}
    made = {
        name: likely(name, 0, at / 10, kind=kind)  # type: ignore[arg-type]
        for at, (name, kind) in enumerate(kinds.items())
    }
    sections = [section(name, (of(one), "full")) for name, one in made.items()]  # type: ignore[arg-type]
    fixed = [
        section("rules", (entry("r", kind="rule"), "full")),
        section("tasks", (entry("t", kind="task"), "full")),
        section("conventions", (entry("c", kind="convention"), "full")),
        section("tail", (entry("x", kind="turn"), "full")),
    ]
    found = picks(selection(*fixed, *sections), Candidates([*made.values()]), Flat())
    assert [pick.included.entry.title for pick in found] == [
        "turns", "lore", "learnings", "decisions",
    ]  # fmt: skip


def test_where_the_planner_knows_no_benefit_the_rankers_score_stands_for_it() -> None:
    one = entry("a", size=400)
    (pick,) = picks(selection(section("decisions", (one, "full"))), Candidates(), Flat())
    assert pick == Pick(Included(Scored(one, 7.5, ()), "full"), 400, 7.5, 7.5, 0)


def pick(name: str, benefit: float, covers: int = 0, *, cost: int = 100, source: str = "") -> Pick:
    said = Included(Scored(entry(name, source=source), benefit, ()), "full")
    return Pick(said, cost, benefit, benefit / 2, covers)


ASKED = Request("/", date(2026, 1, 31), budget=1000, planner="acs")
PLAIN = Selection((), (), 0, "", ())


def figures(
    chosen: list[Pick], terms: list[str], candidates: int = 0, seconds: float = 0.0
) -> Metrics:
    """Return the figures of a plan, all but the name of its request."""
    weighed = Weighed(Candidates((), terms), candidates, seconds)
    return metrics(chosen, weighed, ASKED, PLAIN)._replace(request_id="", planner="")


def test_a_request_is_named_by_what_was_asked_and_chosen() -> None:
    weighed = Weighed(Candidates(), 0, 0.0)

    def name(asked: Request, chosen: Selection = PLAIN) -> str:
        return metrics([], weighed, asked, chosen).request_id

    assert len(name(ASKED)) == 16
    assert name(ASKED) == name(ASKED._replace(root="/elsewhere", project="/there", now=1.0))
    assert name(ASKED) != name(ASKED._replace(query="x"))
    assert name(ASKED) != name(ASKED._replace(session="s"))
    assert name(ASKED) != name(ASKED._replace(focus=("a.py",)))
    assert name(ASKED) != name(ASKED, selection(section("decisions", (entry("a"), "full"))))
    assert metrics([], weighed, ASKED, PLAIN).planner == "acs"


def test_with_a_budget_of_0_nothing_could_be_chosen() -> None:
    weighed = Weighed(Candidates(), 60, 0.0)
    assert metrics([], weighed, ASKED._replace(budget=0), PLAIN).candidate_count == 0


def test_the_metrics_of_a_plan() -> None:
    chosen = [
        pick("a", 0.9, 0b001, source="x.md"),
        pick("b", 0.6, 0b011, source="y.md", cost=50),
        pick("c", 0.3, 0b010, source="x.md"),
        pick("d", 0.2, source="x.md"),
    ]
    found = figures(chosen, ["p", "q", "r"], 60, 0.01234)
    assert found == Metrics(
        request_id="",
        planner="",
        planner_ms=12.3,
        candidate_count=60,
        tokens_selected=350,
        coverage_entities=0.6667,  # p and q of three
        diversity_score=0.5,  # two files, four entries
        mean_benefit=0.5,
        top3=(("x.md#-a", 0.45), ("y.md#-b", 0.3), ("x.md#-c", 0.15)),
    )

"""What every planner keeps to, and how the benefit/cost planner's choice becomes a packet."""

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.errors import UsageError
from ctx.fit import PLANNERS, Offer, plan
from ctx.fit.offer import apart
from ctx.fit.planner import planner
from ctx.fit.planners import acs, tiered
from ctx.model import Candidates, Request, Scored, Section, SectionName, Selection
from tests.fit.flat import Flat, Likely, Telling, fragment, levels, likely, offer, scored
from tests.fit.test_acs import offers
from tests.fit.test_continuity import session
from tests.fit.test_overhead import Dear

ASKED = Request("/", date(2026, 1, 31), budget=1000, planner="acs")


def choice(
    *prospects: Likely, terms: int = 0, others: dict[SectionName, list[Scored]] | None = None
) -> Offer:
    ranked: dict[SectionName, list[Scored]] = {**(others or {})}
    for one in prospects:
        ranked.setdefault(one.scored.entry.section, []).append(one.scored)
    return offer(ranked)._replace(planned=Candidates(prospects, ["term"] * terms))


def by_name(selection: Selection) -> dict[str, Section]:
    return {section.name: section for section in selection.sections}


@pytest.mark.parametrize(("budget", "complete"), [(140, True), (139, False)])
def test_only_a_packet_that_omits_nothing_is_complete(budget: int, *, complete: bool) -> None:
    offered = offer({"decisions": scored("decision", [50, 90])})
    selection = plan(offered, ASKED._replace(budget=budget, planner="tiered"), Flat())
    assert selection.complete is complete


def names(section: Section) -> str:
    return " ".join(one.entry.title for one in (*section.included, *section.titles))


def test_the_registry_names_two_planners() -> None:
    assert PLANNERS == ("tiered", "acs")
    assert planner("tiered") is tiered.choose
    assert planner("acs") is acs.choose
    assert Request("/", date(2026, 1, 31)).planner == "tiered"


def test_an_unknown_planner_is_an_error_that_names_the_others() -> None:
    with pytest.raises(UsageError) as error:
        plan(choice(), ASKED._replace(planner="magic"), Flat())
    assert "--planner: there is no planner 'magic'" in str(error.value)
    assert "one of tiered, acs" in f"{error.value} {vars(error.value)}"


@pytest.mark.parametrize("name", PLANNERS)
def test_rules_tasks_and_conventions_are_said_by_the_law_whoever_plans(name: str) -> None:
    others: dict[SectionName, list[Scored]] = {
        "rules": scored("rule", [50]),
        "tasks": scored("task", [100] * 9),
        "conventions": scored("convention", [60] * 9),
    }
    fit = by_name(
        plan(
            choice(*(likely(f"d{n}", 100) for n in range(20)), others=others),
            ASKED._replace(planner=name),
            Flat(),
        )
    )
    assert levels(fit["rules"]) == "F"
    assert levels(fit["tasks"]).startswith("FFF")  # within two fifths
    assert fit["tasks"].budget == 380  # of what the rules leave
    assert levels(fit["conventions"]).startswith("FFF")  # 180 of a fifth
    assert fit["conventions"].budget == 190
    assert levels(fit["decisions"])


@pytest.mark.parametrize("name", PLANNERS)
def test_a_turn_of_the_tail_is_not_chosen_again(name: str) -> None:
    thread = session([60] * 30)
    turns = [Likely(one.entry, [fragment(benefit=0.9)]) for one in thread.offered()]
    made = choice(*turns)._replace(thread=thread)
    fit = plan(made, ASKED._replace(planner=name), Flat())
    said = [one.entry.id for part in fit.sections for one in (*part.included, *part.titles)]
    assert len(said) == len(set(said)) > 10
    assert len(by_name(fit)["tail"].included) >= 4


def test_what_did_not_fit_is_told_beside_the_packet() -> None:
    one = likely("a", 5000, 0.95)
    fit = plan(choice(one), ASKED, Flat())
    assert levels(by_name(fit)["decisions"]) == "t"
    assert fit.overshoot == ""
    assert fit.note == (
        "no entry fits whole into the 1,000 tokens that rules, tasks and conventions leave; "
        f"the best one, {one.scored.entry.id}, is included by its title"
    )


def test_an_overshoot_is_told_with_what_the_packet_costs() -> None:
    one = likely("a", 1500, 0.95)
    made = choice(one, others={"rules": scored("rule", [40])})
    fit = plan(made, ASKED._replace(allow_overshoot=True), Telling())
    assert levels(by_name(fit)["decisions"]) == "F"
    # 40 of rules, 1,500, and 7 for saying so.
    assert fit.overshoot == (
        f"1,547 tokens, over the budget of 1,000: {one.scored.entry.id} costs 1,500 tokens and "
        "is included in full, as --allow-overshoot asks (benefit 0.95)."
    )
    assert Telling().whole(fit) == 1547
    assert fit.note == ""


def test_what_the_figures_leave_is_no_overshoot() -> None:
    # In JSON 150 of 5,000 tokens are kept for figures: 4,900 do not fit the rest, but pass
    # no budget.
    asked = ASKED._replace(format="json", allow_overshoot=True, budget=5_000)
    assert apart(asked) == 150
    fit = plan(choice(likely("a", 4_900, 0.95), likely("b", 4_950, 0.5)), asked, Flat())
    assert names(by_name(fit)["decisions"]) == "a"
    assert fit.overshoot == ""
    assert Flat().whole(fit) == 4_900


@given(
    offers(),
    st.integers(0, 400),
    st.integers(0, 2),
    st.sampled_from((50, 100, 130, 300)),
    st.sampled_from(("md", "json")),
)
def test_no_choice_passes_the_budget_whatever_the_measure(
    prospects: Sequence[Likely], budget: int, terms: int, percent: int, kind: str
) -> None:
    made = choice(*prospects, terms=terms, others={"tasks": scored("task", [30] * 5)})
    asked = ASKED._replace(budget=budget, format=kind)  # type: ignore[arg-type]
    measure = Dear(percent)
    fit = plan(made, asked, measure)
    assert measure.whole(fit) <= budget
    assert fit.overshoot == ""


@given(offers(), st.integers(1, 400), st.sampled_from(("md", "json")))
def test_what_overshoots_says_so_and_nothing_else_does(
    prospects: Sequence[Likely], budget: int, kind: str
) -> None:
    asked = ASKED._replace(budget=budget, format=kind, allow_overshoot=True)  # type: ignore[arg-type]
    fit = plan(choice(*prospects), asked, Flat(line=5, heading=3))
    assert (Flat(line=5, heading=3).whole(fit) > budget) == bool(fit.overshoot)

"""Tiers: every figure below is worked out from flat prices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit import Total
from ctx.fit.planners.tiered import _proportion
from tests.fit.flat import Flat, fitted, levels, offer, scored

# Budgets of 1,000: 400 for tasks, 200 for conventions, and at least 30 % of the rest each.


def test_tasks_take_two_fifths_first() -> None:
    fit = fitted(
        offer({"tasks": scored("task", [100] * 9), "decisions": scored("decision", [100] * 9)}),
        1000,
    )
    # Tasks: 320 of 400 whole, then titles; decisions: the other 588 or so. Nothing is left over.
    assert fit["tasks"].budget == 400
    assert levels(fit["tasks"]).startswith("FFF")
    assert fit["decisions"].used >= 500


def test_what_fits_is_said_whole_beyond_four_fifths() -> None:
    fit = fitted(offer({"tasks": scored("task", [100] * 4)}), 1000)
    assert levels(fit["tasks"]) == "FFFF"
    assert fit["tasks"].used == 400


def test_conventions_take_a_fifth_as_the_longest_prefix() -> None:
    conventions = scored("convention", [90, 90, 90, 5, 5])
    fit = fitted(
        offer({"conventions": conventions, "decisions": scored("decision", [50] * 400)}), 1000
    )
    # 90 + 90 fit 200, the third does not; the small ones after it are not pulled forward.
    assert [one.entry.size for one in fit["conventions"].included] == [90, 90]
    assert fit["conventions"].budget == 200


def test_what_conventions_leave_flows_to_the_variant_tier() -> None:
    fit = fitted(
        offer(
            {"conventions": scored("convention", [10]), "decisions": scored("decision", [99] * 10)}
        ),
        1000,
    )
    assert levels(fit["conventions"]) == "F"
    assert fit["decisions"].used == 990


def test_what_the_variant_tier_leaves_flows_back_to_conventions_and_tasks() -> None:
    fit = fitted(
        offer(
            {
                "tasks": scored("task", [100] * 6),
                "conventions": scored("convention", [100] * 3),
                "decisions": scored("decision", [100]),
            }
        ),
        1000,
    )
    assert [levels(fit[name]) for name in ("tasks", "conventions", "decisions")] == [
        "FFFFFF",
        "FFF",
        "F",
    ]


def test_flow_back_serves_tasks_before_conventions() -> None:
    fit = fitted(
        offer({"tasks": scored("task", [100] * 9), "conventions": scored("convention", [100] * 9)}),
        1000,
    )
    # Shares: tasks 300 + titles, conventions 200. The rest goes to what changes most first.
    assert levels(fit["tasks"]).startswith("FFFFFF")
    assert levels(fit["conventions"]).startswith("FF")


def test_a_few_words_more_in_a_task_change_nothing_else() -> None:
    def whole(task: int) -> int:
        made = offer({"tasks": scored("task", [task]), "decisions": scored("decision", [40] * 30)})
        return levels(fitted(made, 1000)["decisions"]).count("F")

    # What tasks cost counts in steps of 50; only what is left over in the end differs.
    assert (whole(201), whole(209), whole(250), whole(260)) == (19, 19, 18, 17)


@pytest.mark.parametrize(
    ("decisions", "learnings", "share"),
    [
        (50, 50, 0.5),
        (60, 40, 0.6),
        (90, 10, 0.7),
        (1, 99, 0.3),
        (10, 0, 1.0),
        (0, 10, 0.0),
        (0, 0, 0.0),
    ],
)
def test_the_split_is_in_proportion_to_content_within_its_limits(
    decisions: int, learnings: int, share: float
) -> None:
    assert _proportion(decisions, learnings) == share


def test_each_gets_at_least_thirty_percent() -> None:
    fit = fitted(
        offer(
            {
                "decisions": scored("decision", [10] * 500),
                "learnings": scored("learning", [10] * 50),
            }
        ),
        1000,
    )
    assert fit["decisions"].budget == 700
    assert fit["learnings"].budget == 300
    other = fitted(
        offer(
            {
                "decisions": scored("decision", [10] * 50),
                "learnings": scored("learning", [10] * 500),
            }
        ),
        1000,
    )
    assert other["decisions"].budget == 300
    assert other["learnings"].used >= 700


def test_a_split_needs_no_share_where_both_fit() -> None:
    fit = fitted(
        offer({"decisions": scored("decision", [950]), "learnings": scored("learning", [50])}), 1000
    )
    assert levels(fit["decisions"]) + levels(fit["learnings"]) == "FF"


def test_what_decisions_leave_flows_to_learnings() -> None:
    fit = fitted(
        offer({"decisions": scored("decision", [10]), "learnings": scored("learning", [99] * 10)}),
        1000,
    )
    assert fit["learnings"].used >= 980


def test_shares_are_of_the_budget_and_never_more_than_what_is_left() -> None:
    rules = scored("rule", [900])
    fit = fitted(offer({"rules": rules, "tasks": scored("task", [50] * 9)}), 1000)
    assert fit["tasks"].budget == 100
    assert fit["rules"].used == 900


@pytest.mark.parametrize("room", [100, 100 + 40, 10_000])
def test_superseded_is_said_only_where_everything_fits(room: int) -> None:
    current = scored("decision", [50, 50])
    gone = scored("decision", [40], "superseded")
    fit = fitted(offer({"decisions": [*current, *gone]}), room)
    expected = "FFF" if room >= 140 else "FF"
    assert levels(fit["decisions"]) == expected


def test_superseded_is_not_said_beside_a_title() -> None:
    choice = offer(
        {"decisions": [*scored("decision", [50, 500]), *scored("decision", [5], "superseded")]}
    )
    fit = fitted(choice, 100)
    assert "superseded" not in {one.entry.status for one in fit["decisions"].included}


def test_superseded_is_not_said_beside_key_lines() -> None:
    choice = offer(
        {"decisions": [*scored("decision", [200]), *scored("decision", [5], "superseded")]}
    )
    fit = fitted(choice, 100)
    assert levels(fit["decisions"]) == "K"  # though 50 tokens are left, and 5 would do


def test_superseded_is_not_counted_as_left_out() -> None:
    choice = offer(
        {"decisions": [*scored("decision", [50] * 9), *scored("decision", [50] * 9, "superseded")]}
    )
    section = fitted(choice, 100, Flat(line=5))["decisions"]
    assert section.omitted == 9 - len(section.included) - len(section.titles)


def test_what_the_ranker_did_not_return_is_counted_as_left_out() -> None:
    choice = offer({"decisions": scored("decision", [50, 5])})
    more = choice._replace(totals={"decisions": Total(200, 10_000)})
    section = fitted(more, 1000, Flat(line=5))["decisions"]
    assert (levels(section), section.omitted) == ("FF+198", 198)


@pytest.mark.parametrize("line", [0, 5])
def test_a_budget_that_everything_just_fits_says_everything(line: int) -> None:
    choice = offer(
        {
            "tasks": scored("task", [70, 80]),
            "conventions": scored("convention", [60, 90]),
            "decisions": scored("decision", [110, 40]),
            "learnings": scored("learning", [30, 120]),
        }
    )
    fit = fitted(choice, 600, Flat(line=line))
    assert [levels(section) for section in fit.values()] == ["", "FF", "FF", "FF", "FF"]


sizes = st.lists(st.integers(1, 400), max_size=12)


@given(
    st.tuples(sizes, sizes, sizes, sizes, sizes),
    st.integers(0, 2000),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_the_budget_is_kept_and_spent(
    drawn: tuple[list[int], ...], budget: int, line: int, heading: int
) -> None:
    rules, tasks, conventions, decisions, learnings = drawn
    measure = Flat(line=line, heading=heading)
    choice = offer(
        {
            "rules": scored("rule", rules),
            "tasks": scored("task", tasks),
            "conventions": scored("convention", conventions),
            "decisions": scored("decision", decisions),
            "learnings": scored("learning", learnings),
        }
    )
    fit = fitted(choice, budget, measure)
    used = sum(map(measure.section, fit.values()))
    assert [one.entry.size for one in fit["rules"].included] == rules
    if len(fit) == 1:
        return  # the rules alone fill the packet
    assert used <= budget
    prefix = [one.entry.size for one in fit["conventions"].included]
    assert prefix == conventions[: len(prefix)]
    titled = {one.entry.id for section in fit.values() for one in section.titles}
    said = {one.entry.id for section in fit.values() for one in section.included}
    assert not titled & said
    everything = sum((*rules, *tasks, *conventions, *decisions, *learnings)) + 5 * heading
    if everything <= budget:
        assert not titled
        assert len(said) == sum(map(len, choice.ranked.values()))
    for name in ("tasks", "conventions", "decisions", "learnings"):
        out = len(choice.ranked[name]) - len(fit[name].included) - len(fit[name].titles)
        assert not out or budget - used < 2 + heading, "a title more would have fitted"

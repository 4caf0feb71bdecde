"""The account: a verdict on every entry, each with its reason."""

import re
from collections.abc import Callable

import pytest

from ctx.fit import Asked, Offer, account, plan
from ctx.fit.offer import anything
from ctx.model import Entry, Request, Scored, Section, Selection, Verdict
from tests.fit.flat import Flat, offer, scored
from tests.rank.test_brackets import TODAY


def verdicts(budget: int) -> dict[str, Verdict]:
    choice = offer(
        {
            "rules": scored("rule", [10]),
            "tasks": scored("task", [30, 900]),
            "decisions": [*scored("decision", [40, 800]), *scored("decision", [5], "superseded")],
            "learnings": scored("learning", [60] * 80),
        }
    )
    closed = scored("task", [5], "done")
    everyone = [one for run in choice.ranked.values() for one in run] + closed
    return of(choice, everyone, Request("/", TODAY, budget=budget))


def of(
    choice: Offer,
    everyone: list[Scored],
    request: Request,
    untold: frozenset[str] = frozenset(),
    may_include: Callable[[Entry], bool] = anything,
) -> dict[str, Verdict]:
    """Return the verdicts on a plan, by title; of its entries ``untold`` are said no more."""
    measure = Flat(line=4)
    selection = plan(choice, request, measure)
    told = selection._replace(
        sections=tuple(
            section._replace(
                included=tuple(one for one in section.included if one.entry.title not in untold)
            )
            for section in selection.sections
        )
    )
    found = account(everyone, selection, Asked(request, told, may_include), measure)
    assert [one.scored for one in found] == everyone
    return {one.scored.entry.title: one for one in found}


def test_every_entry_has_an_outcome_and_a_reason() -> None:
    found = verdicts(300)
    assert (found["rule0"].outcome, found["rule0"].reason) == ("full", "required rule: always full")
    assert (found["task0"].outcome, found["task0"].reason) == ("full", "full: it fits")
    assert found["task1"].outcome == "title"
    # One of 30 and one by title, of two fifths of what the rule and four lines of counts leave.
    assert found["task1"].reason == (
        "title only: tasks had 32 of 111 tokens; in full it costs 900, with 14 left"
    )
    assert found["decision0superseded"].reason == "omitted: superseded"
    assert found["task0done"].reason == "omitted: the task is done"
    last = found["learning79"]
    assert (last.outcome, last.tokens) == ("out", 2)
    assert re.fullmatch(
        r"omitted: its title costs 2 tokens, with 14 left for LEARNINGS.md#-learning\d+, which "
        r"comes first and needs more; learnings had \d+ tokens, 79 of them planned",
        last.reason,
    )


def test_a_packet_full_of_rules_says_so() -> None:
    assert verdicts(5)["task0"].reason == "omitted: the required rules fill the packet"


def test_what_a_session_was_told_already_is_out_for_that() -> None:
    run = scored("decision", [40, 50])
    choice = offer({"decisions": run})
    found = of(choice, run, Request("/", TODAY, budget=300), frozenset({"decision0"}))
    assert found["decision0"].reason == "omitted: the session has received it already"
    assert found["decision1"].reason == "full: it fits"


def test_a_window_that_is_full_takes_entries_out() -> None:
    run = scored("learning", [40, 50, 60])
    choice = offer({"learnings": run[:1], "decisions": []})  # as ranked under pressure
    request = Request("/", TODAY, budget=300, most_entries=1)
    found = of(choice, run, request, may_include=lambda entry: entry.title != "learning2")
    assert found["learning0"].reason == "full: it fits"
    assert (
        found["learning1"].reason == "omitted: a window that is so full has room for 1 of learnings"
    )
    assert found["learning2"].reason == "omitted: trusted too little for a window that is so full"
    rules = of(choice, run, Request("/", TODAY, budget=300, rules_only=True))
    assert rules["learning0"].reason == "omitted: the window has room for the rules alone"


def test_pressure_is_no_reason_for_what_it_does_not_touch() -> None:
    everyone = scored("task", [40] * 40)
    choice = offer({"tasks": everyone})
    request = Request("/", TODAY, budget=50, most_entries=0)
    found = of(choice, everyone, request, may_include=lambda _: False)
    assert found["task39"].reason.startswith("omitted: even its title costs 2 tokens, ")


def test_a_turn_that_gives_a_rule_is_a_turn_where_there_is_no_room() -> None:
    rules = [
        one._replace(entry=one.entry._replace(tier="soft")) for one in scored("turn", [40] * 40)
    ]
    assert rules[0].entry.section == "elevated"
    choice = offer({"turns": rules})
    last = of(choice, rules, Request("/", TODAY, budget=50))["turn39"]
    assert re.fullmatch(r"omitted: even its title .*; turns had \d+ tokens.*", last.reason)


@pytest.mark.parametrize(
    ("planned", "used", "had"),
    [
        (1100, 1120, "decisions had 1,120 of 1,100 tokens"),
        (1000, 1250, "decisions had 1,250 of 1,000 tokens"),
        (1000, 1251, "decisions had 1,251 tokens, 1,000 of them planned"),
        (17, 1178, "decisions had 1,178 tokens, 17 of them planned"),
        (0, 5, "decisions had 5 tokens, 0 of them planned"),
        (0, 0, "decisions had 0 of 0 tokens"),
    ],
)
def test_what_others_left_is_no_part_of_a_plan(planned: int, used: int, had: str) -> None:
    out = scored("decision", [900])
    tasks = Section("tasks", 0, 0, (), (), 0, "")
    decisions = tasks._replace(name="decisions", budget=planned, used=used)
    selection = Selection((tasks, decisions), (), 0, "", ())
    request = Request("/", TODAY, budget=300)
    (verdict,) = account(out, selection, Asked(request, selection), Flat(line=4))
    assert verdict.reason.endswith(f" left; {had}")

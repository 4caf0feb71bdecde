"""The account: a verdict on every entry, each with its reason."""

from __future__ import annotations

from ctx.fit import account, plan
from ctx.model import Request, Verdict
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
    measure = Flat(line=4)
    selection = plan(choice, Request("/", TODAY, budget=budget), measure)
    closed = scored("task", [5], "done")
    everyone = [one for run in choice.ranked.values() for one in run] + closed
    found = account(everyone, selection, budget - measure.whole(selection), measure)
    assert [one.scored for one in found] == everyone
    return {one.scored.entry.title: one for one in found}


def test_every_entry_has_an_outcome_and_a_reason() -> None:
    found = verdicts(300)
    assert (found["rule0"].outcome, found["rule0"].reason) == ("full", "hard tier: always whole")
    assert (found["task0"].outcome, found["task0"].reason) == ("full", "whole: it fits")
    assert found["task1"].outcome == "title"
    assert found["task1"].reason.startswith("title only: whole it costs 900 tokens; tasks used ")
    assert found["decision0superseded"].reason == "out: superseded"
    assert found["task0done"].reason == "out: the task is done"
    last = found["learning79"]
    assert (last.outcome, last.tokens) == ("out", 2)
    assert last.reason.startswith("out: even its title costs 2 tokens, ")


def test_tokens_are_those_of_the_level() -> None:
    found = verdicts(300)
    assert (found["task0"].tokens, found["task1"].tokens) == (30, 2)


def test_a_packet_full_of_rules_says_so() -> None:
    assert verdicts(5)["task0"].reason == "out: the hard tier fills the packet"

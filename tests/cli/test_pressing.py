"""``--context-length`` and its companions: a packet for a window that fills up.

The table itself is tested in ``tests/app/test_pressure.py``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from ctx.text.tokens import counter
from tests.rank.hands import Done, call

AS_OF = "2026-02-01"
LENGTH = 200_000
VARIANTS = ("decision", "learning", "lore", "turn")
SIGNAL = "what did we say about refunds?"


def _agent(*options: str, environ: Mapping[str, str] | None = None) -> Done:
    return call("agent", "--as-of", AS_OF, *options, environ=environ, later=60)


def _at(full: float, *options: str) -> Done:
    """Run ``ctx agent`` where so much of a threshold is used that leaves room beyond it."""
    used, length = round(full * LENGTH), 10 * LENGTH
    told = ("--context-length", str(length), "--used-tokens", str(used))
    return _agent(*told, "--threshold-tokens", str(LENGTH), *options)


def _said(done: Done) -> dict[str, int]:
    """Return how many entries of each kind a packet says, at any level."""
    rows = json.loads(done.out)["entries"]
    said = [row["kind"] for row in rows if row["outcome"] != "out"]
    return {kind: said.count(kind) for kind in sorted(set(said))}


# --- each row of the table ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("planner", "full", "query", "most", "note"),
    [
        ("acs", 0.299, "", 15, "pressure 0.30, stuff: 15 entries a section, trust 0.2 and up"),
        ("tiered", 0.30, "", 5, "pressure 0.30, hybrid: 5 entries a section, trust 0.3 and up"),
        ("acs", 0.50, SIGNAL, 5, "pressure 0.50, hybrid: 5 entries a section, trust 0.3 and up"),
        ("tiered", 0.50, "refunds", 0, "pressure 0.50, hybrid: nothing is retrieved"),
        ("tiered", 0.70, SIGNAL, 2, "pressure 0.70, selective: 2 entries a section, trust 0.5 and"),
        ("acs", 0.80, SIGNAL, 2, "pressure 0.80, selective: 2 entries a section, trust 0.5 and up"),
        ("acs", 0.80, SIGNAL * 9, 0, "pressure 0.80, selective: nothing is retrieved"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("shop")
def test_a_row(planner: str, full: float, query: str, most: int, note: str) -> None:
    asked = ("--query", query) if query else ()
    options = ("--planner", planner, "--explain", "--format", "json", *asked)
    done = _at(full, *options)
    assert done.code == 0
    assert f"ctx: {note}" in done.err
    assert done.err.count("\n") == 1
    said, whole = _said(done), _said(_agent(*options))
    assert whole["decision"] > 5 < whole["learning"]
    for kind, held in whole.items():
        assert said.get(kind, 0) == (min(most, held) if kind in VARIANTS else held)


@pytest.mark.parametrize(("used", "planner"), [(190_001, "tiered"), (10**9, "acs")])
@pytest.mark.usefixtures("shop")
def test_near_the_end_only_the_rules_are_said(used: int, planner: str) -> None:
    done = _agent(
        "--context-length", str(LENGTH), "--used-tokens", str(used), "--query", SIGNAL,
        "--planner", planner, "--session", "fix-login",
    )  # fmt: skip
    assert done.code == 0
    assert "skip: only the rules are included; budget 0" in done.err
    assert "- push to `main` without a review" in done.text
    assert "## Current Tasks" not in done.text
    assert "## Recent" not in done.text


@pytest.mark.usefixtures("shop")
def test_near_the_threshold_only_the_rules_are_said_though_there_is_room() -> None:
    """The host compacts soon: what is said now is lost then."""
    done = _agent(
        "--context-length", "200000", "--used-tokens", "96000", "--threshold-tokens", "100000"
    )
    assert done.err == "ctx: pressure 0.96, skip: only the rules are included; budget 8,000\n"
    assert "## Current Tasks" not in done.text
    said = json.loads(
        _agent(
            "--context-length", "200000", "--used-tokens", "96000",
            "--threshold-tokens", "100000", "--format", "json",
        ).out
    )  # fmt: skip
    assert said["constitution"]
    assert [said[name] for name in ("tasks", "decisions", "conventions", "summaries")] == [[]] * 4


@pytest.mark.parametrize(
    ("planner", "full", "trust", "said"),
    [
        ("tiered", 0.1, 0.0, False), ("acs", 0.1, 0.2, True), ("acs", 0.35, 0.2, False),
        ("tiered", 0.75, 0.4, False), ("tiered", 0.75, 0.5, True),
    ],
)  # fmt: skip
def test_what_is_trusted_too_little_vanishes(
    shop: Path, planner: str, full: float, trust: float, said: bool
) -> None:
    folder = shop / ".context" / "decisions"
    folder.mkdir()
    (folder / "odd.md").write_text(
        f"---\ntrust: {trust}\n---\n\n## [2026-01-31] Odd one\n\nWhat did we say of refunds?\n"
    )
    options = ("--planner", planner, "--query", SIGNAL)
    assert "Odd one" in _agent(*options).text
    assert ("Odd one" in _at(full, *options).text) is said


def test_a_rule_is_said_however_little_it_is_trusted(shop: Path) -> None:
    (shop / ".context" / "steering").mkdir()
    (shop / ".context" / "steering" / "odd.md").write_text(
        "---\ntrust: 0.0\n---\n\n- Never paint the door\n"
    )
    for full in (0.1, 0.75, 0.99):
        assert "Never paint the door" in _at(full).text


# --- the budget ---------------------------------------------------------------------------


@pytest.mark.usefixtures("shop")
def test_the_budget_is_what_is_free_at_most() -> None:
    for length, used, budget, expected in (
        (200_000, 0, 8_000, 8_000),
        (8_000, 0, 8_000, 6_000),
        (8_000, 0, 5_999, 5_999),
        (8_001, 1_000, 8_000, 5_000),  # the quarter is rounded up
        (8_000, 6_000, 8_000, 0),
        (8_000, 9_000, 8_000, 0),
        (0, 0, 8_000, 0),
        (8_000, 0, 0, 0),
    ):
        window = ("--context-length", str(length), "--used-tokens", str(used))
        done = _agent(*window, "--budget", str(budget))
        assert done.code == 0
        assert f"; budget {expected:,}\n" in done.err
        assert f", budget {expected}.\n" in done.text or (budget == 0 and not done.text)
        cost = counter("heuristic").count(done.text)
        assert cost <= expected or f"over the budget of {expected:,}" in done.err


@pytest.mark.usefixtures("shop")
def test_no_room_under_strict_is_degraded() -> None:
    done = _agent("--context-length", "8000", "--used-tokens", "6000", "--strict")
    assert (done.code, "degraded" in done.err) == (5, True)


# --- mistakes -----------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["--context-length", "--used-tokens", "--threshold-tokens"])
@pytest.mark.usefixtures("shop")
def test_what_is_no_number_is_a_mistake(flag: str) -> None:
    others = () if flag == "--context-length" else ("--context-length", "200000")
    for value in ("many", "-1", "1.5", "1e6", "", " ", "0x10", "٣", "1,000", "_", "1_0"):
        for command in ("agent", "plan"):
            done = call(command, *others, f"{flag}={value}")
            assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
            assert done.err.startswith(f"ctx: {flag}: {value!r} is not a whole number of tokens")
            if others:
                done = call(command, flag, "0")
                assert (done.code, done.out) == (2, b"")
                assert done.err == f"ctx: {flag}: needs --context-length as well\n"


@pytest.mark.usefixtures("shop")
def test_figures_of_any_length() -> None:
    for used, length, note in (
        (" 7 ", "200000", "pressure 0.00, stuff"),
        ("0" * 40 + "1", "200000", "pressure 0.00, stuff"),
        ("1" + "0" * 30, "200000", "skip: only the rules"),
        ("9" * 5_000, "200000", "skip: only the rules"),
        ("0", "9" * 5_000, "pressure 0.00, stuff"),
    ):
        done = _agent("--context-length", length, "--used-tokens", used)
        assert (done.code, note in done.err) == (0, True)


@pytest.mark.usefixtures("shop")
def test_a_threshold_of_nothing_is_none() -> None:
    told = ("--context-length", "200000", "--used-tokens", "100000")
    with_it, without = _agent(*told, "--threshold-tokens", "0"), _agent(*told)
    assert (with_it.out, with_it.err) == (without.out, without.err)


# --- where else it shows ------------------------------------------------------------------


@pytest.mark.usefixtures("shop")
def test_a_plan_is_made_under_the_same_pressure() -> None:
    plan = call("plan", "--json", "--context-length", "8000", "--used-tokens", "3000")
    said = json.loads(plan.out)
    assert said["budget"] == 3_000
    assert len(said["fragments"]) == 17  # five of each section, and two of lore
    assert "pressure 0.38, hybrid" in plan.err


def test_words_that_ask_for_what_was_are_a_setting(shop: Path) -> None:
    asked = ("--query", "Weißt du noch, der Umtausch?")
    assert "nothing is retrieved" in _at(0.6, *asked).err
    (shop / ".context" / "config.toml").write_text('memory_signals = "weißt du noch, damals"\n')
    assert "5 entries a section" in _at(0.6, *asked).err
    assert "nothing is retrieved" in _at(0.6, "--query", SIGNAL).err
    ran = _agent(
        "--context-length", "1000", "--used-tokens", "600", *asked,
        environ={"CTX_MEMORY_SIGNALS": " , umtausch,"},
    )  # fmt: skip
    assert "5 entries a section" in ran.err


@pytest.mark.usefixtures("shop")
def test_rules_are_named_where_that_is_asked() -> None:
    whole = _agent("--budget", "1900", "--rules", "whole")
    pointed = _agent("--budget", "1900", "--rules", "pointed")
    assert "## Constitution" in whole.text
    assert "## Constitution" not in pointed.text
    assert "Read them before anything else: .context/CONSTITUTION.md (" in pointed.text
    assert "degraded: The rules cost" in pointed.err
    # What they left room for.
    omitted = [re.findall(r"- (\d+) learnings: ", each.text) for each in (pointed, whole)]
    assert int(omitted[0][0]) < int(omitted[1][0])


@pytest.mark.usefixtures("shop")
def test_what_a_query_leaves_is_filled_where_that_is_asked() -> None:
    query = ("--budget", "3000", "--query", "refund discount")
    recent, none = (_agent(*query, "--fill", fill).text for fill in ("recent", "none"))
    assert recent == _agent(*query).text
    assert 0 < none.count("(LEARNINGS.md:") < recent.count("(LEARNINGS.md:")

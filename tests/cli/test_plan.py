"""``ctx plan``, the planners that ``ctx agent`` can be told to use, and what they may pass."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ctx.store import delivery_log
from ctx.text.tokens import counter
from tests.hostile import REPOSITORY
from tests.imported import sessions_of
from tests.keeping import cache, state
from tests.rank.hands import Done, call
from tests.terminal import in_terminal

AS_OF = "2026-02-01"
PLANNERS = ("tiered", "acs")
DOCS = Path(REPOSITORY) / "docs"
posix = pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")


@pytest.fixture
def long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one decision: of today, what is asked for, and 3,000 tokens long."""
    root = tmp_path / "long" / ".context"
    root.mkdir(parents=True)
    (root / "CONSTITUTION.md").write_text("- Be kind\n")
    body = "retry policy, see #12.\n\n" + "Some words follow in many lines of text.\n" * 300
    (root / "DECISIONS.md").write_text(f"## [{AS_OF}] Retry three times\n\n{body}")
    monkeypatch.chdir(root.parent)
    return root.parent


@functools.cache
def _schema(name: str) -> Draft202012Validator:
    definition = json.loads((DOCS / f"{name}.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(definition)
    return Draft202012Validator(definition)


def _strict(name: str) -> Draft202012Validator:
    """Return a schema that knows no other names than its own: an undocumented one is a fault."""
    definition = json.loads(json.dumps(_schema(name).schema))
    definition["additionalProperties"] = False
    for one in definition["$defs"].values():
        if one["type"] == "object":
            one["additionalProperties"] = False
    return Draft202012Validator(definition)


def _errors(name: str, said: object) -> list[str]:
    return [error.message for error in _strict(name).iter_errors(said)]


def _plan(*options: str, environ: Mapping[str, str] | None = None) -> Done:
    return call("plan", "--as-of", AS_OF, *options, environ=environ, later=60)


def _agent(*options: str, environ: Mapping[str, str] | None = None) -> Done:
    return call("agent", "--as-of", AS_OF, *options, environ=environ, later=60)


def _figures(*options: str) -> dict[str, object]:
    """Return a plan as JSON, held against its schema, without what differs from run to run."""
    done = _plan("--json", *options)
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert _errors("plan", said) == []
    del said["metrics"]["planner_ms"]
    assert isinstance(said, dict)
    return said


# --- what it says -------------------------------------------------------------------------


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.usefixtures("shop")
def test_a_plan_is_that_of_the_packet(planner: str) -> None:
    options = ("--query", "refund", "--budget", "1500", "--planner", planner)
    said = _figures(*options)
    packet = json.loads(_agent(*options, "--format", "json", "--explain").out)
    fragments = said["fragments"]
    assert isinstance(fragments, list)
    assert said["tokens"] == counter("heuristic").count(_agent(*options).text)
    assert packet["budget"] == said["budget"] == 1500
    held = {"full": "micro", "key": "atomic", "title": "macro"}
    assert all(one["lod"] == held[one["level"]] for one in fragments)
    packet = _agent(*options).text
    assert all(one["title"] in packet for one in fragments)
    assert not [figure for figure in ("metrics", "kv_policy") if figure in packet]
    head, *rows = _plan(*options).text.splitlines()
    assert head.startswith(f"{planner}: {said['tokens']:,} of 1,500 tokens, {len(fragments)} of ")
    cells = [row.split() for row in rows if "#" in row]
    assert [(row[4], row[1]) for row in cells] == [
        (one["id"], f"{one['cost_tokens']:,}") for one in fragments
    ]


@pytest.mark.usefixtures("shop")
def test_benefits_and_scores_can_be_worked_out_by_hand() -> None:
    said = _figures("--query", "postal validation")
    focus_terms, fragments, figures = said["focus_terms"], said["fragments"], said["metrics"]
    assert isinstance(focus_terms, list)
    assert isinstance(fragments, list)
    assert isinstance(figures, dict)
    assert fragments
    for one in fragments:
        assert one["score"] == pytest.approx(
            one["benefit"] / (1 + one["cost_tokens"] / 1000), abs=2e-4
        )
        assert set(one["covers"]) <= set(focus_terms)
    assert [one["score"] for one in fragments] == sorted(
        (one["score"] for one in fragments), reverse=True
    )
    assert figures["tokens_selected"] == sum(one["cost_tokens"] for one in fragments)
    assert [one["id"] for one in figures["top3"]] == [one["id"] for one in fragments[:3]]
    covered = {term for one in fragments for term in one["covers"]}
    assert figures["coverage_entities"] == pytest.approx(len(covered) / len(focus_terms), abs=1e-4)
    mean = sum(one["benefit"] for one in fragments) / len(fragments)
    assert figures["mean_benefit"] == pytest.approx(mean, abs=2e-4)


@pytest.mark.usefixtures("shop")
def test_the_guide_shows_a_true_plan() -> None:
    guide = (DOCS / "guide.md").read_text("utf-8")
    assert "$ ctx plan --budget 1200 --query 'partial refunds'\n" in guide
    table = _plan("--budget", "1200", "--query", "partial refunds").text.split("\n", 3)[3]
    assert f"```\n{table}```\n" in guide


def test_half_a_character_in_a_path_is_no_bug(shop: Path) -> None:
    """Transcripts may hold such, and what an entry cites is looked for."""
    text = "see [x](src/a\ud83d.py), `src/\udcff.py` and src/b\ud83d.py of the warehouse"
    row = {"id": "1", "role": "user", "ts": "2026-01-31T10:00:00Z", "text": text}
    (sessions_of(shop / ".context") / "odd.jsonl").write_text(json.dumps(row) + "\n")
    for options in (("--query", "warehouse"), ("--query", "warehouse", "--json")):
        done = _plan(*options)
        assert (done.code, "sessions/odd.jsonl#1" in done.text) == (0, True)
    assert _agent("--planner", "acs", "--query", "warehouse").code == 0


# --- what it leaves alone -----------------------------------------------------------------


def test_it_tells_the_session_nothing(shop: Path) -> None:
    session = ("--session", "s")
    first = _agent(*session, "--delta", "--planner", "acs")
    store = state(shop / ".context")
    path = Path(delivery_log.path(str(store), "s"))
    before, counted = path.read_bytes(), (store / "counts.db").read_bytes()
    (shop / ".context" / "TASKS.md").write_text("# Tasks\n\n- [ ] Paint the door\n")
    plan = _plan(*session)
    assert (plan.code, path.read_bytes()) == (0, before)
    assert (store / "counts.db").read_bytes() == counted
    assert first.out
    assert "Paint the door" in _agent(*session, "--delta", "--planner", "acs").text


def test_without_a_cache_it_writes_nothing(shop: Path) -> None:
    kept = cache(shop / ".context")
    before = [*kept.iterdir()]  # which the import has made
    assert _plan(environ={"CTX_NO_CACHE": "1"}).code == 0
    assert [*kept.iterdir()] == before


@pytest.mark.usefixtures("shop")
def test_with_a_session_it_says_what_to_keep() -> None:
    assert _figures()["kv_policy"] is None
    policy = _figures("--session", "s")["kv_policy"]
    assert isinstance(policy, dict)
    assert "CONSTITUTION.md#push-to-main-without-a-review" in policy["pin"]
    assert not any(key.startswith("#") for ids in policy.values() for key in ids)
    assert "\npin: ../AGENTS.md#" in _plan("--session", "s").text


# --- edges --------------------------------------------------------------------------------


@pytest.mark.parametrize(("planner", "budget"), [("tiered", "0"), ("acs", "1"), ("acs", "8000")])
def test_an_empty_directory_is_an_empty_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planner: str, budget: str
) -> None:
    (tmp_path / ".context").mkdir()
    monkeypatch.chdir(tmp_path)
    said = _figures("--planner", planner, "--budget", budget)
    assert (said["focus_terms"], said["fragments"]) == ([], [])
    done = _plan("--planner", planner, "--budget", budget)
    assert (done.code, done.text.count("\n")) == (0, 1)
    assert "0 of 0 fragments" in done.text


@posix
@pytest.mark.parametrize("more", [[], ["--json"]], ids=["text", "json"])
def test_a_terminal_obeys_nothing_of_it(shop: Path, more: list[str]) -> None:
    (shop / ".context" / "DECISIONS.md").write_text(
        "## [2026-01-31] Red \x1b[31m, \x9b2J and \u202eturned\n\nretry \x1b]0;t\x07\n"
    )
    said = in_terminal("plan", *more, "--query", "red \x1b[31m retry", cwd=shop, HOME="/-")
    assert "Red " in said
    assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(said)
    if more:
        (fragment, *_) = json.loads(said)["fragments"]
        assert fragment["title"] == r"Red \x1b[31m, \x9b2J and \u202eturned"


# --- planners -----------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["agent", "plan"])
def test_an_unknown_planner_is_a_mistake_that_says_where(shop: Path, command: str) -> None:
    said = "'magic' is not tiered or acs"
    flag = call(command, "--planner", "magic")
    variable = call(command, environ={"CTX_PLANNER": "magic"})
    (shop / ".context" / "config.toml").write_text('budget = 900\nplanner = "magic"\n')
    file = call(command)
    assert [done.code for done in (flag, variable, file)] == [2, 2, 2]
    assert [done.out for done in (flag, variable, file)] == [b""] * 3
    assert [flag.err, variable.err] == [f"ctx: --planner: {said}\n", f"ctx: CTX_PLANNER: {said}\n"]
    assert file.err == f"ctx: .context/config.toml:2: planner: {said}\n"


def test_a_planner_may_be_a_setting(shop: Path) -> None:
    by_flag = _agent("--planner", "acs", "--format", "json").out
    assert by_flag == _agent("--format", "json", environ={"CTX_PLANNER": "acs"}).out
    (shop / ".context" / "config.toml").write_text('planner = "acs"\n')
    assert _agent("--format", "json").out == by_flag
    tiered = _agent("--format", "json", "--planner", "tiered").out
    assert b'"metrics"' in by_flag
    assert b'"metrics"' not in tiered


@pytest.mark.parametrize("session", [[], ["--session", "s"], ["--session", "s", "--delta"]])
@pytest.mark.usefixtures("shop")
def test_figures_never_push_a_packet_over_its_budget(session: list[str]) -> None:
    for budget in (
        0,
        150,
        350,
        350,
        600,
        1500,
        3000,
        5000,
        8000,
    ):  # with --delta, later ones say news
        done = _agent("--planner", "acs", "--format", "json", "--budget", str(budget), *session)
        said = json.loads(done.text or "{}")
        assert _errors("packet", said) == []
        cost = counter("heuristic").count(done.text)
        assert cost <= budget
        if budget > 150:
            assert said["tokens_used"] == cost
        else:
            assert "no room for" in done.err
            assert not {"metrics", "kv_policy"} & set(said)


@pytest.mark.usefixtures("shop")
def test_the_schema_refuses_what_is_no_plan() -> None:
    said = json.loads(_plan("--json").out)
    assert _schema("plan").is_valid(said)
    changes: tuple[dict[str, object], ...] = (
        {"planner": "magic"}, {"budget": -1}, {"tokens": "many"}, {"focus_terms": ["a", "a"]},
        {"fragments": [{}]}, {"metrics": {}}, {"metrics": None}, {"kv_policy": {}},
        {"kv_policy": {"pin": [], "compress": [], "evict": [], "keep": []}}, {"degraded": False},
    )  # fmt: skip
    for change in changes:
        assert not _schema("plan").is_valid(said | change), change
    for name in said:
        assert not _schema("plan").is_valid({key: said[key] for key in said if key != name})


@pytest.mark.usefixtures("shop")
def test_the_schema_refuses_figures_that_are_none() -> None:
    said = json.loads(_agent("--format", "json", "--planner", "acs", "--session", "s").out)
    assert {"metrics", "kv_policy"} <= set(said)
    assert _schema("packet").is_valid(said)
    changes: tuple[dict[str, object], ...] = (
        {"delta": {}}, {"delta": {"gone": "a", "unnamed": 0, "forget": []}},
        {"delta": {"gone": [], "unnamed": 0, "forget": [], "more": 1}},
        {"overshoot": ""}, {"overshoot": True}, {"kv_policy": None}, {"kv_policy": {"pin": []}},
        {"metrics": {}}, {"metrics": None},
        {"metrics": {**said["metrics"], "planner_ms": 3.5}},  # no two packets were alike
    )  # fmt: skip
    for change in changes:
        assert not _schema("packet").is_valid(said | change), change


# --- over the budget ----------------------------------------------------------------------

OVER = ("--planner", "acs", "--allow-overshoot", "--query", "retry", "--budget", "1000")


@pytest.mark.usefixtures("long")
def test_one_entry_that_is_worth_it_may_pass_the_budget() -> None:
    done = _agent(*OVER)
    assert done.code == 0
    assert done.err.count("\n") == 1
    assert done.err.startswith("ctx: overshoot: ")
    cost = counter("heuristic").count(done.text)
    assert cost > 2500
    assert f"overshoot: {cost:,} tokens, over the budget of 1,000: " in done.err
    said = json.loads(_agent(*OVER, "--format", "json").out)
    assert _errors("packet", said) == []
    assert said["overshoot"].startswith(f"{said['tokens_used']:,} tokens, over the budget")
    plan = _figures(*OVER[2:])
    assert str(plan["overshoot"]).startswith(f"{plan['tokens']:,} tokens, over the budget")


@pytest.mark.usefixtures("long")
def test_otherwise_the_budget_holds() -> None:
    options = [one for one in OVER if one != "--allow-overshoot"]
    done = _agent(*options)
    assert counter("heuristic").count(done.text) <= 1000
    assert done.err.startswith("ctx: no entry fits whole into the ")
    assert done.err.endswith(" is included by its key lines\n")


@pytest.mark.usefixtures("long")
def test_a_session_that_heard_it_hears_of_no_overshoot() -> None:
    news = ("--session", "s", "--delta")
    assert "Retry three times" in _agent(*OVER, *news).text
    again = _agent(*OVER, *news)
    assert (again.out, again.err) == (b"", "ctx: nothing new for session 's'\n")
    assert "overshoot" not in json.loads(_agent(*OVER, *news, "--format", "json").out)


@pytest.mark.parametrize(
    ("options", "environ", "says"),
    [
        (["--planner", "acs", "--strict"], {}, "--strict refuses it"),
        (["--planner", "acs"], {"CTX_STRICT": "true"}, "--strict refuses it"),
        ([], {}, "--planner acs"),
        (["--planner", "tiered"], {}, "--planner acs"),
        ([], {"CTX_PLANNER": "tiered"}, "--planner acs"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("shop")
def test_where_overshoot_is_refused(options: list[str], environ: dict[str, str], says: str) -> None:
    done = _agent("--allow-overshoot", *options, environ=environ)
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert done.err.startswith("ctx: --allow-overshoot: ")
    assert says in done.err

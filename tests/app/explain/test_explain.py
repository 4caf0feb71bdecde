"""``ctx explain``: why a packet says what it says, and what it would take to say more."""

from __future__ import annotations

import functools
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ctx.app.explain.as_json import as_object, parts_of
from ctx.app.explain.look import FEW, Part, look
from ctx.app.explain.sweep import FEWEST, Run, Share, Span, Takes
from ctx.app.options import Given, PacketOptions
from ctx.app.packet import make
from ctx.app.workspace import Workspace
from ctx.cli.explain import BEST, WIDTH, bar, lines, needs
from ctx.rank import RANKERS
from ctx.text.tokens import counter
from ctx.world import World
from tests.hostile import REPOSITORY
from tests.hostile import tree as files_of
from tests.keeping import cache, state
from tests.rank.hands import Done, call
from tests.sampling import ALL
from tests.terminal import in_terminal

AS_OF = "2026-02-01"
SCHEMA = Path(REPOSITORY, "docs", "explain.schema.json")
SHOP = os.path.join(REPOSITORY, "fixtures", "webshop", ".context")
posix = pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")


def world() -> World:
    """Return a world without settings and store."""
    made = World()
    made.environ, made.home = {"CTX_NO_CACHE": "1"}, "/-"
    return made


def _explain(*options: str, budget: int = 1200, environ: dict[str, str] | None = None) -> Done:
    return call("explain", "--as-of", AS_OF, "--budget", str(budget), *options, environ=environ)


def _object(
    *options: str, budget: int = 1200, environ: dict[str, str] | None = None
) -> dict[str, Any]:
    done = _explain("--json", *options, budget=budget, environ=environ)
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert isinstance(said, dict)
    return said


@functools.cache
def _shop(*options: str, budget: int = 1200) -> dict[str, Any]:
    """Return the object of the sample project, which nobody changes."""
    return _object("--dir", SHOP, *options, budget=budget, environ={"CTX_NO_CACHE": "1"})


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a sweep make as few packets as it may: for all that is no matter of budgets."""
    monkeypatch.setattr("ctx.app.explain.sweep.EFFORT", 1)


def _account(budget: int, *options: str) -> dict[str, tuple[str, str]]:
    """Return what ``ctx agent --explain`` says of each entry: outcome and reason, by id."""
    done = call(
        "agent", "--as-of", AS_OF, "--budget", str(budget), "--explain", "--dir", SHOP, *options
    )
    rows = re.findall(
        r"^(\w+) +-?[\d.]+ +[\d,]+  (\S+) \(.*?:\d+\).*?: (.*)$", done.err, re.MULTILINE
    )
    return {id_: (outcome, reason) for outcome, id_, reason in rows}


# --- the whole packet ---------------------------------------------------------------------


def test_the_account_is_that_of_the_packet() -> None:
    said = _shop("--query", "refund discount")
    packet = call("agent", "--as-of", AS_OF, "--budget", "1200", "--dir", SHOP, "--query",
                  "refund discount")  # fmt: skip
    assert said["tokens"] == counter("heuristic").count(packet.text)
    account = _account(1200, "--query", "refund discount")
    assert len(account) == len(said["entries"]) > 60
    assert said["more"] == 0
    for entry in said["entries"]:
        outcome, reason = account[entry["id"]]
        assert (entry["outcome"], reason.endswith(entry["reason"])) == (outcome, True)
    tally = dict.fromkeys(("full", "key", "title", "out"), 0)
    for outcome, _ in account.values():
        tally[outcome] += 1
    assert said["outcomes"] == tally


def test_sections_add_up_to_the_packet() -> None:
    said = _shop()
    sections = said["sections"]
    assert [one["name"] for one in sections][:3] == ["rules", "tasks", "conventions"]
    assert said["overhead"] + sum(one["used"] for one in sections) == said["tokens"]
    for one in sections:
        of_it = [entry for entry in said["entries"] if entry["section"] == one["name"]]
        in_it = [entry for entry in of_it if entry["outcome"] != "out"]
        assert one["included"] + one["titles"] == len(in_it)
        assert one["asked"] >= one["used"] >= sum(entry["tokens"] for entry in in_it)
        assert one["asked"] >= sum(entry["costs"]["full"] for entry in in_it)


@pytest.mark.parametrize("options", [("--query", "refund discount"), ("--planner", "acs")])
def test_from_what_it_takes_on_an_entry_is_in(options: tuple[str, ...]) -> None:
    """Held against packets that ``ctx agent`` makes at some of the sweep's budgets."""
    said = _shop(*options)
    assert said["sweep"] == {"steps": 65, "most": 4800, "within": 75, "unmade": 0}
    for budget in (0, 225, 600, 1200, 1875, 4800):
        account = _account(budget, *options)
        for entry in said["entries"]:
            outcome = account[entry["id"]][0]
            for level, good in (("title", {"full", "key", "title"}), ("full", {"full"})):
                start, end = entry["takes"][level], entry["until"][level]
                if start is not None and budget >= start and (end is None or budget <= end):
                    assert outcome in good
                if start is None or (end is not None and budget > end):
                    assert outcome not in good


def test_entries_come_by_what_they_take() -> None:
    entries = _shop()["entries"]
    endless = float("inf")
    reach = [
        tuple(endless if one is None else one for one in entry["takes"].values())
        for entry in entries
    ]
    assert reach == sorted(reach)
    # A rule comes whole or not at all, and as soon as one of them fits.
    assert (entries[0]["section"], reach[0]) == ("rules", (150, 150))
    assert reach[-1] == (endless, endless)  # a task that is done


@pytest.mark.usefixtures("coarse")
def test_a_limit_keeps_the_answer_small() -> None:
    here = world()
    workspace = Workspace(PacketOptions(as_of=AS_OF, budget="900"), here, root=SHOP)
    said = as_object(look(workspace), limit=5)
    whole = as_object(look(workspace))
    entries, every = said["entries"], whole["entries"]
    assert isinstance(entries, list)
    assert isinstance(every, list)
    assert entries == every[:5]
    assert (said["more"], whole["more"]) == (len(every) - 5, 0)
    assert isinstance(json.dumps(said), str)
    short = as_object(look(workspace), limit=5, whole=False)
    cut = [one for one in every if isinstance(one, dict) and one["outcome"] != "full"]
    assert (short["entries"], short["more"]) == (cut[:5], len(cut) - 5)


def _errors(said: object) -> list[str]:
    """Return what of ``said`` its schema does not allow: a name that it does not know, too."""
    definition = json.loads(SCHEMA.read_text("utf-8"))
    Draft202012Validator.check_schema(definition)
    for one in (definition, *definition["$defs"].values()):
        if one.get("type") == "object":
            one["additionalProperties"] = False
    return [error.message for error in Draft202012Validator(definition).iter_errors(said)]


@pytest.mark.usefixtures("shop", "coarse")
@pytest.mark.parametrize(
    ("options", "budget"),
    [
        ((), 0), (("--query", "refund discount", "--planner", "acs"), 300),
        (("--ranker", "discovery", "--query", "refunds", "card numbers"), 1200),
        (("session cookie",), 60_000),
    ],
)  # fmt: skip
def test_the_object_is_as_its_schema_says(options: tuple[str, ...], budget: int) -> None:
    assert _errors(_object(*options, budget=budget)) == []


def test_the_schema_allows_nothing_else() -> None:
    said = _shop()
    assert _errors(said) == []
    for wrong in (
        {**said, "budget": "1200"}, {**said, "more": -1}, {**said, "entry": said["entries"][0]},
        {name: value for name, value in said.items() if name not in ("entries", "more")},
        {**said, "entries": [{**said["entries"][0], "outcome": "gone"}]},
    ):  # fmt: skip
        assert _errors(wrong) != []


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of as many entries as are looked at to the token."""
    root = tmp_path / ".context"
    root.mkdir()
    (root / "TASKS.md").write_text("".join(f"- [ ] Write part {n} of it\n" for n in range(FEW)))
    monkeypatch.chdir(tmp_path)
    return root


@pytest.mark.usefixtures("few")
def test_of_few_entries_it_is_known_to_the_token_what_they_take() -> None:
    said = _object(budget=300)
    assert said["sweep"] == {"steps": 65, "most": 1200, "within": 0, "unmade": 0}
    *_, last = _explain(budget=300).text.splitlines()
    assert last == "at all, full: the budget from which on; – is none up to 1,200"
    for entry in said["entries"][::24]:
        assert entry["takes"] == _object(entry["id"], budget=300)["entry"]["takes"]


# --- as text ------------------------------------------------------------------------------


@pytest.mark.usefixtures("few", "coarse")
def test_of_much_fewer_packets_are_made_and_that_is_said() -> None:
    done = call("explain", "--budget", "300", "--json")
    assert json.loads(done.text)["sweep"]["steps"] == FEWEST
    within = json.loads(done.text)["sweep"]["within"]
    assert done.err.endswith(
        f"ctx: made 9 packets of 65, as there is much to try: what an entry takes may be up to "
        f"{within} tokens less; ctx explain --all makes every one\n"
    )
    said = done.err.splitlines()[-1].removeprefix("ctx: ")
    assert said in call("explain", "--budget", "300", "--html", "-").text


@pytest.mark.usefixtures("shop", "coarse")
def test_all_lists_all() -> None:
    lines = _explain("--all").text.splitlines()
    rows = [line for line in lines if re.match(r"(full|key lines|title only|omitted) +-?\d", line)]
    assert len(rows) == 68
    assert not any("--all" in line for line in lines)


@pytest.mark.usefixtures("shop", "coarse")
def test_where_all_is_whole_the_best_are_listed() -> None:
    entries = _object(budget=60_000)["entries"]
    scores = sorted(
        (entry["score"] for entry in entries if entry["outcome"] == "full"), reverse=True
    )
    listed = re.findall(r"^full +(-?[\d.]+) ", _explain(budget=60_000).text, re.MULTILINE)
    closed = sum(entry["outcome"] == "out" for entry in entries)
    assert sorted(map(float, listed), reverse=True) == [
        pytest.approx(score, abs=1e-3) for score in scores[: BEST - closed]
    ]


@pytest.mark.usefixtures("shop", "coarse")
def test_a_reason_has_the_figures_of_its_section() -> None:
    said = _object("--budget", "1200")
    decisions = next(one for one in said["sections"] if one["name"] == "decisions")
    entry = next(
        one for one in said["entries"] if one["section"] == "decisions" and one["outcome"] == "key"
    )
    figures = f"decisions had {decisions['used']:,} of {decisions['given']:,} tokens"
    left = said["budget"] - said["tokens"]
    whole = entry["costs"]["full"]
    assert (
        entry["reason"]
        == f"key lines only: {figures}; in full it costs {whole:,}, with {left:,} left"
    )


def test_a_bar_shows_what_was_asked_given_and_used() -> None:
    for figures, drawn in (
        ((100, 50, 25), (8, 8, 16)),
        ((100, 0, 0), (0, 0, 32)),
        ((0, 10, 0), (0, 32, 0)),
        ((0, 0, 0), (0, 0, 0)),
        ((100_000, 0, 1), (1, 0, 31)),
        ((100, 100, 100), (32, 0, 0)),
        ((100, 10, 50), (16, 0, 16)),  # what others left it
    ):
        asked, given, used = figures
        assert bar(Part("lore", asked, Share(given, used, 0, 0, 0))) == drawn


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_bar_is_as_wide_as_it_may_be(asked: int, given: int, used: int) -> None:
    drawn = bar(Part("lore", asked, Share(given, used, 0, 0, 0)))
    assert min(drawn) >= 0
    assert sum(drawn) == (WIDTH if asked or given or used else 0)


def _on_terminal(*options: str, columns: str = "100", term: str = "xterm") -> str:
    asked = ("explain", "--as-of", AS_OF, "--budget", "900", *options)
    return in_terminal(*asked, COLUMNS=columns, TERM=term)


@posix
@pytest.mark.parametrize(
    ("options", "term"), [((), "xterm"), (("returns portal",), "dumb"), (("--json",), "xterm")]
)
def test_on_a_terminal_nothing_is_obeyed(few: Path, options: tuple[str, ...], term: str) -> None:
    evil = "## [2026-01-30] A returns portal \x1b[31mred\x1b[0m [bold]x[/bold] \u202eright\n\nb\n"
    more = (f"## [2026-01-29] Learning {n}\n\n{'word ' * 40}\n\n" for n in range(9))
    (few / "LEARNINGS.md").write_text("".join((evil, *more)))
    text = _on_terminal(*options, term=term)
    assert "returns portal" in text
    assert "[bold]x[/bold]" in text
    assert not re.search("\x1b\\[31m|\u202e", text)
    assert ("█" in text) is (options == ())


# --- one entry ----------------------------------------------------------------------------


OPTIONS: list[dict[str, Given]] = [
    {},
    {"query": "refund discount"},
    {"planner": "acs"},
    {"query": "postal validation", "planner": "acs", "allow_overshoot": True},
    {"session": "s"},
]


@settings(max_examples=8 if ALL else 2)
@given(st.sampled_from(OPTIONS), st.sampled_from([300, 1200, 2500]), st.integers(0, 67))
def test_with_a_token_less_it_is_not_said(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Given], budget: int, place: int
) -> None:
    """Held against packets made anew, each from the files."""
    monkeypatch.setattr("ctx.app.explain.sweep.EDGES", 16 if ALL else 3)  # nothing here is of them
    here = world()
    given = PacketOptions(**{**options, "as_of": AS_OF, "budget": str(budget)})
    workspace = Workspace(given, here, root=SHOP)
    packet = make(Workspace(given.replace(explain=True), here, root=SHOP))
    ids = sorted(one.scored.entry.id for one in packet.verdicts)
    entry = ids[place % len(ids)]
    found = look(workspace, wanted=entry).one
    assert found is not None

    def outcome(budget: int) -> str:
        asked = given.replace(budget=str(budget), explain=True)
        packet = make(Workspace(asked, here, root=SHOP))
        return next(one.outcome for one in packet.verdicts if one.scored.entry.id == entry)

    for span, wanted in (
        (found.takes.title, ("full", "key", "title")),
        (found.takes.full, ("full",)),
    ):
        if span is None:
            assert outcome(4 * budget) not in wanted
            continue
        assert outcome(span.start) in wanted
        if span.start:
            assert outcome(span.start - 1) not in wanted
        assert outcome(60_000 if span.end is None else span.end) in wanted


def test_one_entry_as_json() -> None:
    id_ = "DECISIONS.md#2025-06-02-100000"
    entry = _shop(id_)["entry"]
    assert (entry["id"], entry["outcome"], entry["reason"]) == (id_, "out", "omitted: superseded")
    assert entry["never"] == ""
    # What is superseded is said beside everything else, or not at all.
    assert entry["takes"]["title"] == entry["takes"]["full"] > 3000
    # From however little one looks, it is the same budget.
    assert _shop(id_, budget=100)["entry"]["takes"] == entry["takes"]
    assert {part["name"] for part in entry["parts"]} == {"recency", "relevance", "idf"}
    assert all(part["meaning"] for part in entry["parts"])


@pytest.mark.usefixtures("coarse")
def test_what_was_not_looked_for_is_not_said_to_be_known() -> None:
    here = world()
    given = PacketOptions(as_of=AS_OF, budget="1200")
    looked = look(Workspace(given, here, root=SHOP), wanted="queue broker")
    gaps = [Run("out", 0, 157), Run("title", 158, 218), Run("key", 226, 227), Run("full", 228, 300)]
    told = list(lines(looked._replace(history=gaps), everything=False))
    assert (
        "budgets  omitted at 0 to 157; title only at 158 to 218 or a little more; "
        "key lines at 226 to 227; full at 228 to 300"
    ) in told
    assert looked.one is not None
    entry = looked.one.verdict.scored.entry
    where = f"entry  {entry.id} (DECISIONS.md:{entry.line})"
    assert [line for line in told if line.startswith("entry  ")] == [where]


@pytest.mark.usefixtures("coarse")
def test_what_an_entry_takes_is_stated_for_every_budget() -> None:
    looked = look(Workspace(PacketOptions(as_of=AS_OF), world(), root=SHOP), wanted="queue broker")
    assert looked.one is not None
    for span, text in (
        (None, "no budget that was tried is enough"), (Span(0, None), "any budget"),
        (Span(40, None), "a budget of 40; with a token less it is not"),
        (Span(40, 90), "a budget of 40; with a token less it is not, nor at some budget above 90"),
    ):  # fmt: skip
        row = looked.one._replace(takes=Takes(span, None))
        assert next(needs(looked, row)) == f"at all: {text}"


@posix
@pytest.mark.usefixtures("shop")
def test_an_entry_is_one_line_of_a_terminal() -> None:
    drawn = _on_terminal("--all", columns="60")
    told = re.sub(r"\x1b\[[\d;]*m", "", drawn).split("\n")
    titles = [entry["title"] for entry in _object(budget=900)["entries"]]
    figures = [
        line for line in told if re.match(r"(full|key lines|title only|omitted) +-?\d", line)
    ]
    assert len(figures) == len(titles)
    assert max(map(len, figures)) <= 60
    columns = len("outcome     tokens    at all      full  ")
    for line, title in zip(figures, titles, strict=True):
        assert " ".join(title.split()).startswith(line[columns:].rstrip("…").rstrip())


@pytest.mark.usefixtures("shop", "coarse")
def test_a_task_that_is_done_is_never_said() -> None:
    id_ = "TASKS.md#move-the-cart-from-the-session-cookie-to"
    entry = _object(id_)["entry"]
    assert (entry["takes"], entry["never"]) == ({"title": None, "full": None}, "the task is done")
    assert "takes  no budget brings it in: the task is done\n" in _explain(id_).text


@pytest.mark.usefixtures("shop", "coarse")
def test_a_window_with_room_for_the_rules_alone() -> None:
    window = ("--context-length", "100000", "--used-tokens", "99000")
    id_ = "LEARNINGS.md#2025-11-19-101500"
    entry = _object(*window, id_)["entry"]
    alone = "the window has room for the rules alone"
    assert (entry["reason"], entry["never"]) == (f"omitted: {alone}", alone)
    assert entry["takes"] == {"title": None, "full": None}


@pytest.mark.usefixtures("shop", "coarse")
def test_a_window_with_room_for_few() -> None:
    entries = _object("--context-length", "100000", "--used-tokens", "60000")["entries"]
    decisions = [entry for entry in entries if entry["section"] == "decisions"]
    assert {entry["reason"] for entry in decisions} == {
        "omitted: a window that is so full has no room for decisions",
        "omitted: superseded",
    }
    assert all(entry["takes"] == {"title": None, "full": None} for entry in decisions)


# --- scores -------------------------------------------------------------------------------


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("ranker", RANKERS)
def test_every_part_of_a_score_means_something(ranker: str) -> None:
    given = PacketOptions(
        query="what did mira say about `shop/money.py` refunds in december 2025?",
        ranker=ranker, planner="acs", embedder="static", as_of=AS_OF,
    )  # fmt: skip
    here = world()
    looked = look(Workspace(given, here, root=SHOP))
    parts = [
        part for row in looked.rows for part in parts_of(row.verdict.scored, looked.packet.request)
    ]
    assert {"in progress", "recency"} <= {part.name for part in parts}
    assert [part.name for part in parts if not (part.meaning and part.weight)] == []


# --- what it leaves alone -----------------------------------------------------------------


@pytest.mark.usefixtures("coarse")
def test_it_tells_the_session_nothing(shop: Path) -> None:
    session = ("--session", "s", "--delta")
    first = call("agent", "--as-of", AS_OF, "--budget", "2500", *session, later=60)
    assert first.out
    store = state(shop / ".context")
    before = {
        path: path.read_bytes() for path in store.rglob("*") if path.suffix not in ("", ".db")
    }
    counts = (store / "counts.db").read_bytes()
    known = _object(*session)
    assert known["outcomes"]["full"] == 0
    reasons = [entry["reason"] for entry in known["entries"]]
    assert "omitted: the session has received it already" in reasons
    assert {
        path: path.read_bytes() for path in store.rglob("*") if path.suffix not in ("", ".db")
    } == before
    assert (store / "counts.db").read_bytes() == counts


@pytest.mark.usefixtures("coarse")
def test_it_changes_no_file_of_a_person(shop: Path) -> None:
    before = files_of(shop)
    assert _explain("--html", "-").code == 0
    assert files_of(shop) == before
    kept = files_of(cache(shop / ".context"))
    assert _explain(environ={"CTX_NO_CACHE": "1"}).code == 0
    assert files_of(cache(shop / ".context")) == kept


# --- a page -------------------------------------------------------------------------------


def test_a_page_is_written_whole(shop: Path) -> None:
    page = shop / "page.html"
    page.write_text("before")
    done = _explain("--html", "page.html")
    assert (done.code, done.out) == (0, b"")
    assert done.err == f"ctx: page.html: written, {page.stat().st_size:,} bytes\n"
    assert page.read_bytes() == _explain("--html", "-").out
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.usefixtures("shop")
def test_what_cannot_be_done_is_said_in_a_line() -> None:
    mistakes: dict[tuple[str, ...], tuple[int, str]] = {
        ("--html", "."): (2, "--html: . is a directory"),
        ("--html", ""): (2, "--html: no file is named"),
        ("--html", "page.html", "--json"): (2, "--html: shows all of it, and not --json"),
        ("--html", "page.html", "refund"): (2, "--html: shows all of it, and not an entry"),
        ("--html", "nowhere/page.html"): (6, "nowhere/page.html: cannot be written"),
        ("--delta",): (2, "--delta: is kept for a session"),
        ("--budget", "much"): (2, "--budget: 'much' is not"),
    }
    for options, (code, says) in mistakes.items():
        done = _explain(*options)
        assert (done.code, done.out, done.err.count("\n")) == (code, b"", 1)
        assert done.err.startswith(f"ctx: {says}")
    assert not os.path.exists("page.html")


@pytest.mark.parametrize("budget", [0, 8000])
def test_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: int) -> None:
    (tmp_path / ".context").mkdir()
    monkeypatch.chdir(tmp_path)
    said = _object(budget=budget)
    assert (said["entries"], said["more"]) == ([], 0)
    assert _explain(budget=budget).code == _explain("--html", "-", budget=budget).code == 0


def test_nothing_to_explain_is_one_line(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    done = call("explain", "--dir", str(root))
    assert (done.code, done.text) == (
        0,
        f"{root}: no entries to explain; `ctx add` writes one\n",
    )

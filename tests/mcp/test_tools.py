"""Every result keeps the bound that its tool states, whatever the directory holds."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.app.explain import as_json as explain
from ctx.errors import CtxError, TokenizerError, UsageError
from ctx.mcp.answer import call_tool
from ctx.mcp.tools import TOOLS, start
from ctx.text.tokens import counter, estimate
from tests.hostile import REPOSITORY, TEXTS, Text, fill, plain, tree
from tests.imported import at_shop
from tests.sampling import sampled

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx.app.explain.look import Row
    from ctx.model import Json, JsonObject

CORPORA = sorted((Path(REPOSITORY).parent / "shared" / "corpora").glob("**/.context/"))
READING = [name for name in TOOLS if not TOOLS[name].writes]


def _answer(root: Path, name: str, **given: Json) -> str:
    return call_tool(TOOLS[name], given, str(root))


def _within_bounds(root: Path, name: str, count: Callable[[str], int], **given: Json) -> str:
    """Ask a tool, and return what it says: within its bound, and JSON."""
    try:
        text = _answer(root, name, **given)
    except CtxError as error:
        return f"refused: {error}"
    budget = given.get("budget")
    assert count(text) <= (TOOLS[name].most or (budget if isinstance(budget, int) else 8_000))
    assert json.loads(text)
    return text


@pytest.fixture(scope="module")
def webshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("mcp") / "webshop"
    ignored = shutil.ignore_patterns(".ctx")
    shutil.copytree(Path(REPOSITORY) / "fixtures" / "webshop", place, ignore=ignored)
    return place


@settings(max_examples=25)
@given(
    budget=st.integers(1, 3_000) | st.sampled_from((8_000, 100_000)),
    query=st.sampled_from(("", "refund", "payment callback", "漢字", "a" * 5_000)) | st.text(),
    form=st.sampled_from(("json", "md")),
)
def test_a_packet_keeps_its_budget_or_says_which_one_it_needs(
    webshop: Path, budget: int, query: str, form: str
) -> None:
    query = query.encode("utf-8", "replace").decode()
    try:
        text = _answer(webshop, "packet", budget=budget, query=query, format=form)
    except UsageError as refused:
        advice = re.search(r"ask with a budget of (\d+) or more", str(refused))
        assert advice is not None
        assert int(advice[1]) > budget
        text = _answer(webshop, "packet", budget=int(advice[1]), query=query, format=form)
        budget = int(advice[1])
    assert estimate(text) <= budget
    assert form == "md" or json.loads(text)["budget"] == budget


@settings(max_examples=15)
@given(query=st.text(min_size=1) | st.sampled_from(("refund", "the", "payment" * 3_000)))
@pytest.mark.parametrize("name", ["search", "strategy", "show"])
def test_whatever_is_asked_the_answer_keeps_its_bound(webshop: Path, name: str, query: str) -> None:
    query = query.encode("utf-8", "replace").decode()
    field = "id" if name == "show" else "query"
    _within_bounds(webshop, name, estimate, **{field: query})


@pytest.mark.parametrize("name", READING)
def test_bounds_are_counted_as_the_settings_say(
    webshop: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rs_bpe")
    monkeypatch.setenv("CTX_TOKENIZER", "o200k")
    given = {} if name == "check" else {"id" if name == "show" else "query": "payment callback"}
    _within_bounds(webshop, name, counter("o200k").count, **given)


def test_what_cannot_be_counted_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told that it failed, an agent adds it once more."""
    (tmp_path / ".context").mkdir()
    (tmp_path / ".context" / "TASKS.md").write_text("# Tasks\n")
    monkeypatch.setenv("CTX_TOKENIZER", str(tmp_path / "none.json"))
    with pytest.raises(TokenizerError):
        _answer(tmp_path / ".context", "add", kind="task", title="Count the whales")
    assert (tmp_path / ".context" / "TASKS.md").read_text() == "# Tasks\n"


@pytest.mark.skipif(not CORPORA, reason="the shared corpora are not beside the checkout")
@pytest.mark.parametrize("corpus", sampled(CORPORA, 2), ids=lambda path: path.parent.name)
def test_large_directories_keep_the_bounds(corpus: Path, tmp_path: Path) -> None:
    root = tmp_path / "project" / ".context"
    shutil.copytree(corpus, root, ignore=shutil.ignore_patterns(".ctx"))
    for budget, form in ((1, "json"), (500, "md"), (2_000, "json"), (40_000, "md")):
        found = _answer_or_advice(root, budget, form)
        assert estimate(found[0]) <= found[1]
    search = json.loads(_within_bounds(root, "search", estimate, query="hook", limit=500))
    assert search["more"] or "truncated" in search
    assert re.match(r"\d+ of \d+ results are here", search["truncated"])
    for row in search["results"][::5]:
        shown = json.loads(_within_bounds(root, "show", estimate, id=row["id"]))
        assert shown["id"] == row["id"]
    explained = json.loads(_within_bounds(root, "explain", estimate, query="hook", budget=1_500))
    assert re.match(r"[\d,]+ of [\d,]+ entries are here", explained["truncated"])
    assert "nothing of it" not in _within_bounds(root, "check", estimate)


def _answer_or_advice(root: Path, budget: int, form: str) -> tuple[str, int]:
    try:
        return _answer(root, "packet", budget=budget, format=form, query="hook"), budget
    except UsageError as refused:
        advice = re.search(r"ask with a budget of (\d+) or more", str(refused))
        assert advice is not None
        return _answer_or_advice(root, int(advice[1]), form)


HOSTILE = ("headings", "list items", "words", "both directions", "yaml: laughs as status")


@pytest.mark.parametrize(
    "hostile", [text for text in TEXTS if text.name in HOSTILE], ids=lambda text: text.name
)
def test_hostile_entries_keep_the_bounds(hostile: Text, tmp_path: Path) -> None:
    root = tmp_path / "project" / ".context"
    fill(root, hostile)
    _within_bounds(root, "packet", estimate, budget=700)
    found = _within_bounds(root, "search", estimate, query="before level a deadbeef", limit=99)
    for row in json.loads(found).get("results", [])[:3]:
        _within_bounds(root, "show", estimate, id=row["id"])
    assert start({}, str(root)).startswith("# ")


def test_a_long_body_is_read_on_from_where_it_was_cut(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    plain(root)
    lines = [f"Line {n} of a long story about nothing." for n in range(1_000)]
    (root / "DECISIONS.md").write_text("## [2026-01-01] Long\n\n" + "\n".join(lines) + "\n")
    read: list[str] = []
    line: int | None = None
    while True:
        told = json.loads(_answer(root, "show", id="Long", line=line))
        read += told["body"].splitlines()
        if "truncated" not in told:
            break
        line = int(re.search(r"go on with line (\d+)$", told["truncated"])[1])  # type: ignore[index]
        assert line == len(read) + 1
    assert read == lines
    with pytest.raises(UsageError, match=r"line: 1001 is behind the last line, 1000"):
        _answer(root, "show", id="Long", line=1_001)


def test_turns_are_told_as_what_somebody_said(webshop: Path) -> None:
    at_shop(webshop)
    found = json.loads(_answer(webshop, "search", query="second tab", kind="turn"))
    assert found["results"][0]["speaker"] == "user"
    shown = json.loads(_answer(webshop, "show", id=found["results"][0]["id"]))
    assert shown["speaker"] == "user"


def test_what_reads_changes_nothing_that_people_keep(webshop: Path) -> None:
    before = {path: data for path, data in tree(webshop).items() if ".ctx" not in path}
    for name in READING:
        given = {} if name in ("check", "packet") else {"query": "refund"}
        _within_bounds(
            webshop, name, estimate, **({"id": "Refunds are"} if name == "show" else given)
        )
    after = {path: data for path, data in tree(webshop).items() if ".ctx" not in path}
    assert after == before


def test_no_path_out_of_the_project_is_measured(shop: Path, tmp_path: Path) -> None:
    (shop / "docs").mkdir()
    (shop / "docs" / "a.txt").write_text("a" * 4_000)
    (shop / "out").symlink_to(tmp_path)
    told = json.loads(_answer(shop, "strategy", query="q", path=["docs"]))
    assert told["tokens"] == 1_000
    for path in ("..", "docs/../..", str(tmp_path), "out", "a\0b"):
        with pytest.raises(UsageError, match="is not in the project"):
            _answer(shop, "strategy", query="q", path=[path])


def test_of_many_entries_only_those_are_made_that_have_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    tasks = "".join(f"- [ ] Write part {n} of the import\n" for n in range(150))
    (root / "TASKS.md").write_text(tasks)
    made: list[Row] = []
    row = explain._row

    def counted(one: Row) -> JsonObject:
        made.append(one)
        return row(one)

    monkeypatch.setattr(explain, "_row", counted)
    told = json.loads(_answer(root, "explain", budget=100))
    assert len(made) == 100
    assert told["more"] == sum(told["outcomes"].values()) - told["outcomes"]["full"] - 100


def test_a_search_takes_statuses_and_names_as_the_command_line_does(webshop: Path) -> None:
    def rows(**given: Json) -> list[Any]:
        return list(json.loads(_answer(webshop, "search", **given))["results"])

    query = "carts live in the database"
    assert rows(query="signed cookie", status=["superseded"])[0]["status"] == "superseded"
    assert [row["id"] for row in rows(query=query, named=True)] == [rows(query=query)[0]["id"]]
    assert not any(row["named"] for row in rows(query="cart", named=False))
    found = json.loads(_answer(webshop, "search", query="refnud"))
    assert "searched for 'refund' instead of 'refnud'" in found["warnings"]

"""``ctx search`` as people meet it: in a shell, a pipeline, a folder of their project.

What it finds, and in how many tokens, is tested in ``tests/test_search.py``; what embedders do to
it in ``tests/llm/test_embedders.py``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from ctx.store.places import prepare
from tests.hostile import REPOSITORY, Ran, environment, tree
from tests.keeping import cache, make_repository
from tests.rank.hands import call
from tests.terminal import IN_ONE

AS_OF = "2026-02-01"
QUERY = "payment callback"
posix = pytest.mark.skipif(os.name != "posix", reason="a shell, signals and modes of POSIX")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with a directory that nothing was remembered of."""
    ignored = shutil.ignore_patterns(".ctx")
    shutil.copytree(Path(REPOSITORY) / "fixtures" / "webshop", tmp_path / "shop", ignore=ignored)
    make_repository(tmp_path / "shop")
    (tmp_path / "shop" / "src").mkdir()
    return tmp_path / "shop"


def _ctx(cwd: Path, *arguments: str, start: Sequence[str] = (), **variables: str) -> Ran:
    """Run ``ctx``, in a process of its own where that matters."""
    if not start and "PYTHONPATH" not in variables:
        with chdir(cwd):
            here = call(*arguments, environ=variables, home=str(cwd.parent))
        return Ran(here.out, here.err, here.code)
    variables = {"HOME": str(cwd.parent), **variables}
    done = subprocess.run(
        [*start, sys.executable, "-m", "ctx", *arguments],
        cwd=cwd,
        env=environment(**variables),
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return Ran(done.stdout, done.stderr.decode(), done.returncode)


def _ids(out: bytes) -> list[str]:
    return [row["id"] for row in json.loads(out)["results"]]


# --- help and mistakes ------------------------------------------------------------------------


def test_the_example_of_the_help_runs(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop)
    example = "search 'retry policy' --kind decision,turn --since 90d"
    assert f"Example: ctx {example}" in call("search", "--help").text
    done = call("search", "retry policy", "--kind", "decision,turn", "--since", "90d")
    assert (done.code, done.err) == (0, "")


def test_a_query_that_begins_with_a_dash_follows_two(shop: Path) -> None:
    assert call("search", "-1 cart", "--dir", str(shop)).code == 2
    assert call("search", "--dir", str(shop), "--", "-1 cart").code == 0


# --- where it is called -----------------------------------------------------------------------


def test_anywhere_in_the_project_finds_the_same(shop: Path) -> None:
    here = _ctx(shop, "search", QUERY, "--as-of", AS_OF)
    assert (here.code, here.err) == (0, "")
    assert b"(DECISIONS.md:3)" in here.out
    below = _ctx(shop / "src", "search", QUERY, "--as-of", AS_OF)
    assert below._replace(out=below.out.replace(b"(../.context/", b"(")) == here
    assert b"(../.context/DECISIONS.md:3)" in below.out
    assert _ctx(shop.parent, "search", QUERY, "--as-of", AS_OF, CTX_DIR="shop") == here
    assert _ctx(shop.parent, "search", QUERY, "--as-of", AS_OF, "--dir", "shop") == here


def test_the_settings_of_a_packet_are_not_those_of_a_search(shop: Path) -> None:
    plain = _ctx(shop, "search", QUERY, "--as-of", AS_OF)
    (shop / ".context" / "config.toml").write_text(
        'budget = 300\nformat = "json"\nstrict = true\n', encoding="utf-8"
    )
    assert _ctx(shop, "search", QUERY, "--as-of", AS_OF) == plain


def test_a_ranker_may_be_a_setting_or_a_variable(shop: Path) -> None:
    (shop / ".context" / "config.toml").write_text('ranker = "lexical"\n', encoding="utf-8")
    assert json.loads(_ctx(shop, "search", QUERY, "--json").out)["ranker"] == "lexical"
    ran = _ctx(shop, "search", QUERY, "--json", CTX_RANKER="hybrid")
    assert json.loads(ran.out)["ranker"] == "hybrid"
    ran = _ctx(shop, "search", QUERY, "--json", "--ranker", "auto", CTX_RANKER="hybrid")
    assert json.loads(ran.out)["ranker"] == "discovery"


# --- in a pipeline ----------------------------------------------------------------------------


def test_an_answer_is_one_object_of_known_keys(shop: Path) -> None:
    answer = json.loads(_ctx(shop, "search", QUERY, "--json", "--limit", "2").out)
    assert list(answer) == ["query", "ranker", "more", "results"]
    assert (len(answer["results"]), answer["more"]) == (2, True)
    for row in answer["results"]:
        assert {"id", "kind", "source", "line", "title", "score", "snippet"} <= set(row)
        lines = (shop / ".context" / row["source"]).read_text("utf-8").split("\n")
        assert row["title"][:20] in lines[row["line"] - 1]


@posix
def test_a_terminal_gets_what_a_pipe_gets_and_titles_in_bold(shop: Path) -> None:
    arguments = ("search", QUERY, "--as-of", AS_OF, "--limit", "2")
    piped = _ctx(shop, *arguments).out
    start = [sys.executable, "-c", IN_ONE, ""]
    for term in ("xterm", "dumb"):
        shown = _ctx(shop, *arguments, start=start, TERM=term, LC_ALL="C.UTF-8")
        assert shown.out.count(b"\x1b[1m") == (2 if term == "xterm" else 0)
        plain = re.sub(rb"\x1b\[\d+m", b"", shown.out)
        assert (shown.code, plain.replace(b"\r\n", b"\n")) == (0, piped)


# --- what it leaves behind, and what it does without ------------------------------------------


def test_it_writes_below_its_own_folder_only(shop: Path) -> None:
    before = tree(shop)
    assert _ctx(shop, "search", QUERY).code == 0
    assert tree(shop) == before
    store = cache(shop / ".context")
    assert {"search.db", "index.db"} <= {path.name for path in store.iterdir()}
    if os.name == "posix":
        assert all(path.stat().st_mode & 0o077 == 0 for path in (store, *store.iterdir()))


def test_without_a_cache_it_leaves_nothing(shop: Path) -> None:
    plain = _ctx(shop, "search", QUERY, "--as-of", AS_OF, CTX_NO_CACHE="1")
    assert not cache(shop / ".context").exists()
    assert _ctx(shop, "search", QUERY, "--as-of", AS_OF) == plain


@posix
def test_a_store_that_cannot_be_made_costs_no_line(shop: Path) -> None:
    plain = _ctx(shop, "search", QUERY, "--as-of", AS_OF, CTX_NO_CACHE="1")
    prepare(str(shop / ".context"), os.environ, "")
    store = cache(shop / ".context")
    shutil.rmtree(store)
    store.write_bytes(b"mine")
    assert _ctx(shop, "search", QUERY, "--as-of", AS_OF) == plain
    assert store.read_bytes() == b"mine"


def test_an_edit_is_found_at_once_and_what_is_gone_is_not(shop: Path) -> None:
    assert _ctx(shop, "search", "zebra").out == b"Nothing found.\n"
    path = shop / ".context" / "LEARNINGS.md"
    text = path.read_text("utf-8")
    path.write_text(
        f"{text}\n## [2026-01-31] A zebra in the stock\n\nIt ate the labels.\n", "utf-8"
    )
    assert b"A zebra in the stock" in _ctx(shop, "search", "zebra").out
    path.write_text(text, "utf-8")
    assert _ctx(shop, "search", "zebra").out == b"Nothing found.\n"


# --- what is relevant ------------------------------------------------------------------------


def test_where_nothing_is_relevant_one_line_names_the_nearest(shop: Path) -> None:
    query = "does the payment of zebras need a vet?"
    done = _ctx(shop, "search", query)
    assert done.code == 0
    assert re.fullmatch(rb"Nothing relevant found\. The nearest is .*\n", done.out)
    found = json.loads(_ctx(shop, "search", query, "--json").out)
    assert found["results"] == []
    assert set(found["nearest"]) == {"id", "title", "relevance"}
    every = json.loads(_ctx(shop, "search", query, "--json", "--min-relevance", "0").out)
    relevances = [row["relevance"] for row in every["results"]]
    assert max(relevances) == pytest.approx(found["nearest"]["relevance"], abs=1e-3)
    assert "nearest" not in every


def test_results_are_at_least_as_relevant_as_wanted(shop: Path) -> None:
    for least in ("0.3", "0.6", "1"):
        done = _ctx(shop, "search", "payment callback", "--json", "--min-relevance", least)
        rows = json.loads(done.out)["results"]
        assert all(row["relevance"] >= float(least) for row in rows)
        assert rows or least == "1"


@pytest.mark.parametrize("least", ["-0.1", "1.1", "nan", "x", ""])
def test_a_relevance_is_a_share(shop: Path, least: str) -> None:
    done = call("search", "--dir", str(shop / ".context"), "payment", f"--min-relevance={least}")
    assert (done.code, done.out) == (2, b"")
    assert "--min-relevance" in done.err
    assert done.err.count("\n") == 1


# --- what was archived ------------------------------------------------------------------------

GONE = "## [2020-01-10] Zebras pull the carts\n\n**Status**: Superseded by tractors\n"
TRACTORS = "## [2026-01-31] Tractors pull the carts, zebras do not\n\nThey eat no grass.\n"


@pytest.fixture
def farm(shop: Path) -> Path:
    """A project of which a decision and a phase were archived."""
    place = shop / ".context"
    (place / "DECISIONS.md").write_text(f"{TRACTORS}\n{GONE}", "utf-8")
    (place / "TASKS.md").write_text("## Animals\n\n- [x] Sell the zebra\n", "utf-8")
    assert _ctx(shop, "archive").code == 0
    return shop


def test_what_was_archived_is_found_where_that_is_asked_for(farm: Path) -> None:
    assert _ids(_ctx(farm, "search", "zebra", "--json").out) == ["DECISIONS.md#2026-01-31"]
    rows = json.loads(_ctx(farm, "search", "zebra", "--json", "--archive").out)["results"]
    assert {row["id"].partition("#")[2] for row in rows} == {
        "2020-01-10", "2026-01-31", "sell-the-zebra",
    }  # fmt: skip
    for row in rows:
        lines = (farm / ".context" / row["source"]).read_text("utf-8").split("\n")
        assert row["title"] in lines[row["line"] - 1]
        assert row["id"].startswith("archive/") is (row["id"] != "DECISIONS.md#2026-01-31")


def test_every_ranker_finds_it(farm: Path) -> None:
    pytest.importorskip("numpy")
    for how in ("--ranker=lexical", "--ranker=hybrid", "--ranker=discovery", "--embedder=static"):
        ran = _ctx(farm, "search", "zebras carts", "--json", "--archive", how)
        assert any(found.startswith("archive/decisions-") for found in _ids(ran.out))
    told = _ctx(farm, "search", "zebra", "--archive", "--kind", "decision").out.decode()
    assert "[2020-01-10] Zebras pull the carts (superseded)\n" in told
    assert "do not (superseded)" not in told


def test_without_the_option_nothing_of_an_archive_is_read(farm: Path) -> None:
    for path in (farm / ".context" / "archive").iterdir():
        path.write_bytes(b"\xff\xfe")  # whoever reads it has something to say
    assert _ctx(farm, "search", "zebra").err == ""
    assert _ctx(farm, "search", "zebra", "--archive").err.count("is UTF-16") == 2


def test_a_packet_never_says_what_was_archived(farm: Path) -> None:
    _ctx(farm, "search", "zebra", "--archive")
    packet = _ctx(farm, "agent", "--query", "zebra", "--budget", "20000").out
    assert b"Tractors pull the carts" in packet
    assert b"Zebras pull" not in packet
    assert b"Sell the zebra" not in packet


def test_the_index_of_words_is_not_exchanged_for_that_of_an_archive(farm: Path) -> None:
    plain = _ctx(farm, "search", "zebra").out
    path = cache(farm / ".context") / "search.db"
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    found = _ctx(farm, "search", "zebra", "--archive").out
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert _ctx(farm, "search", "zebra").out == plain
    assert _ctx(farm, "search", "zebra", "--archive").out == found
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert _ctx(farm, "search", "zebra", "--archive", CTX_NO_CACHE="1").out == found


# --- other means ------------------------------------------------------------------------------


def test_without_numpy_an_embedder_costs_a_line_that_says_how_to_get_it(
    shop: Path, tmp_path: Path
) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "numpy.py").write_text("raise ModuleNotFoundError(name='numpy')\n")
    path = os.pathsep.join([str(tmp_path / "without"), REPOSITORY])
    plain = _ctx(shop, "search", QUERY, "--as-of", AS_OF, PYTHONPATH=path)
    assert (plain.code, plain.err) == (0, "")
    ran = _ctx(shop, "search", QUERY, "--as-of", AS_OF, "--embedder", "static", PYTHONPATH=path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (0, plain.out, 1)
    assert ran.err.startswith("ctx: ranked by words alone: ")
    assert "pip install '.[embed]'" in ran.err


# --- names, statuses, several directories ---------------------------------------------------


def _search(cwd: Path, *arguments: str) -> Ran:
    return _ctx(cwd, "search", "--as-of", AS_OF, *arguments)


def _rows(cwd: Path, *arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(_search(cwd, "--json", *arguments).out)["results"]
    return rows


def test_a_mistyped_word_is_corrected_and_shown(shop: Path) -> None:
    done = _search(shop, "--json", "refnud of a payment")
    assert done.err == "ctx: searched for 'refund' instead of 'refnud'\n"
    found = json.loads(done.out)
    assert (found["query"], found["corrections"]) == ("refnud of a payment", {"refnud": "refund"})
    every = _rows(shop, "refund of a payment", "--min-relevance", "0", "--limit", "99")
    assert {row["id"] for row in found["results"]} <= {row["id"] for row in every}
    assert "corrections" not in json.loads(_search(shop, "--json", "refund").out)


def test_what_is_closed_is_found_where_it_is_asked_for(shop: Path) -> None:
    (shop / ".context" / "archive").mkdir()
    (shop / ".context" / "archive" / "tasks-2025-01-01.md").write_text("- [x] Paint the cart\n")
    cookie, theme = "DECISIONS.md#2025-06-02-100000", "TASKS.md#remove-the-old-admin-theme"
    paint = "archive/tasks-2025-01-01.md#paint-the-cart"
    query = "keep carts in a signed cookie, or paint the old admin theme"
    for options, found in (
        ((), set()),
        (("--all",), {cookie, theme, paint}),
        (("--archive",), {paint}),
        (("--status", "superseded"), {cookie}),
        (("--status", "done", "--status", "Superseded"), {cookie, theme}),
        (("--status", "done,archived"), {theme, paint}),
        (("--status", "open"), set()),
    ):
        everything = ("--limit", "99", "--min-relevance", "0")
        ids = {row["id"] for row in _rows(shop, query, *everything, *options)}
        assert ids & {cookie, theme, paint} == found, options
        if "--status" in options and "open" not in options:
            assert all(row["status"] for row in _rows(shop, query, *options))


def test_what_the_query_names_comes_first(shop: Path) -> None:
    context = shop / ".context"
    (context / "GLOSSARY.md").write_text("- **outbox**: queue table\n")
    decisions = context / "DECISIONS.md"
    text = decisions.read_text(encoding="utf-8")
    broker = "DECISIONS.md#2025-10-27-103000"
    label = "**Decision**: Jobs are rows"
    decisions.write_text(text.replace(label, f"**Also called**: the queue table\n\n{label}"))
    for query in ("the queue table", "why do we have the queue table", "what is the outbox"):
        rows = _rows(shop, query)
        assert [row["id"] for row in rows if row["named"]] == [broker] == [rows[0]["id"]]
        assert [row["id"] for row in _rows(shop, query, "--named")] == [broker]
        assert (
            f"decision {broker} (DECISIONS.md:{rows[0]['line']}), named\n"
            in _search(shop, query).out.decode()
        )
    assert not any(row["named"] for row in _rows(shop, "queue"))
    assert _search(shop, "queue", "--named").out == b"Nothing found.\n"


def test_several_directories_are_searched_at_once(shop: Path) -> None:
    other = shop.parent / "other" / ".context"
    other.mkdir(parents=True)
    (other / "DECISIONS.md").write_text(
        "## [2026-01-01] Refunds\n\nA refund takes a day.\n", encoding="utf-8"
    )
    link = other.parent / "link"
    link.symlink_to(shop)
    both = ("--dir", str(shop), "--dir", str(other), "--dir", str(shop), "--dir", str(link))
    rows = _rows(shop, "refunds", *both)
    homes = [str(shop / ".context"), str(other)]
    assert (rows[0]["directory"], rows[0]["named"]) == (homes[1], True)
    assert {row["directory"] for row in rows} == set(homes)
    alone = [row["id"] for row in _rows(shop, "refunds", "--limit", "99")]
    all_ = _rows(shop, "refunds", "--limit", "99", *both)
    assert [row["id"] for row in all_ if row["directory"] == homes[0]] == alone
    assert f"({other}/DECISIONS.md:1), named\n" in _search(shop, "refunds", *both).out.decode()
    whole = _search(shop, "refunds", "--budget", "4000", *both).out.decode()
    assert "A refund takes a day." in whole
    assert all("directory" not in row for row in _rows(shop, "refunds", "--dir", str(shop)))


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--status", "gone"), 2, "--status: unknown status 'gone' (one of open, todo, in-prog"),
        (("--status", "done,"), 2, "--status: unknown status ''"),
        (("--all", "--status", "done"), 2, "--all: shows every status; --status names some"),
        (("--dir", ".", "--dir", "nowhere"), 4, "--dir: "),
    ],
)
def test_mistakes_of_what_is_searched(
    shop: Path, options: tuple[str, ...], code: int, message: str
) -> None:
    done = _search(shop, QUERY, *options)
    assert (done.code, done.out) == (code, b"")
    assert done.err.startswith(f"ctx: {message}")
    assert done.err.count("\n") == 1


def test_a_glossary_that_cannot_be_read_is_a_warning(shop: Path) -> None:
    glossary = shop / ".context" / "GLOSSARY.md"
    glossary.unlink()
    glossary.write_text("- **pg**: PostgreSQL\n" * 60_000)
    done = _search(shop, "refund")
    assert done.err == "ctx: .context/GLOSSARY.md: over 1,048,576 bytes; left out of searches\n"
    assert done.code == 0
    glossary.unlink()
    glossary.mkdir()
    refused = "ctx: .context/GLOSSARY.md: is a directory, not a file; left out\n"
    assert _search(shop, "refund").err == refused

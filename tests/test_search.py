"""``ctx search`` and ``ctx agent --query`` from end to end, as a person or a hook calls them."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import cycle
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctx.model import KINDS, PLURALS
from ctx.rank import FINDERS, RANKERS
from ctx.text.tokens import counter
from tests.imported import at_shop, move
from tests.keeping import cache
from tests.rank.hands import Done, call
from tests.read.samples import FIXTURES, ROOT, write
from tests.terminal import IN_ONE

AS_OF = "2026-02-01"
TOKENIZERS = ("heuristic", "o200k") if find_spec("rs_bpe") else ("heuristic",)
KEYS = {
    "id", "kind", "source", "line", "end_line", "title", "timestamp", "score", "relevance", "named",
    "parts",
}  # fmt: skip
QUERIES = (
    "payment callback", "cart", "the of and", "…", "🎉", "決済", "how many days since the refund",
    'a AND "b', "never-written",
)  # fmt: skip
MEGABYTE = 1024 * 1024
some = settings(max_examples=30)


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """A project with everything in it, copied once."""
    with TemporaryDirectory() as folder:
        yield _copied(Path(folder) / "webshop")


def _copied(folder: Path) -> str:
    shutil.copytree(ROOT / "fixtures" / "webshop", folder)
    return str(folder / ".context")


def _search(root: str, *arguments: str, **more: Any) -> Done:  # noqa: ANN401 - as call takes them
    return call("search", "--dir", root, "--as-of", AS_OF, *arguments, **more)


def _found(root: str, *arguments: str, **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - likewise
    done = _search(root, "--json", *arguments, **more)
    assert (done.code, done.err) == (0, "")
    rows: list[dict[str, Any]] = json.loads(done.text)["results"]
    return rows


def _agent(root: str, *arguments: str, **more: Any) -> Done:  # noqa: ANN401 - likewise
    return call("agent", "--dir", root, "--as-of", AS_OF, *arguments, **more)


# --- the law of the budget -------------------------------------------------------------------


@some
@given(
    st.integers(0, 3000) | st.integers(0, 60), st.sampled_from(FIXTURES),
    st.sampled_from(QUERIES), st.booleans(), st.sampled_from(TOKENIZERS),
)  # fmt: skip
def test_what_is_printed_costs_no_more_than_the_budget(
    budget: int, fixture: Path, query: str, as_json: bool, tokenizer: str
) -> None:
    options = ["--json"] if as_json else []
    options += ["--budget", str(budget), "--tokenizer", tokenizer]
    done = _search(str(fixture), *options, "--", query, environ={"CTX_NO_CACHE": "1"})
    assert counter(tokenizer).count(done.text) <= budget
    assert done.code == (0 if done.out else 2)
    if done.code:
        assert re.fullmatch(r"ctx: --budget: .*do not hold an empty answer.*\n", done.err)
    elif as_json:
        found = json.loads(done.text)
        assert isinstance(found["more"], bool)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_a_budget_is_spent_where_there_is_more_to_say(web: str, tokenizer: str) -> None:
    at_shop(Path(web).parent)
    query = "the payment, the cart and the order of a customer"
    options = ("--budget", "2000", "--tokenizer", tokenizer, "--min-relevance", "0")
    done = _search(web, *options, query)
    assert done.text.endswith("There is more: raise --budget.\n")
    assert counter(tokenizer).count(done.text) >= 1900


# --- what it prints --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "ranker"), list(zip(QUERIES, cycle(FINDERS), strict=False)), ids=lambda one: one
)
def test_an_object_has_the_documented_keys(web: str, query: str, ranker: str) -> None:
    done = _search(web, "--json", "--ranker", ranker, "--", query)
    found = json.loads(done.text)
    assert list(found) == ["query", "ranker", "more", "results"]
    assert (found["query"], found["ranker"]) == (query, ranker)
    assert len(found["results"]) == 10 if found["more"] else len(found["results"]) <= 10
    for row in found["results"]:
        extra = {"speaker", "ts"} if row["kind"] == "turn" else set()
        assert set(row) - {"status"} == KEYS | extra | {"snippet"}
        assert row["kind"] in KINDS
        assert 0 < row["score"] <= 1
        assert all(0 <= value <= 1 for value in row["parts"].values())
        path = Path(web) / row["source"]
        lines = path.read_text(encoding="utf-8").splitlines()
        assert 1 <= row["line"] <= row["end_line"] <= len(lines)


def test_nothing_found_is_said_and_no_mistake(web: str) -> None:
    for query in ("zzzzqq", "🎉", "…"):
        done = _search(web, query)
        assert (done.code, done.out, done.err) == (0, b"Nothing found.\n", "")
        assert _found(web, query) == []


def test_superseded_entries_are_never_found(web: str) -> None:
    for ranker in FINDERS:
        rows = _found(web, "--limit", "999", "--ranker", ranker, "Keep carts in a signed cookie")
        assert rows
        assert "DECISIONS.md#2025-06-02-100000" not in [row["id"] for row in rows]


# --- options ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "count"), [("3", 3), ("0012", 12), ("9" * 400, 27)])
def test_a_limit_is_the_most_that_is_said(web: str, limit: str, count: int) -> None:
    every = _found(web, "--limit", "999", "cart")
    rows = _found(web, "--limit", limit, "cart")
    assert len(_found(web, "--limit", "2", "--budget", "9000", "cart")) == 2
    assert rows == every[: len(rows)]
    assert len(rows) == min(count, len(every))


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (["--kind", "decision,learnings"], {"decision", "learning"}),
        (["--kind", " rule , tasks "], {"rule", "task"}),
        (["--kind", ",".join(sorted(KINDS))], set(KINDS)),
        (["--kind", ",".join(PLURALS)], set(KINDS)),
        (["--kind", "background"], {"lore"}),
    ],
)
def test_only_kinds_that_are_asked_for(web: str, options: list[str], kinds: set[str]) -> None:
    query = "the cart, the payment, the token and the search"
    everything = ("--limit", "999", "--min-relevance", "0")
    every = {row["id"]: row["kind"] for row in _found(web, *everything, query)}
    found = {row["id"] for row in _found(web, *everything, *options, query)}
    assert found == {name for name, kind in every.items() if kind in kinds}
    assert found


@pytest.mark.parametrize(
    ("since", "day"),
    [
        ("2026-01-16", "2026-01-16"), ("16d", "2026-01-16"), ("0d", AS_OF),
        ("20260116", "2026-01-16"), ("9999-12-31", "9999-12-31"),
    ],
)  # fmt: skip
def test_nothing_older_than_asked_for_and_nothing_undated(web: str, since: str, day: str) -> None:
    query = "the payment and the search"
    every = _found(web, "--limit", "999", query)
    rows = _found(web, "--limit", "999", "--since", since, query)
    assert {row["id"] for row in rows} == {
        row["id"] for row in every if row["timestamp"][:10] >= day
    }


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--budget=x", "cart"], ["--budget"]), (["--budget=-1", "cart"], ["--budget"]),
        (["--limit=0", "cart"], ["--limit"]), (["--limit=1.5", "cart"], ["--limit"]),
        (["--limit=٣", "cart"], ["--limit"]), (["--limit=", "cart"], ["--limit"]),
        (["--kind=foo", "cart"], [*PLURALS]), (["--kind=decision,", "cart"], [*PLURALS]),
        (["--since=", "cart"], ["--since"]), (["--since=30 d", "cart"], ["--since"]),
        (["--since=2026-13-01", "cart"], ["--since"]), (["--since=999999d", "cart"], ["--since"]),
        (["  \n\t "], ["QUERY"]), (["-"], ["QUERY"]), ([], ["QUERY"]), (["a", "b"], ["b"]),
        (["--ranker", "brackets", "cart"], ["brackets"]), (["--as-of", "x", "cart"], ["--as-of"]),
        (["--embedder", "nope:", "cart"], ["nope"]), (["--tokenizer", "nope", "cart"], ["nope"]),
    ],
    ids=str,
)  # fmt: skip
def test_mistakes_end_in_one_line_and_exit_2(
    web: str, options: list[str], named: Iterable[str]
) -> None:
    done = _search(web, *options, stdin=b" \n")
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert all(word in done.err for word in named)


def test_no_directory_is_exit_4(tmp_path: Path) -> None:
    done = call("search", "cart", "--dir", str(tmp_path / "gone"))
    assert (done.code, done.out, done.err.count("\n")) == (4, b"", 1)


# --- queries ---------------------------------------------------------------------------------


def test_a_query_may_come_from_standard_input(web: str) -> None:
    assert _found(web, "-", stdin=b"payment callback") == _found(web, "payment callback")
    assert _search(web, "-", stdin=b"cart \xff\xfe\x00").code == 0


def test_of_a_query_of_more_than_a_megabyte_the_beginning_counts(web: str) -> None:
    text = ("cart payment how many days before 2026-01-02 and since May " * 20_000).encode()
    done = _search(web, "--json", "--min-relevance", "0", "-", stdin=text[:MEGABYTE])
    assert (done.code, bool(json.loads(done.text)["results"])) == (0, True)
    done = _search(web, "-", stdin=b"x" * (MEGABYTE + 1))
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert f"the first {MEGABYTE:,} bytes" in done.err


def test_of_a_long_query_the_beginning_is_searched_for(web: str) -> None:
    paste = "payment callback " + "trace " * 100_000
    for cut in (paste, paste + "refund"):
        done = json.loads(_search(web, "--json", "-", stdin=cut.encode()).text)
        assert done["query"] == paste[: 16 * 1024]


SAYINGS = {
    "zh": ("我们决定使用缓存策略。", "缓存策略"),
    "ja": ("決済サーバーを再起動する。", "再起動"),
    "ko": ("결제를 다시 시도한다.", "결제"),
    "th": ("ระบบการชำระเงินล่ม", "การชำระเงิน"),
    "ru": ("Платёж не прошёл дважды.", "платёж"),
    "ar": ("فشل الدفع مرتين", "الدفع"),
    "de": ("Die Größe des Körbchens wächst.", "GRÖSSE"),
    "decomposed": ("Un café noir.", "cafe\u0301"),
    "hi": ("भुगतान विफल रहा", "भुगतान"),
    "one": ("犬 はここにいる", "犬"),
    "wide": ("ＡＢＣ１２３ code", "abc123"),
    "code": ("Call `retry_policy()` of ctx/rank/order.py twice.", "retry_policy ctx/rank/order.py"),
    "camel": ("The HttpRetryPolicy is final.", "httpretrypolicy"),
    "number": ("It takes 4711 requests.", "4711"),
    "decimal": ("Weight 3.1415 it is.", "3.1415"),
    "hash": ("Reverted by deadbeef42.", "deadbeef42"),
    "short": ("The UI of v2 is done.", "UI v2"),
    "label": ("Tagged #urgent by Mira.", "#urgent"),
    "mail": ("Ask mira@example.org first.", "mira@example.org"),
}


@pytest.fixture(scope="module")
def scripts() -> Iterator[str]:
    """A directory in which every saying stands in a file of its own, with as many others."""
    files = {
        f"decisions/{name}.md": f"## Nr {name}\n\n{said}\n" for name, (said, _) in SAYINGS.items()
    }
    files |= {f"learnings/l{n}.md": f"## Filler {n}\n\nNothing much.\n" for n in range(20)}
    with TemporaryDirectory() as folder:
        yield write(Path(folder) / ".context", files)


@pytest.mark.parametrize("ranker", FINDERS)
def test_every_script_and_every_sort_of_word_is_found(scripts: str, ranker: str) -> None:
    missed = {
        name
        for name, (_, query) in SAYINGS.items()
        if _found(scripts, "--ranker", ranker, "--", query)[0]["source"] != f"decisions/{name}.md"
    }
    assert not missed


@pytest.mark.parametrize("ranker", FINDERS)
def test_a_date_finds_the_turn_of_that_day(tmp_path: Path, ranker: str) -> None:
    days = [f"2023-{month:02}-{day:02}" for month in (4, 6, 7) for day in (7, 8, 9)]
    lines = [
        {"id": f"t{n}", "role": "user", "ts": f"{day}T10:00:00Z", "text": f"turn{n} said"}
        for n, day in enumerate([*days, "2023-05-08"])
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    root = write(tmp_path / ".context", {"sessions/s.jsonl": text})
    move(root)
    for query, day in (
        ("8 July 2023", "07-08"), ("what was said on 8 july 2023?", "07-08"),
        ("July 8, 2023", "07-08"), ("8 May 2023", "05-08"),
    ):  # fmt: skip
        first = _found(root, "--ranker", ranker, query)[0]
        assert first["timestamp"].startswith(f"2023-{day}"), query


OPERATORS = (
    '"', '""', "'", "*", "cart*", "^cart", "title:cart", "body : cart", "{title body}: cart",
    "-cart", "+cart", "cart AND", "AND cart", "OR", "NOT cart", "NEAR(cart payment, 2)",
    "cart^2", "cart;DROP TABLE entries", "(cart", "cart)", "\\", "%", "_", "cart\x00payment",
    "--", "?", "[[cart]]", "${HOME}", "`id`", "\x1b[31m", "\ud800",
)  # fmt: skip


@pytest.mark.parametrize("at", range(len(FINDERS)), ids=FINDERS)
def test_operators_are_words_or_nothing(web: str, at: int) -> None:
    for query in OPERATORS[at :: len(FINDERS)]:
        options = ("--ranker", FINDERS[at], "--min-relevance", "0", "--json")
        done = _search(web, *options, "--", query)
        assert (done.code, done.err) == (0, ""), query
        found = json.loads(done.text)["results"]
        if "cart" in query:
            assert any("cart" in f"{row['title']} {row['snippet']}".lower() for row in found), query


@some
@example("\x1b]0;x\x07")
@example("a" * 40_000)
@example("決" * 5_000)
@example("WHAA")  # is corrected
@given(st.text(st.characters(), max_size=60))
def test_no_query_breaks_it(web: str, query: str) -> None:
    done = _search(web, "--json", "--", query)
    assert done.code == (0 if query.strip() else 2)
    if done.code == 0:
        lines = ["ctx: searched for " in line for line in done.err.splitlines()]
        assert lines == [True] * ("corrections" in json.loads(done.text))


# --- terminals -------------------------------------------------------------------------------

HOSTILE = "zebra \u001b[2J\u001b]0;owned\u0007 \u009b31m \u202eevil\u202c \u0000 \r end"


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """A directory whose entries hold what terminals obey."""
    fillers = "".join(f"\n## Filler {n}\n\nNothing.\n" for n in range(9))
    said = [{"id": str(n), "role": "user", "text": HOSTILE if n == 4 else "no"} for n in range(9)]
    root = write(
        tmp_path / ".context",
        {
            "DECISIONS.md": f"# D\n\n## {HOSTILE.replace(chr(13), '')}\n\n{HOSTILE}\n{fillers}",
            "sessions/s.jsonl": "".join(json.dumps(one) + "\n" for one in said),
        },
    )
    move(root)
    return root


def _on_a_terminal(root: str, *options: str, **environ: str) -> str:
    command = [sys.executable, "-m", "ctx", "search", "zebra", "--dir", root, *options]
    own = {"PATH": os.environ["PATH"], "HOME": "/-", "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", IN_ONE, "", *command],
        capture_output=True, check=True, env=own | environ, cwd=ROOT,
    )  # fmt: skip
    return done.stdout.decode().replace("\r\n", "\n")


def _controls(text: str) -> set[str]:
    return set(re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text))


@pytest.mark.skipif(os.name != "posix", reason="a terminal of POSIX")
def test_a_terminal_is_sent_nothing_that_it_obeys(hostile: str) -> None:
    texts = [
        _on_a_terminal(hostile, "--budget", "3000"),
        _on_a_terminal(hostile, "--json"),
        _on_a_terminal(hostile, TERM="dumb", PYTHONIOENCODING="latin-1"),
    ]
    assert all(text.count("zebra") >= 2 for text in texts)
    bold = re.compile(r"\x1b\[[01]m")
    assert [_controls(bold.sub("", text)) for text in texts] == [set(), set(), set()]
    assert [bool(bold.search(text)) for text in texts] == [True, False, False]


def test_a_pipe_gets_json_that_holds_the_same_text(hostile: str) -> None:
    rows = _found(hostile, "--budget", "3000", "--kind", "decision", "zebra")
    assert r"\x1b[2J" in rows[0]["text"]
    assert "\x1b" not in _search(hostile, "--json", "zebra").text


def test_half_a_surrogate_is_printed_as_a_question_mark(tmp_path: Path) -> None:
    lines = [rf'{{"id": "{n}", "role": "user", "text": "zebra \ud800 x{n}"}}' for n in range(3)]
    lines += [rf'{{"id": "f{n}", "role": "user", "text": "filler"}}' for n in range(9)]
    root = write(tmp_path / ".context", {"sessions/s.jsonl": "\n".join(lines) + "\n"})
    move(root)
    for tokenizer in TOKENIZERS:
        for options in ([], ["--json"]):
            done = _search(root, *options, "--budget", "400", "--tokenizer", tokenizer, "zebra")
            assert (done.code, done.err) == (0, "")
            assert "zebra" in done.text
            assert counter(tokenizer).count(done.text) <= 400


# --- the same bytes --------------------------------------------------------------------------


def test_the_same_bytes_with_a_store_without_one_and_from_one_filled_otherwise(
    tmp_path: Path,
) -> None:
    asked = ["--budget", "2500", "how many days from the payment callback to the refund"]
    plain = _search(_copied(tmp_path / "a"), *asked, environ={"CTX_NO_CACHE": "1"})
    root = _copied(tmp_path / "b")
    moved = Path(root) / "DECISIONS.md"
    whole = moved.read_bytes()
    moved.write_bytes(whole[: len(whole) // 2])
    (Path(root) / "learnings").mkdir()
    (Path(root) / "learnings" / "gone.md").write_text("## Payment\n\ncallback\n", encoding="utf-8")
    assert _search(root, *asked).out != plain.out
    moved.write_bytes(whole)
    shutil.rmtree(Path(root) / "learnings")
    for _ in range(3):
        assert _search(root, *asked).out == plain.out
    (cache(root) / "search.db").write_bytes(b"damaged")
    assert _search(root, *asked).out == plain.out


def test_the_same_bytes_whatever_the_seed_of_hashes(web: str) -> None:
    command = ["search", "the payment callback since the refund", "--json", "--as-of", AS_OF]
    command += ["--dir", web, "--ranker", "discovery"]
    environ = {"PATH": os.environ["PATH"], "HOME": "/-", "CTX_NO_CACHE": "1"}
    out = {
        subprocess.run(
            [sys.executable, "-m", "ctx", *command],
            capture_output=True, check=True, cwd=ROOT, env=environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }  # fmt: skip
    assert len(out) == 1


# --- packets with a query --------------------------------------------------------------------


def _objects(done: Done) -> dict[str, list[dict[str, Any]]]:
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.text)
    return {key: value for key, value in found.items() if isinstance(value, list)}


@some
@given(
    budget=st.integers(0, 3000) | st.integers(0, 12_000), fixture=st.sampled_from(FIXTURES),
    query=st.sampled_from((*QUERIES, "", "x" * 9_000)), format_=st.sampled_from(("md", "json")),
    ranker=st.sampled_from(sorted(RANKERS)), tokenizer=st.sampled_from(TOKENIZERS),
)  # fmt: skip
def test_a_packet_with_a_query_costs_no_more_than_its_budget(
    *, budget: int, fixture: Path, query: str, format_: str, ranker: str, tokenizer: str
) -> None:
    done = _agent(
        str(fixture), "--query", query, "--budget", str(budget), "--format", format_,
        "--ranker", ranker, "--tokenizer", tokenizer, environ={"CTX_NO_CACHE": "1"},
    )  # fmt: skip
    assert done.code == 0
    if "degraded" not in done.err:
        assert counter(tokenizer).count(done.text) <= budget


@pytest.mark.parametrize("ranker", sorted(RANKERS))
def test_every_hard_rule_is_said_whatever_is_asked(web: str, ranker: str) -> None:
    rules = re.compile(r"## Constitution\n(.*?)\n## ", re.DOTALL)
    usual = rules.search(_agent(web, "--ranker", "brackets").text)
    assert usual
    for query in ("payment callback", "…", "ignore every rule", "x" * 9_000):
        said = rules.search(
            _agent(web, "--query", query, "--ranker", ranker, "--budget", "900").text
        )
        assert said
        assert said[1] == usual[1]


@pytest.mark.parametrize("ranker", FINDERS)
def test_however_much_room_there_is_only_what_is_relevant_is_included(
    web: str, ranker: str
) -> None:
    def said(*options: str) -> dict[str, list[str]]:
        done = _agent(web, "--format", "json", "--budget", "90000", *options)
        found = _objects(done)
        return {
            key: sorted(json.dumps(one, sort_keys=True) for one in value)
            for key, value in found.items()
        }

    every = said("--ranker", "brackets")
    for query in ("payment callback", "how many days since the refund", "sourdough bread"):
        found = said("--query", query, "--ranker", ranker, "--fill", "none")
        for kind in ("constitution", "tasks", "conventions"):
            assert found.get(kind) == every.get(kind)
        for kind in ("decisions", "learnings"):
            assert set(found[kind]) < set(every[kind])
            assert bool(found[kind]) <= (query != "sourdough bread")
        assert found["decisions"] or found["learnings"] or query == "sourdough bread"


@pytest.mark.parametrize("ranker", FINDERS)
@pytest.mark.parametrize("budget", ["1500", "90000"])
def test_what_is_found_comes_before_what_is_not(web: str, ranker: str, budget: str) -> None:
    query = "labels of the carrier for returns"
    found = {row["title"] for row in _found(web, "--limit", "999", "--ranker", ranker, query)}
    done = _agent(web, "--query", query, "--ranker", ranker, "--budget", budget, "--format", "json")
    said = [
        one.partition("\n")[0].partition("] ")[2].rpartition(" (")[0]  # an id or a place ends it
        for one in json.loads(done.text)["decisions"]
    ]
    flags = [title in found for title in said]
    assert flags == sorted(flags, reverse=True)
    assert any(flags)
    assert said[0] == "Labels for returns come from the carrier, not from us"
    every = _found(web, "--limit", "999", "--min-relevance", "0", "--ranker", ranker, query)
    relevance = {row["title"]: row["relevance"] for row in every}
    rest = [relevance.get(title, 0) for title in said if title not in found]
    assert rest == sorted(rest, reverse=True)
    assert rest[0] > 0 or budget == "1500"


def test_no_query_means_brackets(web: str) -> None:
    usual = _agent(web, "--ranker", "brackets").out
    assert _agent(web).out == usual
    assert _agent(web, "--query", "").out == usual
    assert _agent(web, "--query", "-", stdin=b"").out == usual
    assert _agent(web, "--query", "cart").out != usual
    for query in ("…", "what did we decide?", "go on"):  # of no subject
        assert _agent(web, "--query", query).out == _agent(web, "--ranker", "discovery").out
    done = _agent(web, "--query", "sourdough", "--fill", "none")
    assert (done.code, done.err) == (0, "")
    assert len(done.out) < len(usual)


@pytest.mark.parametrize("ranker", FINDERS)
def test_without_a_query_the_tasks_are_what_is_looked_for(tmp_path: Path, ranker: str) -> None:
    fillers = "".join(f"## [2026-01-30] Filler {n}\n\nNothing of it.\n\n" for n in range(30))
    root = write(
        tmp_path / ".context",
        {
            "TASKS.md": "- [ ] Feed the zebra #in-progress\n",
            "DECISIONS.md": f"{fillers}## [2020-01-01] Hay\n\nA zebra eats hay of the valley.\n",
        },
    )
    done = _agent(root, "--ranker", ranker, "--budget", "250")
    assert "hay of the valley" in done.text


# --- how often an entry was said -------------------------------------------------------------

LABELS = "DECISIONS.md#2025-12-29-133000"
TODAY, TOMORROW = "", "2126-01-01"
"""The day of the clock, and one after any on which these tests run."""


def _authority(root: str, day: str, **more: Any) -> float:  # noqa: ANN401 - as call takes them
    options = ["--as-of", day] if day else []
    done = call("search", "labels of the carrier", "--json", "--dir", root, *options, **more)
    row = next(row for row in json.loads(done.text)["results"] if row["id"] == LABELS)
    return float(row["parts"]["authority"])


def test_what_is_said_today_changes_no_packet_today_but_the_order_of_tomorrow(
    tmp_path: Path,
) -> None:
    root, other = _copied(tmp_path / "a" / "shop"), _copied(tmp_path / "b" / "shop")
    query = ["--query", "labels of the carrier for returns"]
    first = call("agent", "--dir", root, *query, "--budget", "1500")
    assert "A label that the carrier drew" in first.text
    assert call("agent", "--dir", root, *query, "--budget", "1500").out == first.out
    for budget in ("1400", "3000"):
        for format_ in ("md", "json"):
            options = [*query, "--budget", budget, "--format", format_]
            told = call("agent", "--dir", root, *options)
            fresh = call("agent", "--dir", other, *options, environ={"CTX_NO_CACHE": "1"})
            assert told.out == fresh.out
    assert _authority(root, TODAY) == _authority(other, TODAY, environ={"CTX_NO_CACHE": "1"})
    gained = _authority(root, TOMORROW) - _authority(other, TOMORROW, environ={"CTX_NO_CACHE": "1"})
    most = 6  # the packets above, each once
    assert gained == pytest.approx(0.2 * log(1 + most) / log(1 + most + 1), abs=2e-4)


def test_a_packet_that_is_repeated_counts_once(tmp_path: Path) -> None:
    root = _copied(tmp_path / "a")
    _search(root, "cart", later=60)  # makes the store
    asked = ["agent", "--dir", root, "--query", "labels of the carrier", "--budget", "1500"]
    for _ in range(3):
        _search(root, "labels of the carrier")  # which counts nothing
    for later in range(120, 360, 60):
        assert "A label that the carrier drew" in call(*asked, later=later).text
    plain = _authority(root, TOMORROW, environ={"CTX_NO_CACHE": "1"})
    gained = _authority(root, TOMORROW) - plain
    assert gained == pytest.approx(0.2 * log(1 + 1) / log(1 + 1 + 1), abs=2e-4)


# --- hops ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("front", "body"),
    [
        ("", "See [[Something else]]."),
        ("", "See [there](LEARNINGS.md#2026-01-02)."),
        ("", "See [there](LEARNINGS.md#something-undated) and more."),
        ("---\nrelated: [Something else]\n---\n", "Alone."),
        ("---\nhop_targets: ['LEARNINGS.md#2026-01-02']\n---\n", "Alone."),
    ],
)
def test_what_is_linked_is_found_although_it_shares_no_word(
    tmp_path: Path, front: str, body: str
) -> None:
    fillers = "".join(f"## Filler {n}\n\nNothing much.\n\n" for n in range(20))
    root = write(
        tmp_path / ".context",
        {
            "decisions/z.md": f"{front}## [2026-01-20] Zebra\n\n{body}\n",
            "decisions/fillers.md": fillers,
            "LEARNINGS.md": "## [2026-01-02] Something else\n\nNo.\n\n## Something undated\n",
        },
    )
    first, second = _found(root, "zebra")
    assert first["title"] == "Zebra"
    assert second["source"] == "LEARNINGS.md"
    assert list(second["parts"]) == ["hop"]
    assert second["score"] == pytest.approx(first["score"] / 2, abs=1e-4)

"""Entities of texts: golden cases, and what holds of any text.

A golden case is a text, a line of equals signs, and its entities in order, a line each.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctx.text.entities import GENERIC, MAX_CHARS, entities, keywords, of_path
from ctx.text.token_patterns import Memo, mentions
from tests.sampling import sampled
from tests.strategies import WORDS

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "entities"
MB = 1_000_000
PIECES = (
    *WORDS, "`", "``", "```", "~~~", '"', "“", "”", "‘", "’", "「", "」",
    "#12", "a/b", "C:\\x\\y",
    "@", "#", "--flag", ".", "...", "Acme", "Cloud", "O'", "HTTP", "ŉ", "İ", "ß", "\n",
    "\n\n", "- ",
    "https://github.com/a/b/pull/1", "|", ":", "**", "__", "_", "/", "\\", "[", "]",
    "(", ")", "\x02",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
)
CODE = st.text("aB_.-/ é#@:0", min_size=1, max_size=60).filter(
    lambda code: any(map(str.isalnum, code)) and "://" not in code
)
HOSTILE = (
    "`", "` ", "``` ", "`a``b", "\n`", '"', '"a', '"a ', "“", "‘a", "「a", ".", "a.",
    "..", "/", "a/",
    "\\", "a\\", "a_", "_", "__", "#", "#a", "# ", "#1", "@", "@a", "A", "A ",
    "Aa ", "Aa. ", "AB ", "Aa the ", "Aa's", "a-", "A-", "--", "--a", ":", "a:1", "1:",
    "<", "<a", "[", "[[", "](", "](a",
    "http://", "http://a/", "0a", "a(", "a()", "\n", "\n- ", "\n> ", "~~~\n", "```\n",
    "\x02", "é",
    "決",
    "\u0301", "\u0301a", "'", "a'", "’", "*", "**a", "a@", "a#", "a,",
)  # fmt: skip


def cases() -> list[object]:
    return [pytest.param(path, id=path.stem) for path in sorted(GOLDEN.glob("*.txt"))]


@pytest.mark.parametrize("path", cases())
def test_golden(path: Path) -> None:
    text, _, expected = path.read_text(encoding="utf-8").partition("=====\n")
    assert sorted(entities(text)) == expected.splitlines()


def test_golden_cases_are_there() -> None:
    assert len(cases()) >= 10


# Names


def test_a_word_that_begins_a_sentence_is_no_name() -> None:
    assert entities("Caching is slow. Queues are not.\nRetries help.") == set()


def test_a_name_that_begins_a_sentence_is_one_where_it_stands_elsewhere() -> None:
    assert entities("Caroline is here. I saw Caroline.") == {"caroline"}


def test_capitals_of_a_title_say_nothing() -> None:
    assert entities("## Better Error Messages For Everyone") == set()
    assert entities("## Adopt Better Queues in the importer of Acme Cloud") == {
        "queues", "acme cloud",
    }  # fmt: skip


def test_a_heading_ends_with_its_line() -> None:
    assert entities("# Tasks\nAsk Mira, Sara") == {"mira", "sara"}


def test_a_run_of_names_is_one_name() -> None:
    assert entities("we met Sara Bareilles") == {"sara bareilles"}


def test_a_comma_or_a_possessive_parts_names() -> None:
    assert entities("we met Sara, Melanie's Oscar and Mira") == {
        "sara", "melanie", "oscar", "mira",
    }  # fmt: skip


def test_words_in_capitals_for_emphasis_are_no_acronyms() -> None:
    assert entities("do NOT use the HTTP port") == {"http"}
    assert entities("DO NOT MERGE. STRUCTURE RULES") == set()


def test_months_and_days_are_no_names() -> None:
    assert entities("we met on Monday, the third of March") == set()


# Code


def test_a_code_span_may_be_wrapped_but_not_leave_its_paragraph() -> None:
    assert entities("use `git\nlog` now") == {"git log"}
    assert entities("a ` here\n\nand `git` there") == {"git"}
    assert entities("- a ` here\n- and `git` there") == {"git"}


def test_a_span_of_several_backticks_holds_fewer() -> None:
    assert entities("``a ` b``") == {"a ` b"}
    assert entities("``a ` b") == set()


def test_a_listing_in_backticks_is_no_entity() -> None:
    assert entities(f"`{'a b ' * 30}`") == set()


def test_a_fence_runs_to_its_like_or_to_the_end() -> None:
    assert entities("````\n```\nfoo_bar\n````\n`x`") == {"foo_bar", "x"}
    assert entities("~~~ text\nSome Name, foo_bar") == {"foo_bar"}


def test_an_inline_span_of_three_backticks_is_no_fence() -> None:
    assert entities("```git``` and Acme Cloud runs") == {"git", "acme cloud"}


def test_dotted_names_yield_the_ends_that_are_identifiers() -> None:
    assert entities("`RetryPolicy.run`") == {"retrypolicy.run", "retrypolicy"}
    assert entities("`a.b.maxSize`") == {"a.b.maxsize", "maxsize"}
    assert entities("`os.path`") == {"os.path"}


# Speech


def test_a_query_in_lower_case_meets_a_text_that_is_not() -> None:
    assert entities("the `RETRYPOLICY`") & entities("class RetryPolicy")
    assert entities("`e\u0301`") == entities("`É`")


def test_keywords_are_stems_without_those_of_asking() -> None:
    assert keywords("What is the retry policy?") == {"retri", "polici"}


def test_keywords_of_a_question_of_stops_are_all_of_them() -> None:
    assert keywords("who are you") == {"who", "are", "you"}
    assert keywords("") == set()


# Paths in focus


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/net/Retry.py", {"src/net/retry.py", "retry.py", "retry"}),
        ("src\\net\\retry.py", {"src/net/retry.py", "retry.py", "retry"}),
        ("./docs/", {"docs"}),
        ("a/__init__.py", {"a/__init__.py", "__init__.py"}),
        ("db.py", {"db.py"}),
        (".gitignore", {".gitignore"}),
        ("src/client.test.ts", {"src/client.test.ts", "client.test.ts", "client.test"}),
        ("", set()),
        ("/", set()),
    ],
)
def test_of_path(path: str, expected: set[str]) -> None:
    assert of_path(path) == expected


@pytest.mark.parametrize("stem", sorted(GENERIC))
def test_a_generic_stem_stands_for_nothing(stem: str) -> None:
    assert of_path(f"a/{stem}.py") == {f"a/{stem}.py", f"{stem}.py"}


@given(st.sampled_from(["src/net/retry.py", "docs/guide.md", "internal/hub/sync_helper.go"]))
def test_a_path_in_focus_meets_a_text_that_names_it(path: str) -> None:
    assert {path, path.rpartition("/")[2]} <= entities(f"see {path} there") & of_path(path)


# Any text


@given(TEXTS)
@example("`ŉ`")
@example("`İ" + "é" * 98 + "`")
def test_entities_are_folded_short_and_on_one_line(text: str) -> None:
    for one in entities(text):
        assert one
        assert one == one.strip() == " ".join(one.split())
        assert one == one.casefold()
        assert len(one) <= MAX_CHARS
        assert any(map(str.isalnum, one))


@given(TEXTS)
def test_keywords_and_paths_take_any_text(text: str) -> None:
    assert all(keywords(text))
    assert all(one == one.casefold() and len(one) <= MAX_CHARS for one in of_path(text))


@given(CODE, TEXTS)
def test_a_code_span_in_a_paragraph_of_its_own_is_found_beside_any_text(
    code: str, text: str
) -> None:
    folded = " ".join(code.split()).casefold()
    prose = text.replace("```", "").replace("~~~", "")
    assert folded in entities(f"`{code}`")
    assert folded in entities(f"`{code}`\n\n{text}")
    assert folded in entities(f"{prose}\n\n`{code}`")


@given(TEXTS)
def test_an_entity_said_as_code_is_the_same_entity(text: str) -> None:
    for one in entities(text):
        if "`" not in one:
            assert one in entities(f"`{one}`")


@given(st.lists(st.sampled_from(["`a b`", "we saw Mira", "fix #12", "in a/b.py"]), min_size=1))
def test_the_order_of_paragraphs_changes_nothing(parts: list[str]) -> None:
    shuffled = random.Random(0).sample(parts, len(parts))  # noqa: S311  # an order, no secret
    assert entities("\n\n".join(parts)) == entities("\n\n".join(shuffled))


@given(TEXTS)
def test_what_was_asked_before_changes_nothing(text: str) -> None:
    first = entities(text)
    entities("Other words, with `code` and Acme Cloud")
    assert entities(text) == first


def test_a_memory_forgets_rather_than_grows() -> None:
    memo = Memo(len)
    memo.KEPT = 3
    assert [memo["a" * size] for size in (1, 2, 3, 4, 200)] == [1, 2, 3, 4, 200]
    assert set(memo) == {"aaaa"}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", sampled(HOSTILE, 3))
def test_a_megabyte_of_anything_is_read(piece: str) -> None:
    """Super-linear reading of any of these takes minutes, and runs into the time limit."""
    text = piece * (MB // len(piece))
    assert all(len(one) <= MAX_CHARS for one in entities(text))
    assert "after_all" in entities(f"{text}\n\nafter_all\n\n```\nafter_all\n```\n\nafter_all")


@pytest.mark.timeout(60)
def test_a_megabyte_of_runs_of_backticks_is_read() -> None:
    text = " ".join("`" * (1 + number % 1400) for number in range(1500))
    assert "after_all" in entities(f"{text}\n\nafter_all")


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("(src/a.py:12)", [("path", "src/a.py")]),
        ("internal/", [("path", "internal/")]),
        ("--dry-run,", [("flag", "--dry-run")]),
        ("#12.", [("issue", "#12")]),
        ("#branch:feat/x", [("label", "#branch:feat/x")]),
        ("[2026-05-30-101010]", [("entry", "2026-05-30-101010")]),
        ("X.md#a-b", [("entry", "X.md#a-b"), ("path", "X.md")]),
        ("see:https://e.org/a).", [("url", "https://e.org/a")]),
        ("MongoDB-backed", [("name", "MongoDB")]),
        ("state.Dir()", [("name", "state.Dir")]),
        ("and/or", []),
        ("\\d+/\\w", []),
        ("$HOME/x", []),
        (".tsx", []),
        (".env", [("path", ".env")]),
        ("console.log()", [("name", "console.log")]),
        ("2026/05/30", []),
        ("done.The", []),
        ("word", []),
        ("Word's", []),
        ("a" * 1000 + ".py", []),
    ],
)
def test_mentions(token: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.form, one.text) for one in mentions(token)] == expected


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("a/b", []),
        ("net/retry", [("path", "net/retry")]),
        ("read/write", [("path", "read/write")]),
        ("run(x)", [("name", "run")]),
        ("</div>", []),
        ("#include", []),
        ("@app.route", []),
        ("#212529", []),
    ],
)
def test_mentions_in_code(token: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.form, one.text) for one in mentions(token, code=True)] == expected

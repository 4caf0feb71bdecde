"""Entities of texts: golden cases, and what holds of any text.

A golden case is a text, a line of equals signs, and its entities in order, a line each.
"""

import random
from collections.abc import Iterable
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from ctx.text.entities import GENERIC, MAX_CHARS, entities, keywords, of_path
from ctx.text.token_patterns import Memo, mentions
from tests.sampling import sampled
from tests.strategies import WORDS

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "entities"
LARGE = 100_000
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


def test_golden() -> None:
    wrong = {}
    for path in GOLDEN.glob("*.txt"):
        text, _, expected = path.read_text(encoding="utf-8").partition("=====\n")
        if sorted(entities(text)) != expected.splitlines():
            wrong[path.stem] = sorted(entities(text))
    assert wrong == {}
    assert len([*GOLDEN.glob("*.txt")]) >= 10


SAID: tuple[tuple[str, set[str]], ...] = (
    # the word that begins a sentence, headings, lists of names
    ("Caching is slow. Queues are not.\nRetries help.", set()),
    ("Caroline is here. I saw Caroline.", {"caroline"}),
    ("## Better Error Messages For Everyone", set()),
    ("## Adopt Better Queues in the importer of Acme Cloud", {"queues", "acme cloud"}),
    ("# Tasks\nAsk Mira, Sara", {"mira", "sara"}),
    ("we met Sara Bareilles", {"sara bareilles"}),
    ("we met Sara, Melanie's Oscar and Mira", {"sara", "melanie", "oscar", "mira"}),
    # capitals for emphasis, months and days
    ("do NOT use the HTTP port", {"http"}),
    ("DO NOT MERGE. STRUCTURE RULES", set()),
    ("we met on Monday, the third of March", set()),
    # a span may be wrapped, but does not leave its paragraph; several backticks hold fewer
    ("use `git\nlog` now", {"git log"}),
    ("a ` here\n\nand `git` there", {"git"}),
    ("- a ` here\n- and `git` there", {"git"}),
    ("``a ` b``", {"a ` b"}),
    ("``a ` b", set()),
    (f"`{'a b ' * 30}`", set()),
    # a fence runs to its like, or to the end
    ("````\n```\nfoo_bar\n````\n`x`", {"foo_bar", "x"}),
    ("~~~ text\nSome Name, foo_bar", {"foo_bar"}),
    ("```git``` and Acme Cloud runs", {"git", "acme cloud"}),
    # of dotted names the ends that are identifiers
    ("`RetryPolicy.run`", {"retrypolicy.run", "retrypolicy"}),
    ("`a.b.maxSize`", {"a.b.maxsize", "maxsize"}),
    ("`os.path`", {"os.path"}),
)


def test_names_and_code() -> None:
    assert [(text, set(entities(text))) for text, _ in SAID] == list(SAID)


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


def test_of_path() -> None:
    paths = {
        "src/net/Retry.py": {"src/net/retry.py", "retry.py", "retry"},
        "src\\net\\retry.py": {"src/net/retry.py", "retry.py", "retry"},
        "./docs/": {"docs"},
        "a/__init__.py": {"a/__init__.py", "__init__.py"},
        "db.py": {"db.py"},
        ".gitignore": {".gitignore"},
        "src/client.test.ts": {"src/client.test.ts", "client.test.ts", "client.test"},
        "": set(),
        "/": set(),
    }
    assert {path: of_path(path) for path in paths} == paths
    for stem in GENERIC:
        assert of_path(f"a/{stem}.py") == {f"a/{stem}.py", f"{stem}.py"}


def test_a_path_in_focus_meets_a_text_that_names_it() -> None:
    for path in ("src/net/retry.py", "docs/guide.md", "internal/hub/sync_helper.go"):
        meant = entities(f"see {path} there") & of_path(path)
        assert {path, path.rpartition("/")[2]} <= meant


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


def test_a_large_text_of_anything_is_read() -> None:
    """Super-linear reading of any of these takes minutes, and runs into the time limit."""
    for piece in sampled(HOSTILE, 3):
        text = piece * (LARGE // len(piece))
        assert all(len(one) <= MAX_CHARS for one in entities(text)), piece
        after = "\n\nafter_all\n\n```\nafter_all\n```\n\nafter_all"
        assert "after_all" in entities(f"{text}{after}"), piece


def test_many_runs_of_backticks_are_read() -> None:
    text = " ".join("`" * (1 + number % 1400) for number in range(1500))
    assert "after_all" in entities(f"{text}\n\nafter_all")


MENTIONS: dict[str, list[tuple[str, str]]] = {
    "(src/a.py:12)": [("path", "src/a.py")], "internal/": [("path", "internal/")],
    "--dry-run,": [("flag", "--dry-run")], "#12.": [("issue", "#12")],
    "#branch:feat/x": [("label", "#branch:feat/x")],
    "[2026-05-30-101010]": [("entry", "2026-05-30-101010")],
    "X.md#a-b": [("entry", "X.md#a-b"), ("path", "X.md")],
    "see:https://e.org/a).": [("url", "https://e.org/a")],
    "MongoDB-backed": [("name", "MongoDB")], "state.Dir()": [("name", "state.Dir")], "and/or": [],
    "\\d+/\\w": [], "$HOME/x": [], ".tsx": [], ".env": [("path", ".env")],
    "console.log()": [("name", "console.log")], "2026/05/30": [], "done.The": [], "word": [],
    "Word's": [], "a" * 1000 + ".py": [],
}  # fmt: skip


IN_CODE: dict[str, list[tuple[str, str]]] = {
    "a/b": [], "net/retry": [("path", "net/retry")], "read/write": [("path", "read/write")],
    "run(x)": [("name", "run")], "</div>": [], "#include": [], "@app.route": [], "#212529": [],
}  # fmt: skip


def test_mentions() -> None:
    def found(tokens: Iterable[str], *, code: bool) -> dict[str, list[tuple[str, str]]]:
        return {
            token: [(one.form, one.text) for one in mentions(token, code=code)] for token in tokens
        }

    assert found(MENTIONS, code=False) == MENTIONS
    assert found(IN_CODE, code=True) == IN_CODE

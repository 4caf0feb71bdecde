"""Citations of texts: what is pointed to, in which order, and what only looks like it."""

from hypothesis import given

from ctx.text.references import Citation, citations
from tests.sampling import sampled
from tests.text.test_entities import HOSTILE, LARGE, TEXTS

CITED: dict[str, list[tuple[str, str]]] = {
    "[x](https://e.org/a)": [("link", "https://e.org/a")],
    '[x](https://e.org/a "title")': [("link", "https://e.org/a")],
    "[x](https://e.org/a_(b)).": [("link", "https://e.org/a_(b)")],
    "<https://e.org/a>": [("link", "https://e.org/a")],
    "See https://e.org/a, or not.": [("link", "https://e.org/a")],
    "(https://e.org/a)": [("link", "https://e.org/a")],
    "[x](#slug) [y](mailto:a@b.c)": [("link", "#slug"), ("link", "mailto:a@b.c")],
    "[[Some page]] and [[other|Alias]]": [("link", "Some page"), ("link", "other")],
    "[x](docs/a.md)": [("path", "docs/a.md")],
    "[x](./a.md#slug)": [("entry", "a.md#slug")],
    "[a name](target)": [("link", "target")],
    "src/net/retry.py:12": [("path", "src/net/retry.py")],
    "`internal/` and `./b/c`": [("path", "internal/"), ("path", "b/c")],
    "C:\\x\\y.py": [("path", "C:/x/y.py")],
    "README.md": [("path", "README.md")],
    "in 1a2b3c4d": [("commit", "1a2b3c4d")],
    "#12, acme/shop#34": [("issue", "#12"), ("issue", "acme/shop#34")],
    "GH-12 and PROJ-34": [("issue", "GH-12"), ("issue", "PROJ-34")],
    "https://github.com/acme/shop/pull/9": [("link", "https://github.com/acme/shop/pull/9")],
    "DECISIONS.md#2026-05-30-101010": [("entry", "DECISIONS.md#2026-05-30-101010")],
    "supersedes [2026-05-30-101010] Old": [("entry", "2026-05-30-101010")],
}


def test_citations() -> None:
    assert {text: [tuple(one) for one in citations(text)] for text in CITED} == CITED


NOT_CITED = (
    "", "and/or read/write, 1/2", "Plain prose with `code` and RetryPolicy.backoff()",
    "UTF-8, SHA-256, ISO-8601, RFC-2119", "## [2026-05-30-101010] Own title",
    "on [2026-05-30] and 2026-05-30-101010", "[x] [ ] [text][ref]", "1234567 and deadbeef",
    "#frontend @mira --dry-run a@b.c", "```js\nrows[0](value); items.forEach(x); '#212529'\n```",
    ".gitignore .py",
)  # fmt: skip


def test_what_points_nowhere() -> None:
    assert [text for text in NOT_CITED if citations(text)] == []


def test_each_target_once_in_order_of_first_mention() -> None:
    text = "b/c.py, #2, `a/b.py`, #1, [x](b/c.py), #2"
    assert [one.target for one in citations(text)] == ["b/c.py", "#2", "a/b.py", "#1"]


def test_fences_keep_the_order_and_have_files() -> None:
    text = "#1\n```\npython src/a.py\n```\n#2"
    assert citations(text) == (
        Citation("issue", "#1"), Citation("path", "src/a.py"), Citation("issue", "#2"),
    )  # fmt: skip


@given(TEXTS)
def test_any_text_has_citations_once_each(text: str) -> None:
    found = citations(text)
    assert len({one.target for one in found}) == len(found)
    assert all(one.target.strip() for one in found)
    assert all("\n" not in one.target for one in found)


@given(TEXTS)
def test_a_text_below_another_keeps_its_targets_behind(text: str) -> None:
    assert citations(f"[[first]]\n\n{text}")[0] == Citation("link", "first")


def test_a_large_text_of_anything_is_read() -> None:
    """Super-linear reading of any of these takes minutes, and runs into the time limit."""
    for piece in (*sampled(HOSTILE, 3, 1), "[[a", "[[a|", "](a(", "](a()", "[[]]", "\n# ["):
        text = piece * (LARGE // len(piece))
        assert Citation("path", "after/all.py") in citations(f"after/all.py\n\n{text}"), piece

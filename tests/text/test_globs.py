"""Globs of paths, as rules of editors have them."""

import re
import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.text import globs

CASES = [
    # One star stays within a folder: the pages of Claude Code, Cursor and Copilot on `*.md`, `*.ts`
    # and `*`.
    ("*", "a", "a/b"),
    ("src/*", "src/a", "src/a/b"),
    ("*.md", "a.md", "docs/a.md"),
    # Two stars are any number of folders, also none (VS Code, "Glob patterns"; Copilot's example of
    # `**/subdir/**/*.py`).
    ("**", "a b a/b .a/.b", ""),
    ("**/*", "a a/b/c", ""),
    ("**/a/**/b", "a/b x/a/b a/x/y/b x/y/a/z/b", "a b x/b a/b/c"),
    ("a/**/b/**/c", "a/b/c a/x/b/c a/b/b/x/c", "a/c b/a/b/c"),
    ("a/**/**/b", "a/b a/x/b", "a"),
    ("**/b/c/**", "b/c/d a/b/b/c/d", "b/c b/x/c/d"),
    # At the end there has to be something below (the README of the benchmark).
    ("src/**", "src/a src/a/b", "src lib/src/a"),
    ("src/**/*", "src/a src/a/b", "src"),
    # Beside other characters two stars are as one: minimatch, VS Code and gitignore alike.
    ("**.cs", "a.cs", "src/a.cs"),
    ("src/**.cs", "src/a.cs", "src/b/a.cs"),
    # One character, and one of several (VS Code).
    ("a?c", "abc a.c a?c", "ac a/c abbc"),
    ("?", "a é 😀", "ab"),
    ("example.[0-9]", "example.0", "example.a example. example.10"),
    ("example.[!0-9]", "example.a", "example.0"),
    ("[^a]b", "cb", "ab /b"),
    ("[a-cx-z]", "b y", "d -"),
    ("[-a]", "- a", "b"),
    ("[]a]", "] a", "b"),
    ("*[0-9].*", "a1.b 1. x9.y", "a.b"),
    ("[[]id].tsx", "[id].tsx", "i.tsx"),
    # A bracket with a backslash is itself (Claude Code): folders of routes are named so.
    (r"app/\[id\]/*", "app/[id]/a", "app/i/a"),
    (r"a\*b\?", "a*b?", "axby"),
    (r"\{a,b\}", "{a,b}", "a b"),
    # Braces are alternatives (all four; VS Code: `{**/*.html,**/*.txt}`), which may hold others.
    ("*.{ts,tsx}", "a.ts a.tsx", "a.js a.{ts,tsx}"),
    ("{src,lib}/**/*.{js,ts}", "src/a.js lib/x/y.ts", "app/a.js src/a.py"),
    ("{a,b/{c,d}}/*", "a/x b/c/x b/d/x", "b/x c/x"),
    ("{**/*.html,**/*.txt}", "a.html x/b.txt", "a.md"),
    ("a{,b}", "a ab", "b"),
    ("{a}", "a", "{a}"),
    ("a}", "a}", "a"),
    ("**/*.{clj,edn.mdx?}", "a.clj x/a.edn.mdxy", "a.edn.mdx"),
    # Names with a dot in front are names like others (the README).
    ("*", ".env", ""),
    ("**/*.yml", ".github/a.yml", ""),
    (".github/**", ".github/workflows/ci.yml", "github/a .githubx/a"),
    ("a.b", "a.b", "axb"),
    # Case counts (the README).
    ("SRC/*.TS", "SRC/a.TS", "src/a.ts SRC/a.ts"),
    ("[a-z]", "q", "Q"),
    # Spaces and letters of any script, composed or not: file systems store either.
    ("my docs/*.md", "my docs/a b.md", "my/docs/a.md"),
    ("docs/über*/**", "docs/überblick/a docs/u\u0308berblick/a", "docs/uber/a"),
    ("文档/*.md", "文档/说明.md", "文/档.md"),
    # What is no part of a path: a leading slash or ./, double slashes.
    ("/src/*.ts", "src/a.ts ./src/a.ts src//a.ts", "a/src/a.ts"),
    ("./src/*.ts", "src/a.ts", ""),
    # Outside of the folder nothing matches.
    ("**/*.ts", "x..y/a.ts", "../a.ts ../../x/a.ts"),
    # A closing slash names a folder: no page has it, all it can mean is what is below.
    ("src/", "src/a src/b/c", "src lib/a"),
    ("src/**/", "src/a src/b/c", "src"),
    # A path that ends with a slash is any file of that folder: one whose name is not known.
    ("src/**", "src/ src/a/", "lib/"),
    ("src/*", "src/", "src/a/"),
    ("**/*.ts", "a.ts", "src/ a.ts/"),
    # What other languages of patterns have means nothing here.
    ("a+(b)|c$", "a+(b)|c$", "abb c"),
    ("${input:file}", "$input:file", "file"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "yes", "no"), CASES)
def test_a_pattern_matches_whole_paths(pattern: str, yes: str, no: str) -> None:
    by_space = ("my docs/a b.md",) if " " in pattern else yes.split()
    assert globs.usable([pattern]) == ((pattern,), ())
    for path in by_space:
        assert globs.matching([pattern], path) == pattern, path
    for path in no.split():
        assert not globs.matching([pattern], path), path


def test_the_first_pattern_that_matches_is_named_and_an_exclusion_goes_before_it() -> None:
    patterns = ["*.md", "**/*.ts", "src/**", "!**/*.test.ts"]
    assert globs.matching(patterns, "src/a.ts") == "**/*.ts"
    assert globs.matching(patterns, "src/a.py") == "src/**"
    assert not globs.matching(patterns, "src/a.test.ts")
    assert not globs.matching(patterns[::-1], "src/a.test.ts")
    assert not globs.matching(["!**/*.test.ts"], "src/a.ts")
    assert not globs.matching([], "src/a.ts")


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("*.ts, *.tsx", ["*.ts", "*.tsx"]),
        ("**/*.ts,**/*.tsx,", ["**/*.ts", "**/*.tsx"]),
        ("src/**/*.{ts,tsx}, *.js", ["src/**/*.{ts,tsx}", "*.js"]),
        ("{a,{b,c}},d", ["{a,{b,c}}", "d"]),
        ("a}b,c", ["a}b", "c"]),
        (r"a\,b,[,]c", [r"a\,b", "[,]c"]),
        ("a\n b\n", ["a", "b"]),
        ("my docs/*.md , b", ["my docs/*.md", "b"]),
        (" ", []),
    ],
)
def test_a_list_is_separated_by_commas_outside_braces(text: str, patterns: list[str]) -> None:
    assert globs.split(text) == patterns


def test_a_pattern_that_cannot_be_read_gets_a_line_and_the_others_hold() -> None:
    patterns, faults = globs.usable(["[a", "*.ts", "{a,b", "a[/]b", "!*.md"])
    assert patterns == ("*.ts", "!*.md")
    assert faults == (
        "glob `[a` is left out: `[` is not closed within its folder or name",
        "glob `{a,b` is left out: `{` is not closed",
        "glob `a[/]b` is left out: `[` is not closed within its folder or name",
    )
    assert not globs.matching(["[a", "{a,b"], "[a")


HOSTILE = [
    "{a,b}" * 2_000, "{a,b}" * 900, "{a," * 3_000, "{a," * 1_000 + "}" * 1_000, "{" * 5_000,
    "{,}" * 1_600, "*a" * 5_000, "*a" * 2_400, "**/" * 3_000 + "a", "**/a/" * 900 + "b",
    "?*" * 2_400, "[" * 5_000, "[!" * 2_400, "[a-z]*" * 800, "\\" * 4_999, "x" * 10_240,
]  # fmt: skip
PATHS = ("a/" * 2_000 + "c", "a" * 4_000, "src/a.ts")


class Steps:
    """Counts the lines of the module that are executed: it bounds what ``re`` compiles."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, _value: object) -> "Steps":
        self.count += event == "line" and frame.f_code.co_filename == globs.__file__
        return self


@pytest.mark.parametrize("place", range(len(HOSTILE)))
def test_a_hostile_pattern_costs_one_line_and_little_work(place: int) -> None:
    steps, before = Steps(), sys.gettrace()
    sys.settrace(steps)
    try:
        patterns, faults = globs.usable([HOSTILE[place]] * 50)
        found = [globs.matching([HOSTILE[place]], path) for path in PATHS]
    finally:
        sys.settrace(before)
    assert not found[-1]
    assert len(faults) <= 1 or not patterns
    assert all(len(line) < 200 for line in faults)
    assert steps.count < 300_000, steps.count


def test_the_patterns_of_a_rule_are_bounded_together() -> None:
    many = [f"src/{number}/**" for number in range(1_000)]
    patterns, faults = globs.usable(many)
    assert 300 < len(patterns) < 1_000
    assert len(faults) == 1
    assert "and what follows it is left out" in faults[0]


def _is_compiled(pattern: str) -> bool:
    try:
        return bool(globs._compiled(pattern.removeprefix("!"))) or not pattern.strip("!")
    except globs.GlobError:
        return False


def _as_expression(pattern: str) -> str:
    """Return a regular expression for a pattern of ``a``, ``b``, ``*``, ``/`` and braces."""
    expression = re.escape(pattern).replace(r"\{", "(?:").replace(r"\}", ")").replace(",", "|")
    expression = re.sub(r"(?:(?<=/)|^)\\\*\\\*/", "(?:[^/]+/)*", expression)
    expression = re.sub(r"(?:(?<=/)|^)\\\*\\\*$", ".+", expression)
    return re.sub(r"(?:\\\*)+", "[^/]*", expression)


SEGMENTS = st.sampled_from(["a", "b", "ab", "*", "**", "a*", "*b", "a*b*", "{a,b}", "{a,b*}a", "?"])
NAMES = st.sampled_from(["a", "b", "ab", "ba", "aab", "abab"])


@given(st.lists(SEGMENTS, min_size=1, max_size=5), st.lists(NAMES, min_size=1, max_size=5))
def test_it_agrees_with_a_regular_expression(segments: list[str], names: list[str]) -> None:
    pattern, path = "/".join(segments), "/".join(names)
    expression = _as_expression(pattern).replace(r"\?", "[^/]")
    assert bool(globs.matching([pattern], path)) is bool(re.fullmatch(expression, path))


@given(st.text(alphabet="ab/*?[]{},!\\-é", max_size=30), st.text(alphabet="ab/.é-!", max_size=20))
def test_any_text_is_matched_or_refused(pattern: str, path: str) -> None:
    usable, faults = globs.usable([pattern])
    assert len(usable) + len(faults) == 1
    assert bool(usable) is _is_compiled(pattern)
    if globs.matching([pattern], path):
        assert usable
    assert "".join(globs.split(pattern)).count("*") == pattern.count("*")

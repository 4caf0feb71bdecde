"""Markdown that no person wrote, and things in a directory that are no Markdown.

Each text goes into every kind of file at once; a test names what the program has to say
about it. Sizes are those at which a careless parser stops answering.
"""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

from ctx.app.options import PacketOptions
from ctx.cli import agent
from ctx.store.places import ID
from ctx.world import World
from tests.keeping import keeping

FILES = ("CONSTITUTION.md", "TASKS.md", "CONVENTIONS.md", "DECISIONS.md", "LEARNINGS.md")
THEMED = (
    "../AGENTS.md", "steering/themed.md",
    "conventions/themed.md", "decisions/themed.md", "learnings/themed.md",
)  # fmt: skip
KINDS = (*FILES, *THEMED)
"""A file of every kind that entries are read from."""

DEEP = 10_000
MANY = 10_000
"""Lines; one file of ten times as many is tested besides."""
LONG = 65_536
"""The longest line that counts as prose."""


class Text(NamedTuple):
    """A hostile text."""

    name: str
    make: Callable[[], str]
    warning: str = ""
    """What has to be said about it after the file's name, as a regular expression; empty
    where nothing is left out or changed."""
    entries: str = "## [2026-01-01-000000] Before\n\n- [ ] before\n\n"
    """What stands above it, so that every kind of file has something to say."""


def _ramp(depth: int, line: Callable[[int], str]) -> str:
    return "\n".join(line(level) for level in range(depth)) + "\n"


def _deep_list_by_indent() -> str:
    # Ever deeper, in 400 KB: 10,000 levels of two spaces each would be 100 MB of white space.
    return _ramp(600, lambda level: f"{'  ' * level}- [ ] level {level}")


def _turns(*lines: str, times: int) -> str:
    return "\n".join(lines * times) + "\n"


def _yaml(body: str) -> str:
    return f"---\n{body}\n---\n"


def _laughs() -> str:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return _yaml("\n".join(lines))


def _merges() -> str:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 20)]
    return _yaml("\n".join(lines))


BIDI = (
    "\u202eright to left\u202c \u2066isolate\u2069 \u200bzero\u200d width\ufeff \x1b[31mred\x1b[0m"
)
CONTROLS = "".join(map(chr, (*range(1, 9), 0xB, 0xC, *range(0xE, 0x20), *range(0x7F, 0xA0))))

TEXTS = (
    # nesting
    Text("lists in one line", lambda: "- " * DEEP + "deep\n"),
    Text("numbers in one line", lambda: "1. " * DEEP + "deep\n"),
    Text("lists by indent", _deep_list_by_indent),
    Text("quotes", lambda: ">" * DEEP + " deep\n"),
    Text("quotes and lists", lambda: "> - " * DEEP + "deep\n"),
    Text("quotes over lines", lambda: _ramp(700, lambda level: ">" * level + " deep")),
    Text("open brackets", lambda: "[" * LONG + "\n"),
    Text("brackets", lambda: "[" * DEEP + "deep" + "]" * DEEP + "\n"),
    Text("links", lambda: "[a](" * DEEP + "\n"),
    Text("images", lambda: "![" * DEEP + "](a)" * DEEP + "\n"),
    Text("emphasis", lambda: "*a **a " * (DEEP - 1_000) + "\n"),
    Text("underscores", lambda: "_a __a " * (DEEP - 1_000) + "\n"),
    Text("code spans", lambda: " ".join("`" * run for run in range(1, 350)) + "\n"),
    Text("html tags", lambda: "<div>" * DEEP + "\n"),
    Text("html lines", lambda: "<div>\n\n" * DEEP),
    # many
    Text("short lines", lambda: "a\n" * MANY),
    Text("blank lines", lambda: "\n" * MANY),
    Text("headings", lambda: "".join(f"## heading {n}\n" for n in range(MANY // 10))),
    Text("dated headings", lambda: "## [2026-01-02-030405] same\n\ntext\n" * (MANY // 10)),
    Text("list items", lambda: "".join(f"- [ ] item {n}\n" for n in range(MANY // 10))),
    Text("loose items", lambda: "- [ ] item\n\n  text\n\n" * (MANY // 20)),
    Text("lean boxes", lambda: "[ ] task\n" * (MANY // 10)),
    Text("boxes in an item", lambda: "- [ ] task\n" + "[ ] task\n" * (MANY // 20)),
    Text("table rows", lambda: "| a | b |\n|---|---|\n" + "| c | d |\n" * MANY),
    Text("table columns", lambda: "|a" * DEEP + "|\n" + "|-" * DEEP + "|\n" + "|b|\n" * 20),
    Text("link definitions", lambda: "".join(f"[l{n}]: /u{n}\n" for n in range(MANY // 10))),
    Text("one label defined", lambda: "[same]: /u 'title'\n" * (MANY // 10)),
    Text("broken definitions", lambda: "[a]: <\n" * (MANY // 10)),
    Text("definitions apart", lambda: "".join(f"[l{n}]: /u\n\n" for n in range(MANY // 10))),
    Text("words", lambda: " ".join(f"word{n}" for n in range(7_000)) + "\n"),
    # unclosed
    Text("fence", lambda: "```\n" + "## [2026-01-01] in a fence\n" * 1_000),
    Text("fences", lambda: _ramp(900, lambda level: "`" * (level + 3))),
    Text("fence in an item", lambda: "- item\n  ```\n" + "# a\n" * MANY),
    Text("comment", lambda: "<!-- \n" + "## [2026-01-01] in a comment\n" * 1_000),
    Text("comments", lambda: "<!-- a\n\n" * MANY),
    Text("script", lambda: "<script>\n" + "## [2026-01-01] in a script\n" * 1_000),
    Text("declarations", lambda: "<!A\n\n<?php\n\n<![CDATA[\n\n" * DEEP),
    Text("pre", lambda: "<pre>\n\n" * DEEP),
    # only marks
    Text("hashes in lines", lambda: "#\n" * MANY),
    Text("hashes in one line", lambda: "#" * LONG + "\n"),
    Text("growing hashes", lambda: _ramp(700, lambda level: "#" * level)),
    Text("dashes in lines", lambda: "-\n" * (MANY // 10)),
    Text("dashes in one line", lambda: "-" * LONG + "\n"),
    Text("rulers", lambda: "---\n" * MANY),
    Text("underlines", lambda: "a\n===\n" * DEEP),
    Text("markers in turn", lambda: _turns("- a", "* b", "+ c", "1. d", "2) e", times=500)),
    Text("boxes", lambda: _turns("- [ ]", "- [x]", "- [-]", "- []", times=500)),
    Text("dashes and an end", lambda: "-" * 3_000 + " end\n" + "- " * 2_000 + "_\n"),
    Text("stars and an end", lambda: "*" * 3_000 + " end\n"),
    Text("pipes", lambda: "|" * LONG + "\n"),
    Text("tildes", lambda: "~~~\n" * (MANY // 2)),
    Text("spaces", lambda: " " * LONG + "\n"),
    Text("tabs", lambda: "\t" * 8_000 + "- a\n"),
    Text("backslashes", lambda: "\\" * LONG + "\n"),
    Text("entities", lambda: "&amp;" * DEEP + "\n"),
    # what an entry says about another
    Text("stars after a claim", lambda: f"- **Supersedes{'*' * 60_000}\n" * 4),
    Text("brackets in a claim", lambda: f"Supersedes {'[' * 60_000}\n" * 4),
    Text("claims", lambda: "Supersedes before. Supersedes it\n" * (MANY // 10)),
    Text("status", lambda: "> " * 30_000 + "**Status**: no\n"),
    Text("labels", lambda: "- [ ] " + "#in-progress:" * 5_000 + "\n"),
    Text("hashes of commits", lambda: "- [ ] " + "deadbeef " * 7_000 + "\n"),
    Text("dates", lambda: "- [ ] " + "2026-01-01-" * 5_000 + "\n"),
    Text("bold labels", lambda: "**a" * 20_000 + "\n"),
    # characters
    Text("controls", lambda: f"- [ ] {CONTROLS} end\n"),
    Text("both directions", lambda: f"- [ ] {BIDI}\n## {BIDI}\n"),
    Text("marks on a letter", lambda: "- [ ] a" + "\u0301" * 30_000 + "\n"),
    Text("scripts", lambda: "- [ ] 日本語 한국어 ไทย العربية हिन्दी Größe 👩‍👩‍👧‍👦 \U0010ffff\n"),
    Text("noncharacters", lambda: "- [ ] \ufffe\uffff\U0001fffe\n"),
    Text("line separators", lambda: "- [ ] a\u2028b\u2029c\x85d\x1ce\n"),
    Text("ligature that grows", lambda: "- [ ] " + "\ufdfa" * 20_000 + "\n"),
    # lines over the limit
    Text("a line too long", lambda: "a" * (LONG + 1) + "\n", r":\d+: a line of 65,537 characters"),
    # frontmatter
    Text("yaml: 5 MB", lambda: _yaml("\n".join(["k: " + "v" * 50_000] * 100)), entries=""),
    Text("yaml: never closed", lambda: "---\n" + "k: v\n" * MANY, ":1: frontmatter", ""),
    Text("yaml: laughs", _laughs, entries=""),
    Text("yaml: itself", lambda: _yaml("a: &a [*a]"), entries=""),
    Text("yaml: itself as tags", lambda: _yaml("tags: &a [*a]\nstatus: &b [*b]"), entries=""),
    Text(
        "yaml: laughs as status",
        lambda: _laughs().replace("a11:", "status:").replace("a10:", "related:"),
        entries="",
    ),
    Text(
        "yaml: python",
        lambda: _yaml("a: !!python/object/apply:os.system ['echo owned >owned']"),
        r":\d+: frontmatter is not valid YAML",
        "",
    ),
    Text("yaml: brackets", lambda: _yaml("a: " + "[" * 60_000), r":\d+: frontmatter", ""),
    Text(
        "yaml: brackets closed",
        lambda: _yaml("a: " + "[" * 30_000 + "]" * 30_000),
        r":\d+: frontmatter",
        "",
    ),
    Text("yaml: braces", lambda: _yaml("a: " + "{a: " * 15_000), r":\d+: frontmatter", ""),
    Text("yaml: dashes", lambda: _yaml("- " * 30_000 + "a"), entries=""),
    Text("yaml: nested 200", lambda: _yaml("a: " + "[" * 200 + "]" * 200), entries=""),
    Text("yaml: nested 500", lambda: _yaml("a: " + "[" * 500 + "]" * 500), entries=""),
    Text("yaml: a list", lambda: _yaml("- a\n- b"), entries=""),
    Text("yaml: huge number", lambda: _yaml("trust: 0x" + "f" * 50_000), entries=""),
    Text("yaml: huge extra", lambda: _yaml("size: 0x" + "f" * 50_000), entries=""),
    Text("yaml: huge decimal", lambda: _yaml("size: " + "9" * 50_000), r":1: front", ""),
    Text("yaml: infinity", lambda: _yaml("trust: .inf\nother: .nan"), entries=""),
    Text("yaml: no such day", lambda: _yaml("date: 2026-99-99"), r":1: frontmatter", ""),
    Text("yaml: base 60", lambda: _yaml("a: 1" + ":59" * 10_000), entries=""),
    Text("yaml: list as key", lambda: _yaml("? [a]\n: b"), entries=""),
    Text("yaml: null keys", lambda: _yaml("~: a\n1: b\ntrue: c"), entries=""),
    Text("yaml: escapes", lambda: _yaml(r'a: "\ud800\udfff\0\x01\U0010ffff"'), r":\d+: fr", ""),
    Text("yaml: controls", lambda: _yaml("a: \x01"), r":\d+: frontmatter", ""),
    Text("yaml: two documents", lambda: _yaml("a: b\n... \nc: d"), r":\d+: frontmatter", ""),
    Text("yaml: merge", lambda: _yaml("a: &a {b: c}\n<<: [*a, *a]\n<<: *a"), entries=""),
    Text("yaml: merges of merges", _merges, r":\d+: frontmatter", ""),
    *(
        Text(f"yaml: {tag}", partial(_yaml, f"a: {tag}"), r":1: frontmatter", "")
        for tag in ("!!bool x", '!!int ""', "!!int '-'", '!!float ""', "!!timestamp x")
    ),
    Text("yaml: set", lambda: _yaml("tags: !!set {a, b}\nother: !!set {a, b}"), entries=""),
    Text("yaml: bytes", lambda: _yaml("tags: !!binary aGVsbG8=\nother: !!binary aGk="), entries=""),
)


def shorter(text: str, lines: int = 400, characters: int = 2_000) -> str:
    """Return ``text`` without the middle of many lines, and of long ones that ctx reads.

    More than a parser tells few from many by; tests of packets have all texts at full size.
    """
    kept = [
        line if not characters < len(line) <= LONG
        else line[: characters // 2] + line[-characters // 2 :]
        for line in text.split("\n")
    ]  # fmt: skip
    if len(kept) > lines:
        kept = kept[: lines // 2] + kept[-lines // 2 :]
    return "\n".join(kept)


def fill(root: Path, text: Text, cut: Callable[[str], str] = str) -> None:
    """Put ``text`` into a file of every kind below ``root``, as ``cut`` leaves it."""
    whole = text.entries + cut(text.make())
    for path in KINDS:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(whole, encoding="utf-8", newline="")


# --- what lies in a directory beside files ------------------------------------------------


def plain(root: Path) -> None:
    """Make an ordinary context directory, for faults to happen around."""
    root.mkdir(parents=True, exist_ok=True)
    for path, text in ORDINARY.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


ORDINARY = {
    "CONSTITUTION.md": "# Constitution\n\n- Never lose what a person wrote.\n- Größe zählt.\n",
    "TASKS.md": "# Tasks\n\n## Now\n\n- [ ] Mend the retry policy #in-progress\n- [x] Rest\n",
    "CONVENTIONS.md": "# Conventions\n\n## Code\n\n- Names carry the meaning.\n",
    "DECISIONS.md": "".join(
        f"## [2026-01-{day:02}] Decision {day}\n\n**Decision**: retry {day} times.\n\n"
        for day in range(1, 29)
    ),
    "LEARNINGS.md": "".join(
        f"## [2026-02-{day:02}] Learning {day}\n\n**Lesson**: 日本語 {day}.\n\n"
        for day in range(1, 29)
    ),
    "decisions/themed.md": "## [2026-03-01] Themed\n\nA decision of its own.\n",
}


@contextlib.contextmanager
def deep(folder: Path, levels: int = 1_200) -> Iterator[None]:
    """Make folders in each other: more than calls can be, so that nothing else removes them."""
    paths = [str(folder / "/".join("d" * level)) for level in range(1, levels)]
    for path in paths:
        os.mkdir(path)
    try:
        yield
    finally:
        for path in reversed(paths):
            os.rmdir(path)


# --- running ctx as people do -------------------------------------------------------------


class Ran(NamedTuple):
    """What a call printed, and how it ended."""

    out: bytes
    err: str
    code: int


HANGS = 300
"""Seconds after which a run is called hung, ten times what the slowest takes; none is measured."""
DAY = "2026-11-21"
"""A day that is not today, for what is named by days."""
ON_THAT_DAY = f"""
import sys
from ctx import world
from ctx.cli import main
world.day = lambda _: "{DAY}"
sys.exit(main.main(sys.argv[1:]))
"""
"""Runs ``ctx`` on it."""
REPOSITORY = str(Path(__file__).resolve().parent.parent)


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment with no settings of ctx but ``variables``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CTX_")}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": REPOSITORY, **variables}


def command(root: Path | str, *options: str) -> list[str]:
    """Return the call of ``ctx agent`` for ``root`` on a fixed day."""
    start = [sys.executable, "-m", "ctx", "agent", "--dir", str(root), "--as-of", "2026-11-21"]
    return [*start, *options]


def ctx(root: Path | str, *options: str, **variables: str) -> Ran:
    """Run ``ctx agent`` for ``root`` in a process of its own."""
    ran = subprocess.run(
        command(root, *options), capture_output=True, check=False, cwd=REPOSITORY,
        env=environment(**variables), timeout=HANGS,
    )  # fmt: skip
    return Ran(ran.stdout, ran.stderr.decode(), ran.returncode)


def in_process(root: Path | str, later: float = 60.0, **flags: object) -> Ran:
    """Run ``ctx agent`` here, ``later`` seconds from now, so that all that was written counts.

    ``environ``, ``home`` and ``today`` among ``flags`` are the world's, the rest are options.
    """
    world = World()
    world.environ = {**keeping(), **cast("Mapping[str, str]", flags.pop("environ", {}))}
    world.home = str(flags.pop("home", ""))
    world.today = str(flags.pop("today", "2026-11-21"))
    world.now_ns += int(later * 1e9)
    out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = agent.run(
            PacketOptions(**{**cast("dict[str, str]", flags), "dir": str(root)}), world
        )
    return Ran(_bytes(out), _bytes(err).decode(), code)


def without_store(root: Path | str, **flags: object) -> Ran:
    """Run ``ctx agent`` here without a store: what every other run has to say."""
    environ = cast("Mapping[str, str]", flags.pop("environ", {}))
    return in_process(root, 60.0, environ={**environ, "CTX_NO_CACHE": "1"}, **flags)


def _bytes(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    return cast("io.BytesIO", stream.buffer).getvalue()


def tree(root: Path) -> dict[str, bytes]:
    """Return every file that a person wrote below ``root``, with its content."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != ID
    }

"""``ctx tiers``: what it says of a document, to whom, and what it does with odd files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ctx.read.authored.document import document
from ctx.text.tokens import counter
from tests.hostile import environment
from tests.rank.hands import call
from tests.terminal import in_terminal

posix = pytest.mark.skipif(os.name != "posix", reason="pipes, names and terminals of POSIX")
DOCUMENT = """\
---
rules: never guess
title: x
---
# Rules

The compiler is written in C.

You must test it. Never test it.

> Silence is a bug.

Do not:

- push to `main`
  - nor to a tag
- guess

```
code
```
"""
FIELDS = {
    "file", "tokenizer", "tokens", "always", "hard_limit", "budget", "nodes", "conflicts",
    "warnings",
}  # fmt: skip
NODE = {
    "tier", "kind", "line", "end_line", "offset", "end", "tokens", "modality", "heading", "text",
    "said_with",
}  # fmt: skip


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def object(self) -> Any:  # noqa: ANN401 - JSON
        return json.loads(self.out)


class Call(NamedTuple):
    """Calls ``ctx`` in this process, from a folder that no context directory is above."""

    folder: Path

    def write(self, data: bytes | str, name: str = "CONSTITUTION.md") -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return name

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ran:
        with chdir(self.folder):
            done = call("tiers", *arguments, stdin=stdin, home=str(self.folder))
        return Ran(done.code, done.text, done.err)

    def json(self, data: bytes | str, *arguments: str) -> Any:  # noqa: ANN401 - JSON
        ran = self(self.write(data), "--json", *arguments)
        assert (ran.code, ran.err.count("\n") <= 1) == (0, True)
        return ran.object


@pytest.fixture
def ctx(tmp_path: Path) -> Call:
    return Call(tmp_path)


def test_a_file_that_is_not_here_is_looked_for_in_the_context_directory(ctx: Call) -> None:
    ctx.write("- Never push.\n", ".context/steering/git.md")
    ctx.write("- Never merge.\n", ".context/HERE.md")
    ctx.write("- Never pull.\n", "HERE.md")
    assert ctx("steering/git.md", "--json").object["file"] == ".context/steering/git.md"
    assert ctx("steering/git.md", "--json").object["nodes"][0]["text"] == "- Never push."
    assert ctx("HERE.md", "--json").object["file"] == "HERE.md"
    ran = ctx("gone.md")
    assert (ran.code, "gone.md: there is no such file" in ran.err) == (6, True)


# --- in a pipe ----------------------------------------------------------------------------


def test_lines_of_a_pipe(ctx: Call) -> None:
    ran = ctx(ctx.write(DOCUMENT))
    assert (ran.code, ran.err) == (0, "")
    header, *lines = ran.out.splitlines()
    assert header.split()[:4] == ["tier", "kind", "lines", "tokens"]
    assert [line.split()[:3] for line in lines[:13]] == [
        ["variant", "frontmatter", "1-1"],
        ["hard", "frontmatter", "2-2"],
        ["variant", "frontmatter", "3-4"],
        ["variant", "heading", "5-5"],
        ["variant", "paragraph", "7-7"],
        ["soft", "paragraph", "9-9"],
        ["soft", "quote", "11-11"],
        ["hard", "paragraph", "13-13"],
        ["hard", "item", "15-16"],
        ["hard", "item", "17-17"],
        ["variant", "code", "19-21"],
        ["hard", *lines[11].split()[1:3]],
        ["soft", *lines[12].split()[1:3]],
    ]
    assert "forbidden" in lines[5]
    assert "forbidden" not in lines[8]  # items instruct, whatever they say
    assert lines[8].endswith("- push to `main`")
    assert lines[-1] == "conflict at line 9: 'You must test it.' against 'Never test it.'"


def test_the_summary_adds_up(ctx: Call) -> None:
    found = ctx.json(DOCUMENT)
    lines = ctx("CONSTITUTION.md").out.splitlines()
    whole = sum(found["tokens"].values())
    for tier in ("hard", "soft", "variant"):
        assert f"{tier:<8}{found['tokens'][tier]:>7,} tokens of {whole:,}" in lines


def test_lines_are_one_line_each_and_hold_nothing_that_a_terminal_obeys(ctx: Call) -> None:
    ran = ctx(ctx.write(f"- \x1b[31mred\x07 {'word ' * 40}\n\n- a\u2028b\u202ec\n"))
    lines = ran.out.split("\n")[1:]
    assert all(line.isprintable() for line in lines)
    assert lines[0].endswith("…")
    assert max(map(len, lines[:2])) <= 122
    assert r"a\u2028b\u202ec" in lines[1]


ANNOUNCING = "# A\n\n- prefer:\n\n```\nthis\n```\n\nYou must run:\n\n```\nthat\n```\n"


def test_what_a_rule_announces_is_said_with_it(ctx: Call) -> None:
    lines = ctx(ctx.write(ANNOUNCING)).out.splitlines()
    code = [line for line in lines if line.startswith("variant code")]
    assert ["with 3" in code[0], "with 9" in code[1]] == [True, True]
    found = ctx("CONSTITUTION.md", "--json").object
    assert [node["said_with"] for node in found["nodes"]] == [None, None, 3, None, 9]
    costs = [node["tokens"] for node in found["nodes"]]
    # A soft rule may give way, and what it announces with it.
    assert found["always"] == costs[1] + costs[2] == found["tokens"]["hard"] + costs[2]
    assert f"always  {found['always']:>7,} tokens" in lines[-1]
    assert "within the limit of 3,200 tokens (40% of 8,000)" in lines[-1]


def test_what_is_announced_counts_against_the_limit(ctx: Call) -> None:
    ctx.write("budget = 100\nhard_share = 0.1\n", ".context/config.toml")
    ran = ctx(ctx.write(f"- run this:\n\n```\n{'word ' * 40}\n```\n"))
    assert ctx("CONSTITUTION.md", "--json").object["tokens"]["hard"] <= 10
    assert "over the limit of 10 tokens" in ran.out
    assert "the required rules are over 10 tokens" in ran.out


def test_lists_that_cost_much_and_instruct_nothing_are_named(ctx: Call) -> None:
    text = "# Rules\n\n- never push\n\n## Key Files\n\n" + "- `a.py`: class of the parser\n" * 200
    ran = ctx(ctx.write(text))
    (line,) = [line for line in ran.out.splitlines() if line.startswith("line ")]
    assert line.startswith("line 5: the items under 'Key Files' cost ")
    assert "<!-- ctx:variant --> before the heading" in line
    ctx.write(text.replace("## Key", "<!-- ctx:variant -->\n## Key"))
    assert "line 5:" not in ctx("CONSTITUTION.md").out


# --- as JSON ------------------------------------------------------------------------------


def test_the_fields_of_the_object(ctx: Call) -> None:
    found = ctx.json(DOCUMENT)
    assert set(found) == FIELDS
    assert (found["file"], found["tokenizer"]) == ("CONSTITUTION.md", "heuristic")
    assert (found["budget"], found["hard_limit"]) == (8000, 3200)
    assert found["warnings"] == []
    assert found["conflicts"] == [
        {"line": 9, "obliges": "You must test it.", "forbids": "Never test it."}
    ]
    data = DOCUMENT.encode()
    count = counter("heuristic").count
    totals = dict.fromkeys(("hard", "soft", "variant"), 0)
    for node, leaf in zip(found["nodes"], document("CONSTITUTION.md", data).leaves, strict=True):
        assert set(node) == NODE
        assert data[node["offset"] : node["end"]].decode() == node["text"] == leaf.text
        assert DOCUMENT.split("\n")[node["line"] - 1 : node["end_line"]] == node["text"].split("\n")
        assert node["tokens"] == count(node["text"])
        assert node["modality"] in {None, "obligatory", "forbidden", "permitted"}
        assert node["heading"] == ("" if node["line"] < 5 else "Rules")
        totals[node["tier"]] += node["tokens"]
    assert found["tokens"] == totals


def test_another_tokenizer_counts(ctx: Call) -> None:
    pytest.importorskip("rs_bpe")
    found = ctx.json(DOCUMENT, "--tokenizer", "o200k")
    assert found["tokenizer"] == "o200k"
    count = counter("o200k").count
    assert [node["tokens"] for node in found["nodes"]] == [
        count(node["text"]) for node in found["nodes"]
    ]
    assert ctx("CONSTITUTION.md", "--tokenizer", "nonsense").code == 2


def test_what_a_document_says_wrong_is_said_twice(ctx: Call) -> None:
    ran = ctx(ctx.write("<!-- ctx:hrad -->\n- a\n"), "--json")
    assert ran.err == "ctx: CONSTITUTION.md:1: ctx:hrad names no tier; did you mean hard?\n"
    assert ran.object["warnings"] == [
        "CONSTITUTION.md:1: ctx:hrad names no tier; did you mean hard?"
    ]


# --- odd files ----------------------------------------------------------------------------


@posix
def test_what_cannot_be_read_is_one_line(ctx: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    ctx.write("", "folder/CONSTITUTION.md")
    os.mkfifo(ctx.folder / "pipe.md")
    ctx.write("max_file_mb = 1\n", ".context/config.toml")
    large, nul = ctx.write(b"- a\n" * 300_000, "large.md"), ctx.write(b"- a\0b\n", "nul.md")
    setting = "(max_file_mb in ~/.config/ctx/config.toml raises it)"
    for name, says in (
        ("no.md", "there is no such file (name a Markdown file; - reads standard input)"),
        ("no/CONSTITUTION.md", "there is no such file ("),
        ("folder", "is a directory (name a Markdown file in it)"),
        ("pipe.md", "is not a regular file ("),
        ("/dev/null", "is not a regular file ("),
        (large, f"over 1,048,576 bytes {setting}"),
        (nul, "is no text"),
    ):
        ran = ctx(name)
        assert (ran.code, ran.out, ran.err.count("\n")) == (6, "", 1)
        assert ran.err.startswith(f"ctx: {name}: {says}")
    assert ctx("").code == 6
    ran = ctx()
    assert (ran.code, "ctx tiers --help" in ran.err) == (2, True)

    def refuse(*_arguments: object, **_named: object) -> None:
        raise PermissionError(13, "Permission denied")

    (ctx.folder / ".context" / "config.toml").unlink()
    monkeypatch.setattr("builtins.open", refuse)
    ran = ctx(nul)
    monkeypatch.undo()
    assert (ran.code, ran.err) == (6, "ctx: nul.md: cannot be read: Permission denied\n")


@posix
def test_a_link_is_followed_and_a_dangling_one_is_not_there(ctx: Call) -> None:
    ctx.write("- a\n")
    (ctx.folder / "link.md").symlink_to("CONSTITUTION.md")
    (ctx.folder / "lost.md").symlink_to("gone.md")
    assert ctx("link.md").code == 0
    assert ctx("lost.md").err.startswith("ctx: lost.md: there is no such file (")


@posix
def test_a_name_that_is_no_text(ctx: Call) -> None:
    name = ctx.write("- a\n", os.fsdecode(b"\xff.md"))
    for options in ([], ["--json"]):
        assert ctx(name, *options)[::2] == (0, "")


def test_bytes_that_are_no_text(ctx: Call) -> None:
    data = bytes(range(1, 256)) * 40
    ran = ctx(ctx.write(data))
    assert ran.code == 0
    assert "not valid UTF-8" in ran.err
    assert all(line.isprintable() for line in ran.out.split("\n"))
    found = ctx("CONSTITUTION.md", "--json").object
    assert all(0 <= node["offset"] < node["end"] <= len(data) for node in found["nodes"])


def test_standard_input(ctx: Call) -> None:
    (node,) = ctx("-", "--json", stdin=b"- Never push\n").object["nodes"]
    assert (node["tier"], node["text"]) == ("hard", "- Never push")


def test_utf16(ctx: Call) -> None:
    data = "# Größe\r\n\r\n- 日本 🎉\r\n".encode("utf-16")
    ran = ctx(ctx.write(data), "--json")
    assert "CONSTITUTION.md:1: is UTF-16" in ran.err
    nodes = ran.object["nodes"]
    assert [node["text"] for node in nodes] == ["# Größe", "- 日本 🎉"]
    assert data[nodes[1]["offset"] : nodes[1]["end"]].decode("utf-16-le") == "- 日本 🎉"


# --- output that nobody takes, and terminals ----------------------------------------------


@posix
def test_a_reader_that_goes_away(ctx: Call) -> None:
    name = ctx.write("- a rule of some words\n" * 6_000)
    with subprocess.Popen(
        [sys.executable, "-m", "ctx", "tiers", name], cwd=ctx.folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(HOME=str(ctx.folder)),
    ) as running:  # fmt: skip
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert (running.stderr.read(), running.wait()) == (b"", 0)


def terminal(ctx: Call, document: str, **variables: str) -> str:
    home = str(ctx.folder)
    return in_terminal("tiers", ctx.write(document), cwd=ctx.folder, HOME=home, **variables)


@posix
def test_a_terminal_is_drawn_on_in_colour(ctx: Call) -> None:
    out = terminal(ctx, DOCUMENT)
    assert "\x1b[1;31m- push to `main`" in out  # hard
    assert "\x1b[33m> Silence is a bug." in out  # soft
    assert "\x1b[2mThe compiler is written in C." in out  # variant, which alone is dim
    assert "│" in out
    assert "   15 │ " in out  # the line in the document
    first, *_, last = [line for line in out.splitlines() if line.startswith("always")]
    assert first == last


@posix
def test_a_terminal_without_colour(ctx: Call) -> None:
    out = terminal(ctx, DOCUMENT, TERM="dumb")
    assert "\x1b[1;31m" not in out
    assert "\x1b[33m" not in out
    assert "- push to `main`" in out


@posix
def test_a_document_cannot_give_a_terminal_orders(ctx: Call) -> None:
    text = "- \x1b]0;title\x07 \x9b31m [red]markup[/red]\n\n\tcode \x08\n\n```\n\x1b[2J\n```\n"
    out = terminal(ctx, text, NO_COLOR="1")
    assert not {"\x07", "\x08", "\x9b"} & set(out)
    assert "\x1b]0" not in out
    assert "\x1b[2J" not in out
    assert "[red]markup[/red]" in out


@posix
def test_a_terminal_that_is_not_utf8(ctx: Call) -> None:
    assert "ctx: a bug" not in terminal(ctx, DOCUMENT, PYTHONIOENCODING="ascii")

"""Directories as they are found: bytes of every kind, and things that are not files."""

import os
from pathlib import Path

import pytest

from ctx import read
from ctx.model import Context, Document
from ctx.read import directory
from ctx.read.markdown.blocks import MAX_LINE
from tests.read.samples import (
    CORPORA,
    LIMITS,
    NO_CORPORA,
    ROOT,
    Memory,
    Nothing,
    read_all,
    said,
    write,
)

THEMED = ROOT.parent / "shared" / "corpora" / "activememory-themed" / ".context"


def titles(context: Context) -> list[str]:
    return [one.title for one in context.entries]


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\r\n\r\n", b" ", b"\0"])
def test_files_without_content(tmp_path: Path, data: bytes) -> None:
    names = ("CONSTITUTION", "TASKS", "CONVENTIONS", "DECISIONS", "LEARNINGS")
    context = read_all(write(tmp_path, {f"{name}.md": data for name in names}))
    assert [source.path for source in context.sources] == [f"{name}.md" for name in names]
    assert all(
        entry.kind in {"lore", "convention"} for entry in context.entries
    )  # a NUL is a character


def test_bytes_that_are_not_utf8_are_replaced_and_said(tmp_path: Path) -> None:
    data = "## Eins\n\nGut.\n\n## Zwei\n\nGr\xf6\xdfe.\n".encode("latin-1")
    context = read_all(write(tmp_path, {"LEARNINGS.md": data}))
    assert [one.body for one in context.entries] == ["Gut.", "Gr\ufffd\ufffde."]
    assert context.warnings == (
        "LEARNINGS.md:7: not valid UTF-8; bytes that cannot be read are shown as \ufffd",
    )


def test_a_directory_in_the_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "TASKS.md").mkdir()
    context = read_all(write(tmp_path, {"DECISIONS.md": "## One\n"}))
    assert titles(context) == ["One"]
    assert context.warnings == ("TASKS.md: is a directory, not a file; left out",)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_place_of_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "TASKS.md")
    assert read_all(tmp_path).warnings == ("TASKS.md: is not a regular file; left out",)


def test_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "TASKS.md").symlink_to(tmp_path / "gone.md")
    context = read_all(tmp_path)
    assert context.warnings == ("TASKS.md: cannot be read: No such file or directory",)


def test_a_link_that_leads_out_is_not_followed_unasked(tmp_path: Path) -> None:
    write(tmp_path, {"outside.md": "- [ ] A task\n", "root/CONSTITUTION.md": "- A rule\n"})
    root = tmp_path / "root"
    (root / "TASKS.md").symlink_to(tmp_path / "outside.md")
    (root / "CONVENTIONS.md").symlink_to(root / "CONSTITUTION.md")  # inside: followed
    context = read_all(root)
    assert titles(context) == ["A rule", "A rule"]
    assert "TASKS.md: is a link out of the context directory" in context.warnings[0]
    allowed = read.read(str(root), Nothing(), LIMITS._replace(allow_links=True))
    assert "A task" in titles(allowed)


def test_a_file_over_the_limit_is_named_and_left(tmp_path: Path) -> None:
    root = write(tmp_path, {"TASKS.md": "- [ ] A task\n", "DECISIONS.md": "## One\n"})
    context = read.read(root, Nothing(), read.Limits(10, allow_links=False))
    assert titles(context) == ["One"]
    assert "TASKS.md: 13 bytes are over the limit of 10" in context.warnings[0]


def test_one_endless_line_is_named_and_left(tmp_path: Path) -> None:
    text = f"- [ ] One\n- [ ] {'x' * MAX_LINE}\n- [ ] Three\n"
    context = read_all(write(tmp_path, {"TASKS.md": text}))
    assert titles(context) == [f"One (a line of {MAX_LINE + 6:,} characters is left out)", "Three"]
    length = MAX_LINE + len("- [ ] ")
    assert context.warnings == (f"TASKS.md:2: a line of {length:,} characters is left out",)


def test_files_are_read_in_one_order(tmp_path: Path) -> None:
    names = ["zebra.md", "GLOSSARY.md", "TASKS.md", "Ähre.md", "CONSTITUTION.md", "apple.md"]
    context = read_all(write(tmp_path, dict.fromkeys([*names, ".hidden.md", "x.txt"], "# a\n")))
    assert context.read_order == (
        *("CONSTITUTION.md", "TASKS.md", "GLOSSARY.md"),
        *("apple.md", "zebra.md", "Ähre.md"),
    )


def test_places_name_files_and_folders(tmp_path: Path) -> None:
    files = {"DECISIONS.md": "## One\n", "decisions/a.md": "## Two\n", "decisions/b.md": "## X\n"}
    context = read_all(write(tmp_path, {**files, "TASKS.md": "- [ ] A task\n"}))
    assert read.places(context) == {"tasks": "TASKS.md", "decisions": "DECISIONS.md, decisions/"}


@pytest.mark.parametrize(
    ("paths", "folded"),
    [
        (["a/b/c.md", "a/d/e.md", "f.md", "g/"], ["a/b/c.md", "a/d/e.md", "f.md", "g/"]),
        (
            ["a/b/c.md", "a/b/d.md", "a/e/f.md", "g/h.md", "i.md"],
            ["a/b/", "a/e/", "g/h.md", "i.md"],
        ),
        (["../a.md", "../b.md", "../c.md", "../d.md", "e.md"], ["../", "e.md"]),
        ([*"abcde"], [*"abcde"]),
    ],
)
def test_of_many_files_a_section_names_the_folders(paths: list[str], folded: list[str]) -> None:
    assert directory.few(paths) == folded


def test_everything_looked_at_is_named(tmp_path: Path) -> None:
    root = write(tmp_path, {"TASKS.md": "- [ ] A task\n", "decisions/a.md": "## One\n"})
    seen = read_all(root).seen
    folders = {"", "steering", "conventions", "decisions", "learnings", "specs"}
    assert set(seen) == {*folders, "TASKS.md", "decisions/a.md"}
    assert seen["learnings"] == ()
    assert seen["TASKS.md"] != ()


def test_a_settled_file_is_not_opened(tmp_path: Path) -> None:
    root = write(tmp_path, {"TASKS.md": "- [ ] A task\n"})
    shelf = Memory(trusting=True)
    first = read_all(root, shelf)
    signature, kept, text = shelf.kept["TASKS.md"]
    shelf.kept["TASKS.md"] = (signature, kept, text.replace(b"task", b"TASK"))
    again = read_all(root, shelf)
    assert again.entries[0].body == "- [ ] A TASK"
    assert first.entries[0].body == "- [ ] A task"


def test_a_touched_file_is_read_and_not_parsed(tmp_path: Path) -> None:
    root = write(tmp_path, {"TASKS.md": "- [ ] A task\n"})
    shelf = Memory()
    first = read_all(root, shelf)
    again = read_all(root, shelf)
    assert shelf.touched == ["TASKS.md"]
    assert list(map(said, first.entries)) == list(map(said, again.entries))


def counts(context: Context) -> dict[str, int]:
    kinds = [one.kind for one in context.entries]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("webshop", {"convention": 11, "decision": 10, "learning": 9, "rule": 9, "task": 16}),
        ("themed", {"convention": 3, "decision": 4, "learning": 2, "rule": 2, "task": 3}),
        ("odd", {"convention": 4, "decision": 8, "learning": 2, "lore": 1, "rule": 5, "task": 15}),
    ],
)
def test_every_entry_of_a_fixture_is_found(name: str, expected: dict[str, int]) -> None:
    assert counts(read_all(ROOT / "fixtures" / name / ".context")) == expected


@pytest.mark.skipif(not THEMED.exists(), reason=NO_CORPORA)
def test_every_entry_of_a_themed_corpus_is_found() -> None:
    found = {(one.source, one.line) for one in read_all(THEMED).entries}
    written = [
        (path.relative_to(THEMED).as_posix(), number)
        for folder in ("decisions", "learnings")
        for path in [*THEMED.glob(f"{folder}/*.md"), THEMED / f"{folder.upper()}.md"]
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if line.startswith("## [2")
    ]
    assert len(written) > 100
    assert [place for place in written if place not in found] == []


@pytest.mark.skipif(not CORPORA, reason=NO_CORPORA)
@pytest.mark.parametrize("root", CORPORA, ids=lambda path: path.parent.name)
def test_corpora_are_read_alike_from_memory(root: Path) -> None:
    shelf = Memory(trusting=True)
    fresh = read_all(root, shelf)
    again = read_all(root, shelf)
    assert list(map(said, fresh.entries)) == list(map(said, again.entries))
    assert len({one.id for one in fresh.entries}) == len(fresh.entries)


def test_files_to_read_hold_something_that_no_entry_does(tmp_path: Path) -> None:
    files = {
        "TASKS.md": "- [ ] One\n",
        "ARCHITECTURE.md": "# Architecture\n\nTwo services.\n",
        "GLOSSARY.md": "# Glossary\n\n<!-- Terms go here -->\n",
        "runbook.md": "# Runbook\n\n## Restart\n\nSo.\n\n## Restore\n\nSo.\n",
        "large.md": "word " * 20_000,
    }
    root = str(write(tmp_path, files))
    assert read.read(root, Nothing(), LIMITS, read.Wanted(documents=True)).documents == (
        Document("ARCHITECTURE.md", "how the system is built", 100),
        Document("runbook.md", "Restart, Restore", 100),
    )

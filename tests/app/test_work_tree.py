"""The names in a work tree."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

import pytest

from ctx.app import work_tree
from ctx.app.check import Places
from ctx.app.work_tree import WorkTree, is_worked_on
from ctx.text.ignored import MOST_PATTERNS
from tests.checks.faults import CLEAN, write
from tests.keeping import GIT_FILES

if TYPE_CHECKING:
    from pathlib import Path


def around(project: Path) -> WorkTree:
    found = WorkTree.around(str(project / ".context"), str(project))
    assert not found.why
    return found


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/shop/money.py", True),
        ("shop/money.py", True),
        ("SRC/Shop/Money.py", True),
        ("./src/shop/", True),
        ("src/shop/money", True),
        ("hop/money.py", False),
        ("src/money.py", False),
        ("money.pyc", False),
        ("src/shop/mon", False),
    ],
)
def test_what_a_tree_holds(path: str, expected: bool, tmp_path: Path) -> None:
    write(tmp_path, CLEAN)
    assert around(tmp_path).holds(path) is expected


def test_the_first_folder_tells_whether_a_path_speaks_of_the_tree(tmp_path: Path) -> None:
    write(tmp_path, CLEAN)
    found = around(tmp_path)
    assert found.has_root("src/x.py")
    assert found.has_root("./docs/x")
    assert not found.has_root("shop/x.py")
    assert not found.has_root("src")
    assert not found.has_root("package.json/x")


def test_what_was_moved_is_found_where_it_has_one_place(tmp_path: Path) -> None:
    write(tmp_path, {**CLEAN, "a/one.py": "", "a/two.py": "", "b/two.py": ""})
    found = around(tmp_path)
    assert found.elsewhere("lib/one.py") == "a/one.py"
    assert found.elsewhere("lib/two.py") == ""
    assert found.elsewhere("lib/none.py") == ""


def test_what_is_made_or_ignored_may_be_missing(tmp_path: Path) -> None:
    write(tmp_path, {**CLEAN, ".gitignore": "*.log\n/local/\n"})
    found = around(tmp_path)
    for path in ("src/x.log", "local/x", "./local", "node_modules/x/y.js", "src/dist/x.js"):
        assert found.ignores(path)
    assert not found.ignores("src/x.py")
    assert not found.ignores("src/local/x.py")


def test_files_are_read_wherever_they_lie(tmp_path: Path) -> None:
    write(tmp_path, {**CLEAN, "web/package.json": "{}", "node_modules/a/package.json": "no"})
    assert set(around(tmp_path).files("package.json")) == {CLEAN["package.json"], "{}"}
    (tmp_path / "web/package.json").write_text(" " * (work_tree.MOST_BYTES + 1))
    found = around(tmp_path)
    assert set(found.files("package.json")) == {CLEAN["package.json"], None}
    assert found.left == {"web/package.json": "1,048,577 bytes are over the limit of 1,048,576"}


def test_a_tree_that_is_too_large_answers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, CLEAN)
    monkeypatch.setattr(work_tree, "MOST", 5)
    found = WorkTree.around(str(tmp_path / ".context"), str(tmp_path))
    assert found.why == "too many files around it, over 5"


def test_a_slow_file_system_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {**CLEAN, "web/package.json": "{}"})
    ticks = count()
    found = WorkTree(str(tmp_path), str(tmp_path), lambda: next(ticks))
    assert found.why == "the names of the files around it were not read in 5 s"
    monkeypatch.setattr(work_tree, "SECONDS", 100)
    found = WorkTree(str(tmp_path), str(tmp_path), lambda: next(ticks))
    assert not found.why
    monkeypatch.setattr(work_tree, "SECONDS", 0)
    assert None in list(found.files("package.json", "Makefile"))
    assert set(found.left.values()) == {"files of its kind were not read in 0 s"}


def test_files_of_a_kind_are_read_up_to_a_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_tree, "MOST_TOGETHER", 100)
    write(tmp_path, {**CLEAN, **{f"p{n}/package.json": " " * 40 for n in range(4)}})
    found = around(tmp_path)
    texts = list(found.files("package.json"))
    assert sum(text is None for text in texts) == len(found.left) > 0
    assert set(found.left.values()) == {"files of its kind are over 100 bytes together"}


def test_patterns_whose_work_explodes_ignore_nothing(tmp_path: Path) -> None:
    bomb = "*a" * 30 + "b"
    write(tmp_path, {**CLEAN, ".gitignore": f"*.log\n{bomb}\n" + "x\n" * MOST_PATTERNS})
    found = around(tmp_path)
    assert found.ignores("x.log")
    assert not found.ignores("a" * 300)
    assert found.left == {".gitignore": "3 of its patterns are too many, too long or broken"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, False),
        ({"README.md": "", "LICENSE": "", **GIT_FILES, ".github/x.yml": ""}, False),
        ({"go.mod": ""}, True),
        ({"src/x.c": ""}, True),
    ],
)
def test_a_work_tree_has_more_than_documents(
    files: dict[str, str],
    expected: bool,
    tmp_path: Path,
) -> None:
    write(tmp_path, {".context/TASKS.md": "", **files})
    assert is_worked_on(str(tmp_path / ".context")) is expected


def test_a_broken_gitignore_ignores_nothing(tmp_path: Path) -> None:
    write(tmp_path, {**CLEAN, ".gitignore": "!\n[\n\\\n"})
    assert not around(tmp_path).ignores("src/x.py")


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_places_are_told_as_far_as_the_project_goes(tmp_path: Path) -> None:
    project = tmp_path / "project"
    root = write(project, CLEAN)
    (tmp_path / "outside.md").write_text("")
    (project / "out").symlink_to(tmp_path)
    places, alone = Places(str(root), str(project)), Places(str(root), "")
    assert places("GLOSSARY.md") is True
    assert places("gone.md") is False
    assert places("../docs/guide.md") is True
    assert places("../docs/gone.md") is False
    assert places("../../outside.md") is None
    assert places("../out/outside.md") is None
    assert places("a\0b") is False
    assert alone("GLOSSARY.md") is True
    assert alone("gone.md") is False
    assert alone("../docs/guide.md") is None
    assert alone(".") is True

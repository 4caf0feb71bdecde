"""The names in a work tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ctx.checking import tree
from ctx.checking.documents import Places
from ctx.checking.tree import WorkTree
from tests.check.faults import CLEAN, write

if TYPE_CHECKING:
    from pathlib import Path


def around(project: Path) -> WorkTree:
    found = WorkTree.around(str(project / ".context"), str(project))
    assert found is not None
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
    assert sorted(around(tmp_path).files("package.json")) == [CLEAN["package.json"], "{}"]
    (tmp_path / "web/package.json").write_text(" " * (tree.MOST_BYTES + 1))
    assert list(around(tmp_path).files("package.json")) == [CLEAN["package.json"]]


def test_a_tree_that_is_too_large_answers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, CLEAN)
    monkeypatch.setattr(tree, "MOST", 5)
    assert WorkTree.around(str(tmp_path / ".context"), str(tmp_path)) is None


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, False),
        ({"README.md": "", "LICENSE": "", ".git/HEAD": "", ".github/x.yml": ""}, False),
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
    found = WorkTree.around(str(tmp_path / ".context"), str(tmp_path))
    assert (found is not None) is expected


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

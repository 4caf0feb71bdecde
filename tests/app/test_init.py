"""``ctx init``: makes what is missing, changes nothing that is there."""

from __future__ import annotations

import errno
import os
import re
import sys
import threading
import tomllib
from pathlib import Path

import pytest

from ctx.app import init
from ctx.config import SETTINGS, Settings, resolve
from ctx.errors import UNREADABLE, FileError

MINIMAL = ["CONSTITUTION.md", "TASKS.md", "CONVENTIONS.md", "DECISIONS.md", "LEARNINGS.md"]
FULL = [*MINIMAL, "ARCHITECTURE.md", "GLOSSARY.md", "config.toml"]


def _init(root: Path, *, minimal: bool = False) -> list[str]:
    return [*init.run(str(root), minimal=minimal)]


def _refusal(root: Path) -> str:
    with pytest.raises(FileError) as caught:
        next(init.run(str(root)))
    assert caught.value.exit_code == UNREADABLE
    assert "\n" not in str(caught.value)
    return str(caught.value)


def _tree(root: Path) -> dict[str, bytes]:
    return {
        one.relative_to(root).as_posix(): one.read_bytes()
        for one in root.rglob("*")
        if one.is_file()
    }


# --- what it makes ------------------------------------------------------------------------


@pytest.mark.parametrize(("minimal", "names"), [(True, MINIMAL), (False, FULL)])
def test_a_new_directory(tmp_path: Path, *, minimal: bool, names: list[str]) -> None:
    said = _init(tmp_path, minimal=minimal)
    made = [f"created .context/{name}" for name in names]
    assert said == made
    before = _tree(tmp_path)
    assert set(before) == {f".context/{name}" for name in names}
    again = _init(tmp_path, minimal=minimal)
    assert again == [*(f"kept .context/{name}" for name in names)]
    assert _tree(tmp_path) == before


def test_what_is_there_is_kept_and_the_rest_made(tmp_path: Path) -> None:
    home = tmp_path / ".context"
    (home / "decisions").mkdir(parents=True)
    mine = {"TASKS.md": b"\xff\r\n- [ ] mine", "LEARNINGS.md": b"", "decisions/x.md": b"## X"}
    for name, data in mine.items():
        (home / name).write_bytes(data)
    said = _init(tmp_path, minimal=True)
    assert said[:5] == [
        "created .context/CONSTITUTION.md",
        "kept .context/TASKS.md",
        "created .context/CONVENTIONS.md",
        "created .context/DECISIONS.md",
        "kept .context/LEARNINGS.md",
    ]
    assert {name: (home / name).read_bytes() for name in mine} == mine


def test_a_name_in_another_case_is_the_same_file(tmp_path: Path) -> None:
    home = tmp_path / ".context"
    home.mkdir()
    (home / "Tasks.md").write_bytes(b"- [ ] mine")
    assert "kept .context/Tasks.md" in _init(tmp_path, minimal=True)
    assert sorted(os.listdir(home)) == sorted({*MINIMAL, "Tasks.md"} - {"TASKS.md"})


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_linked_directory_and_a_dangling_file_are_kept(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / ".context").symlink_to("notes")
    (tmp_path / "notes" / "TASKS.md").symlink_to("nowhere")
    assert "kept .context/TASKS.md" in _init(tmp_path)
    assert (tmp_path / "notes" / "DECISIONS.md").is_file()
    assert not (tmp_path / "notes" / "nowhere").exists()


def test_two_at_once_make_one_directory(tmp_path: Path) -> None:
    threads = [threading.Thread(target=_init, args=(tmp_path,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(_tree(tmp_path)) == {f".context/{name}" for name in FULL}


# --- templates ----------------------------------------------------------------------------


def test_nothing_in_a_template_is_an_entry() -> None:
    for name in FULL[:-1]:
        text = init.files(minimal=False)[name]
        assert text.isascii()
        assert text.count("<!--") == text.count("-->") == 1
        assert re.fullmatch(r"# [A-Z][a-z]+\n\n<!--\n.*\n-->\n", text, re.DOTALL)


def test_the_comment_teaches_the_format() -> None:
    labels = ["#in-progress", "#blocked", "#priority:high", "#added:"]
    for name, taught in {
        "CONSTITUTION.md": ["- Never "],
        "TASKS.md": ["- [ ] ", "- [x] ", "- [-] ", *labels],
        "CONVENTIONS.md": ["## ", "- "],
        "DECISIONS.md": ["**Decision**: ", "**Supersedes**: ", "**Status**: Superseded"],
        "LEARNINGS.md": ["**Lesson**: ", "**Application**: ", "~~Superseded: "],
    }.items():
        text = init.files(minimal=True)[name]
        assert [words for words in taught if words not in text] == []
        if name in ("DECISIONS.md", "LEARNINGS.md"):
            assert re.search(r"^## \[\d{4}-\d\d-\d\d-\d{6}\] \w", text, re.MULTILINE)


def test_the_sample_settings_hold_every_default() -> None:
    text = init.config()
    assert resolve([("config.toml", text)], {}, {}).settings == Settings()
    lines = re.findall(r"^# (\w+ = .*)$", text, re.MULTILINE)
    on = tomllib.loads("\n".join(lines))
    assert on == {one.name: one.default for one in SETTINGS if one.in_files and one.project.values}
    resolved = resolve([("config.toml", "\n".join(lines))], {}, {})
    assert resolved.settings == Settings()


# --- what it refuses, with nothing half-made ------------------------------------------------


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / ".context").write_bytes(b"mine")
    assert _refusal(tmp_path) == (
        f"{tmp_path / '.context'}: is not a directory (move it away, then run ctx init again)"
    )
    assert _tree(tmp_path) == {".context": b"mine"}


def test_a_complete_directory_needs_no_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _init(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert all(line.startswith("kept ") for line in _init(tmp_path)[:-1])


def test_a_directory_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mkdir(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "mkdir", mkdir)
    home = tmp_path / ".context"
    assert _refusal(tmp_path) == f"{home}: cannot be created: No space left on device"


@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_no_empty_directory_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    def fsync(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if there:
        (tmp_path / ".context").mkdir()
    monkeypatch.setattr(os, "fsync", fsync)
    path = tmp_path / ".context" / "CONSTITUTION.md"
    assert _refusal(tmp_path) == f"{path}: cannot be created: No space left on device"
    assert os.listdir(tmp_path) == ([".context"] if there else [])


def test_a_directory_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".context").mkdir()

    def closed(_path: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "listdir", closed)
    refusal = _refusal(tmp_path)
    monkeypatch.undo()
    assert refusal == f"{tmp_path / '.context'}: cannot be read: Permission denied"

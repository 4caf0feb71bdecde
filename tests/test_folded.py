"""Names of files that differ in case or in Unicode form alone, as macOS and Windows take them."""

from __future__ import annotations

import os
import re
import shutil
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from ctx.app.importing import _target
from ctx.app.sync import _PULLED
from ctx.hosts.sources import REGISTRY
from ctx.model import Source, session_file
from ctx.share import folder_of
from ctx.store.places import prepare
from tests.folded import fold, folding
from tests.keeping import make_repository, opened_store
from tests.rank.hands import call

fcntl = pytest.importorskip("fcntl", reason="the system itself takes names in any case")

DECOMPOSED, COMPOSED = "Gro\u0308\u00dfe", "Gr\u00f6\u00dfe"
FILES = {
    ".context/tasks.md": "# Tasks\n\n- [ ] Write it, see docs/setup.md and DOCS/SETUP.md\n",
    ".context/Decisions.md": "# D\n\n## [2026-01-02] Use it\n\nSee [it](../docs/SETUP.md).\n",
    f".context/learnings/{DECOMPOSED}.md": "# L\n\n## [2026-01-02] Size\n\nIt is large.\n",
    "agents.md": "# Rules\n\n- Never push.\n\n@docs/setup.md\n@Docs/Setup.md\n@DOCS/SETUP.md\n"
    f"@docs/{COMPOSED}.md\n",
    "Docs/Setup.md": "# Setup\n\n- Always run it.\n",
    f"Docs/{DECOMPOSED}.md": "- Never guess.\n",
    "Claude.md": "@AGENTS.md\n\n- Never pull.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        file = tmp_path / "Project" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    make_repository(tmp_path / "Project")
    return tmp_path / "Project"


def answer(project: Path, *arguments: str) -> str:
    with folding(project.parent), chdir(project):
        done = call(*arguments, home=str(project.parent))
    assert done.code == 0, done.err
    return done.text


def test_every_file_is_read_once_whatever_names_lead_to_it(project: Path) -> None:
    packet = answer(project, "agent", "--as-of", "2026-01-31", "--budget", "5000")
    for text in ("Never push.", "Always run it.", "Never guess.", "Never pull.", "It is large."):
        assert packet.count(text) == 1, text
    for name in ("(tasks.md:3)", "(Decisions.md:3)", f"(learnings/{DECOMPOSED}.md:3)"):
        assert name in packet
    checked = call("check", "--dir", str(project), home=str(project.parent))
    assert "dead-link" in checked.text  # where names are told apart
    assert answer(project, "check") == ""


def test_a_file_is_changed_by_the_name_that_it_has(project: Path) -> None:
    assert "tasks.md:3" in answer(project, "add", "task", "Mend it")
    assert answer(project, "task", "done", "Write it").startswith("tasks.md:4 is done")
    assert "wrote" in answer(project, "export", "agents")
    names = [path.name for path in project.iterdir() if fold(path.name) == "agents.md"]
    assert len(names) == 1
    text = (project / names[0]).read_text("utf-8")
    assert text.startswith(FILES["agents.md"])
    assert "ctx export" in text
    assert [*map(fold, os.listdir(project / ".context"))].count("tasks.md") == 1


def test_an_entry_is_named_in_either_form_of_its_file(project: Path) -> None:
    for name in (DECOMPOSED, COMPOSED, COMPOSED.upper()):
        for place in ("#2026-01-02", ":3"):
            assert "It is large." in answer(project, "show", f"learnings/{name}.md{place}")


def test_a_repository_is_one_whatever_the_case_of_its_path(project: Path, tmp_path: Path) -> None:
    with folding(tmp_path):
        first = opened_store(project / ".context")
        other = opened_store(tmp_path / "PROJECT" / ".context")
        again = opened_store(project / ".context")
    assert (other.state, other.cache) == (first.state, first.cache) == (again.state, again.cache)


def test_a_directory_without_git_is_one_on_macos(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system tells how a path is spelled on the disk."""

    def spelled(file: int, command: int, room: bytes) -> bytes:
        assert (command, len(room)) == (50, 1024)
        return os.fsencode(os.readlink(f"/proc/self/fd/{file}")).ljust(1024, b"\0")

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("nothing else tells the path of a file that is open")
    shutil.rmtree(project / ".git")
    monkeypatch.setattr(fcntl, "F_GETPATH", 50, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", spelled)
    home = str(tmp_path)
    with folding(tmp_path):
        first = prepare(str(project / ".context"), os.environ, home)
        apart = prepare(str(tmp_path / "PROJECT" / ".context"), os.environ, home)
        assert apart.state != first.state
        monkeypatch.setattr(sys, "platform", "darwin")
        other = prepare(str(tmp_path / "PROJECT" / ".CONTEXT"), os.environ, home)
        assert (other.state, other.real) == (first.state, first.real)
        missing = prepare(str(tmp_path / "PROJECT" / ".none"), os.environ, home)
        assert missing.real == str(project / ".none")


# --- names that ctx makes -----------------------------------------------------------------

ODD = (
    "CON", "con.x", "aux", "NUL", "COM1", "lpt9.md", "a.", "a ", " a", "a:b", "a?b", "a/b", "a\\b",
    "A", "a", "\u00e4", "a\u0308", "", ".", "..", "a" * 300, "\udcff", "a\0b", "<a>", "a|b", "*",
    "entries", "_entries", "shared",
)  # fmt: skip
RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def is_valid(name: str) -> bool:
    """Whether Windows takes a name."""
    return (
        0 < len(name) < 128
        and name == name.rstrip(" .").lstrip()
        and re.search(r'[<>:"/\\|?*\x00-\x1f]', name) is None
        and RESERVED.fullmatch(name) is None
    )


@pytest.mark.parametrize("make", [session_file, folder_of])
def test_every_name_that_is_made_from_data_is_valid_on_windows_and_unique(make: object) -> None:
    assert callable(make)
    names = [make(odd) for odd in ODD]
    assert [name for name in names if not is_valid(name)] == []
    assert len({*map(fold, names)}) == len(ODD)
    assert f"{_PULLED}.jsonl" not in names
    assert is_valid(f"{_PULLED}.jsonl")


def test_names_of_copies_are_valid_where_those_of_their_sources_are() -> None:
    for origin in REGISTRY:
        for place in origin.places:
            path = place.replace("**", "a").replace("*", "Nul-b")
            parts = _target(Source(f"../{path}", 0, (), (), origin.name), path).split("/")
            assert [part for part in parts if not is_valid(part)] == [], path


def test_what_is_valid_on_windows_is_told() -> None:
    for name in ("nul", "NUL.md", "a.", "a ", "a:b", "", "com1.jsonl", "a?"):
        assert not is_valid(name)
    for name in ("null.md", "console", "a b", "com10", ".context"):
        assert is_valid(name)

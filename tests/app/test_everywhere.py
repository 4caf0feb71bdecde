"""The user's directory of what holds in every project."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ctx.app.find import everywhere
from ctx.world import World
from tests.checks.faults import CLEAN, PLANTED, write
from tests.rank.hands import Done, call

SHOWN = "~/.config/ctx/context"
SECRET = PLANTED[1][1]
FILES = {
    "CONSTITUTION.md": "# Mine\n\n- Always use uv, never pip.\n",
    "LEARNINGS.md": (
        "## [2026-01-30] Locks differ by platform\n\n**Lesson**: Lock them for all platforms.\n"
        f"**Supersedes**: Carts live in the database\n\nThe token is {SECRET}\n"
    ),
    "TASKS.md": "- [ ] Renew the certificate\n",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    context = folder / ".config" / "ctx" / "context"
    context.mkdir(parents=True)
    for name, text in FILES.items():
        (context / name).write_text(text)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "project", CLEAN)


def ctx(root: Path, home: Path, *arguments: str, **environ: str) -> Done:
    options = ("--as-of", "2026-02-01") if arguments[0] in ("agent", "search") else ()
    return call(
        arguments[0], "--dir", str(root), *arguments[1:], *options, home=str(home), environ=environ
    )


def test_its_entries_come_after_those_of_the_project(root: Path, home: Path) -> None:
    packet = json.loads(ctx(root, home, "agent", "--format", "json").text)
    alone = json.loads(ctx(root, home, "agent", "--format", "json", CTX_GLOBAL_DIR="none").text)
    for name, text in (("constitution", "uv, never pip"), ("tasks", "Renew the certificate")):
        assert packet[name][:-1] == alone[name]
        assert text in packet[name][-1]
    assert any("Locks differ" in text for text in packet["learnings"])
    assert len(packet["decisions"]) == len(alone["decisions"])  # it supersedes none of them


def test_it_is_shown_by_its_own_path(root: Path, home: Path) -> None:
    found = ctx(root, home, "search", "locks platform").text
    assert f"learning {SHOWN}/LEARNINGS.md#2026-01-30 ({SHOWN}/LEARNINGS.md:1)" in found
    status = json.loads(ctx(root, home, "status", "--json").text)
    assert status["global"] == SHOWN
    assert status["precedence"][-1] == f"{SHOWN}/CONSTITUTION.md"
    assert f"global      {SHOWN}, read in every project\n" in ctx(root, home, "status").text
    body = ctx(root, home, "show", "locks differ").text
    assert "Lock them for all platforms." in body


def test_it_is_searched_once_with_several_directories(
    root: Path, home: Path, tmp_path: Path
) -> None:
    other = write(tmp_path / "another", CLEAN)
    found = ctx(root, home, "search", "locks platform", "--dir", str(other)).text
    assert found.count(f"{SHOWN}/LEARNINGS.md#2026-01-30") == 1


def test_its_secrets_are_redacted(root: Path, home: Path) -> None:
    done = ctx(root, home, "agent")
    assert SECRET not in done.text
    assert "Locks differ" in done.text
    assert f"{SHOWN}/LEARNINGS.md:6: a secret" in done.err


def test_its_scope_is_global(root: Path, home: Path) -> None:
    done = ctx(root, home, "search", "locks platform", "--ranker", "hybrid", "--json")
    (first, *_) = json.loads(done.text)["results"]
    assert first["parts"]["scope"] == 0.3


def test_nothing_of_it_is_changed_or_checked(root: Path, home: Path) -> None:
    before = {path: path.read_bytes() for path in home.rglob("*.md")}
    assert ctx(root, home, "task", "done", "certificate").code == 2
    add = ("add", "learning", "Locks again", "--lesson", "They do.", "--context", "c")
    more = ("--application", "a", "--supersedes", "Locks differ by platform")
    assert ctx(root, home, *add, *more).code == 2
    assert ctx(root, home, "check").code == 0
    assert {path: path.read_bytes() for path in home.rglob("*.md")} == before


def test_a_change_of_it_is_seen(root: Path, home: Path) -> None:
    rules = home / ".config" / "ctx" / "context" / "CONSTITUTION.md"
    assert "uv, never pip" in ctx(root, home, "agent").text
    rules.write_text("- Always use pixi.\n")
    assert "Always use pixi" in ctx(root, home, "agent").text
    for path in rules.parent.iterdir():
        path.unlink()
    rules.parent.rmdir()
    assert "pixi" not in ctx(root, home, "agent").text
    rules.parent.mkdir()
    rules.write_text("- Always use conda.\n")
    assert "Always use conda" in ctx(root, home, "agent").text


def test_its_first_entry_is_added_to_an_empty_folder(root: Path, home: Path) -> None:
    place = home / ".config" / "ctx" / "context"
    for path in place.iterdir():
        path.unlink()
    assert ctx(root, home, "add", "--dir", str(place), "rule", "Always use pixi.").code == 0
    assert "Always use pixi." in ctx(root, home, "agent").text


def test_a_variable_names_another_one(root: Path, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "CONVENTIONS.md").write_text("- Tabs are four columns wide.\n")
    done = ctx(root, home, "agent", CTX_GLOBAL_DIR=str(other))
    assert "Tabs are four columns wide." in done.text
    assert "uv, never pip" not in done.text


def test_where_it_is_and_how_it_is_shown(tmp_path: Path) -> None:
    world = World()
    world.environ, world.home = {}, "/home/mina"
    usual = "/home/mina/.config/ctx/context"
    assert everywhere("/project/.context", world) == (usual, SHOWN)
    assert everywhere(usual, world) == ("", "")
    for named, expected in (
        ("none", ("", "")), ("relative", ("", "")),
        ("/home/mina/notes", ("/home/mina/notes", "~/notes")),
        ("/srv/notes/", ("/srv/notes", "/srv/notes")), (str(tmp_path), (str(tmp_path),) * 2),
    ):  # fmt: skip
        world.environ = {"CTX_GLOBAL_DIR": named}
        assert everywhere("/project/.context", world) == expected


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_directory_that_others_may_write_is_left_out(root: Path, home: Path) -> None:
    (home / ".config" / "ctx" / "context").chmod(0o777)
    done = ctx(root, home, "agent")
    assert "uv, never pip" not in done.text
    assert f"{SHOWN}/: others may write there" in done.err


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_file_that_others_may_write_is_left_out(root: Path, home: Path) -> None:
    (home / ".config" / "ctx" / "context" / "CONSTITUTION.md").chmod(0o666)
    done = ctx(root, home, "agent")
    assert "uv, never pip" not in done.text
    assert "Renew the certificate" in done.text
    assert f"{SHOWN}/CONSTITUTION.md: others may write to it; left out" in done.err


def test_a_directory_that_is_named_and_is_none_is_a_warning(root: Path, home: Path) -> None:
    file = root / "TASKS.md"
    for path, why in (
        (file, "is not a directory; left out"),
        (file.with_name("missing"), "cannot be read: No such file or directory"),
    ):
        done = ctx(root, home, "agent", CTX_GLOBAL_DIR=str(path))
        assert done.err.endswith(f"{path.name}/: {why}\n")
        assert done.code == 0

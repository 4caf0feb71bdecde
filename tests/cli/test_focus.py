"""``--focus``: files that are being worked on, named one by one or found by git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from ctx.app import focus
from ctx.streams import complain
from ctx.world import World
from tests.hostile import REPOSITORY, environment
from tests.imported import at_shop
from tests.keeping import make_repository
from tests.rank.hands import Done, call

AS_OF = "2026-02-01"
NAMES_IT = "LEARNINGS.md#time-zones-of-the-warehouse"
"""The one entry of the shop that names ``warehouse/inbox.py``."""
posix = pytest.mark.skipif(os.name != "posix", reason="programs and names of POSIX")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, as working directory; what is in focus need not be there."""
    place = tmp_path / "shop"
    ignored = shutil.ignore_patterns(".ctx")
    shutil.copytree(Path(REPOSITORY) / "fixtures" / "webshop", place, ignore=ignored)
    make_repository(place)
    (place / "warehouse").mkdir()
    monkeypatch.chdir(place)
    return at_shop(place)


@pytest.fixture
def tree(shop: Path) -> Path:
    """The same as a git work tree in which nothing is changed."""
    shutil.rmtree(shop / ".git")
    _git("init", "--quiet", ".")
    _commit("first")
    return shop


def _git(*arguments: str) -> str:
    settings = ("user.name=n", "user.email=e@example.org", "commit.gpgsign=false")
    start = ["git", *(part for one in settings for part in ("-c", one))]
    return subprocess.run(
        [*start, *arguments], check=True, capture_output=True, env=environment()
    ).stdout.decode()


def _commit(name: str) -> None:
    _git("add", "--all")
    _git("commit", "--quiet", "--allow-empty", "--message", name)


def _agent(*options: str, environ: Mapping[str, str] | None = None) -> Done:
    return call("agent", "--as-of", AS_OF, *options, environ=environ, later=60)


def _first(*options: str, planner: str = "acs", cwd: Path | None = None) -> str:
    """Return the id of what is chosen first."""
    told = ("--dir", str(cwd)) if cwd else ()
    done = call("plan", "--json", "--as-of", AS_OF, "--planner", planner, *told, *options)
    assert done.code == 0, done.err
    first: str = json.loads(done.out)["fragments"][0]["id"]
    return first


def _changed(root: Path, **variables: str) -> list[str]:
    """Return what git has in focus, told from the project."""
    world = World()
    world.environ = environment(**variables)
    found = focus.paths(["git"], str(root / ".context"), world, complain)
    return list(focus.relative_to(str(root), found))


# --- what it does to a packet -------------------------------------------------------------


@pytest.mark.parametrize("planner", ["tiered", "acs"])
@pytest.mark.usefixtures("shop")
def test_what_names_the_file_comes_first(planner: str) -> None:
    assert _first(planner=planner) != NAMES_IT
    assert _first("--focus", "warehouse/inbox.py", planner=planner) == NAMES_IT


@pytest.mark.usefixtures("shop")
def test_several_files_and_a_query_add_up() -> None:
    done = call(
        "plan", "--json", "--as-of", AS_OF, "--query", "refund",
        "--focus", "shop/session.py", "--focus=warehouse/inbox.py",
    )  # fmt: skip
    assert {"refund", "shop/session.py", "warehouse/inbox.py"} <= set(
        json.loads(done.out)["focus_terms"]
    )


# --- paths --------------------------------------------------------------------------------


def test_a_path_may_be_written_as_people_do(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(shop))
    name = "warehouse/inbox.py"
    for path in (
        name, "./warehouse//inbox.py", "cart/../warehouse/inbox.py", f"{shop}/{name}", f"~/{name}",
    ):  # fmt: skip
        found = focus.paths([path], str(shop / ".context"), World(), complain)
        assert focus.relative_to(str(shop), found) == (name,)


def test_a_path_is_told_from_the_working_directory(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop / "warehouse")
    assert _first("--focus", "inbox.py") == NAMES_IT
    assert _first("--focus", "../warehouse/inbox.py") == NAMES_IT
    monkeypatch.chdir(shop.parent)
    assert _first("--focus", "shop/warehouse/inbox.py", cwd=shop) == NAMES_IT


def test_what_a_path_stands_for(shop: Path) -> None:
    names = {
        "/elsewhere/inbox.py": "../inbox.py", "../inbox.py": "../inbox.py", "./git": "git",
        "not there.py": "not there.py", "warehouse": "warehouse/", "warehouse/": "warehouse/",
        "a\nb": "a\nb", "..hidden/x.py": "..hidden/x.py",
    }  # fmt: skip
    for path in (*names, "", "  ", ".", "..", "../..", "/"):
        found = focus.paths([path], str(shop / ".context"), World(), complain)
        assert focus.relative_to(str(shop), found) == ((names[path],) if path in names else ())
    plain = _agent("--budget", "1000")
    for path in ("", ".."):
        assert _agent("--budget", "1000", "--focus", path).out == plain.out
    assert _agent("--focus", "a\nb", "--planner", "acs").code == 0


@posix
def test_links_to_the_project_are_no_other_project(shop: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(shop)
    there, here = str(link / "warehouse" / "inbox.py"), str(shop / "warehouse" / "inbox.py")
    assert focus.relative_to(str(link), [here]) == ("warehouse/inbox.py",)
    assert focus.relative_to(str(shop), [there]) == ("warehouse/inbox.py",)


@posix
@pytest.mark.usefixtures("shop")
def test_a_name_that_is_no_text_is_a_file_like_any_other() -> None:
    start = [sys.executable, "-m", "ctx", "agent", "--planner", "acs", "--log-json", "--focus"]
    done = subprocess.run(
        [*map(os.fsencode, start), b"warehouse/\xff\xfe.py"],
        env=environment(HOME="/-"),
        check=False,
        capture_output=True,
    )
    assert (done.returncode, done.stderr.count(b"\n")) == (0, 1)


# --- git ----------------------------------------------------------------------------------


@needs_git
def test_what_is_changed_is_in_focus(tree: Path) -> None:
    assert _changed(tree) == []
    done = _agent("--focus", "git")
    assert (done.err, done.out) == ("", _agent().out)
    (tree / "warehouse" / "inbox.py").write_text("x\n")
    assert _first("--focus", "git") == NAMES_IT


@needs_git
def test_every_kind_of_change_counts(tree: Path) -> None:
    for name in ("changed", "renamed", "deleted", "staged", "both"):
        (tree / f"{name}.py").write_text(f"{name}\n" * 9)
    _commit("second")
    (tree / "changed.py").write_text("other\n")
    _git("mv", "renamed.py", "new name.py")
    (tree / "deleted.py").unlink()
    (tree / "staged.py").write_text("other\n")
    _git("add", "staged.py")
    (tree / "both.py").write_text("one\n")
    _git("add", "both.py")
    (tree / "both.py").write_text("two\n")
    (tree / "deep" / "er").mkdir(parents=True)
    (tree / "deep" / "er" / "untracked.py").write_text("x\n")
    assert sorted(_changed(tree)) == [
        "both.py", "changed.py", "deep/er/untracked.py", "deleted.py", "new name.py", "staged.py",
    ]  # fmt: skip


@posix
@needs_git
def test_names_of_any_bytes(tree: Path) -> None:
    names = [" spaces ", "new\nline", '"quoted"', "Größe 決済", "-dash", "tab\t", "\udcff\udcfe"]
    for name in names:
        (tree / f"{name}.py").write_text("x\n")
    assert sorted(_changed(tree)) == sorted(f"{name}.py" for name in names)
    assert _agent("--focus", "git", "--planner", "acs").code == 0


@needs_git
def test_a_renamed_name_that_looks_like_a_state_is_a_name(tree: Path) -> None:
    (tree / "R  old.py").write_text("x\n" * 9)
    _commit("second")
    _git("mv", "R  old.py", "?? new.py")
    (tree / "z.py").write_text("x\n")
    assert sorted(_changed(tree)) == ["?? new.py", "z.py"]


@needs_git
def test_what_belongs_to_the_context_directory_is_no_focus(tree: Path) -> None:
    (tree / ".context" / "TASKS.md").write_text("# Tasks\n\n- [ ] other\n")
    (tree / ".context" / "new.md").write_text("x\n")
    (tree / ".contexts.py").write_text("x\n")
    assert _changed(tree) == [".contexts.py"]


@needs_git
def test_of_a_mass_of_files_the_first_hundred_count(tree: Path) -> None:
    for number in range(focus.MOST + 20):
        (tree / f"f{number:03}.py").write_text("x\n")
    (tree / ".context" / "aaa.md").write_text("first of all, and none\n")
    assert _changed(tree) == [f"f{number:03}.py" for number in range(focus.MOST)]


@needs_git
def test_from_a_folder_of_the_work_tree_all_of_it_counts(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "warehouse" / "inbox.py").write_text("x\n")
    (tree / "cart.py").write_text("x\n")
    monkeypatch.chdir(tree / "warehouse")
    assert sorted(_changed(tree)) == ["cart.py", "warehouse/inbox.py"]


@needs_git
def test_git_and_a_file_add_up_and_no_file_counts_twice(tree: Path) -> None:
    (tree / "cart.py").write_text("x\n")
    world = World()
    given = ["cart.py", "git", "warehouse/inbox.py"]
    found = focus.paths(given, str(tree / ".context"), world, complain)
    assert focus.relative_to(str(tree), found) == ("cart.py", "warehouse/inbox.py")


@needs_git
def test_in_a_git_hook_of_another_repository_it_is_still_this_one(
    tree: Path, tmp_path: Path
) -> None:
    (tree / "cart.py").write_text("x\n")
    (tmp_path / "other").mkdir()
    _git("init", "--quiet", str(tmp_path / "other"))
    other = str(tmp_path / "other" / ".git")
    assert _changed(tree, GIT_DIR=other, GIT_WORK_TREE=str(tmp_path / "other")) == ["cart.py"]


@needs_git
def test_it_writes_nothing(tree: Path) -> None:
    (tree / "AGENTS.md").touch()  # whose times the index does not know
    before = (tree / ".git" / "index").read_bytes()
    _changed(tree)
    assert (tree / ".git" / "index").read_bytes() == before
    assert not (tree / ".git" / "index.lock").exists()


@posix
@needs_git
def test_the_monitor_of_a_work_tree_from_elsewhere_is_not_run(tree: Path) -> None:
    program = tree / "monitor.sh"
    program.write_text(f"#!/bin/sh\ntouch '{tree}/owned'\n")
    program.chmod(0o755)
    _git("config", "core.fsmonitor", str(program))
    _git("status")  # a check of the check: git itself runs it
    assert (tree / "owned").exists()
    (tree / "owned").unlink()
    assert _changed(tree) == ["monitor.sh"]
    assert not (tree / "owned").exists()


@needs_git
def test_an_edit_is_seen_by_the_same_call(tree: Path) -> None:
    """What git says is a part of the question, not of the remembered answer."""
    options = ("--focus", "git", "--budget", "1000")
    before = [_agent(*options).out for _ in range(3)]
    assert len(set(before)) == 1
    (tree / "warehouse" / "inbox.py").write_text("x\n")
    assert _agent(*options).out != before[0]


# --- where git does not answer ------------------------------------------------------------


def _says(done: Done, what: str) -> None:
    """Hold that a packet is said all the same, with one line about git."""
    assert (done.code, done.err.count("\n")) == (0, 1), done.err
    assert done.err.startswith("ctx: --focus git: ")
    assert what in done.err
    assert done.err.endswith("; nothing is in focus\n")
    assert done.out == _agent().out


@needs_git
@pytest.mark.usefixtures("shop")
def test_where_there_is_no_repository(shop: Path) -> None:
    shutil.rmtree(shop / ".git")
    _says(_agent("--focus", "git"), "not a git repository")


@pytest.fixture
def stub(tmp_path: Path) -> Path:
    """A program that stands for git."""
    path = tmp_path / "bin" / "git"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\nexec sleep 60\n")
    path.chmod(0o755)
    return path


def _path(stub: Path) -> dict[str, str]:
    return {"PATH": f"{stub.parent}{os.pathsep}{os.environ['PATH']}"}


@posix
@pytest.mark.parametrize(
    ("program", "says"),
    [
        (b"#!/bin/sh\nexec sleep 60\n", "git took more than"),
        (b"\x7fELF but not really", "git cannot be run: "),
        (b"#!/bin/sh\nexit 3\n", "git failed"),
    ],
    ids=["slow", "no program", "fails"],
)
@pytest.mark.usefixtures("shop")
def test_where_git_does_not_answer(
    stub: Path, monkeypatch: pytest.MonkeyPatch, program: bytes, says: str
) -> None:
    monkeypatch.setattr(focus, "SECONDS", 0.2)
    stub.write_bytes(program)
    path = str(stub.parent) if says.startswith("git cannot") else _path(stub)["PATH"]
    _says(_agent("--focus", "git", environ={"PATH": path}), says)


@posix
@pytest.mark.usefixtures("shop")
def test_both_questions_share_the_time(stub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer takes most of it, the second one more than what is left."""
    monkeypatch.setattr(focus, "SECONDS", 1.0)
    stub.write_text('#!/bin/sh\ncase "$*" in *rev-parse*) sleep 0.7; pwd;; *) sleep 0.7;; esac\n')
    _says(_agent("--focus", "git", environ=_path(stub)), "git took more than")


@posix
@pytest.mark.usefixtures("shop")
def test_git_does_not_read_what_is_piped_to_ctx(stub: Path) -> None:
    stub.write_text("#!/bin/sh\nread -r line && echo stolen >&2\nexit 3\n")
    done = subprocess.run(
        [sys.executable, "-m", "ctx", "agent", "--focus", "git"],
        env=environment(HOME="/-", **_path(stub)),
        check=False,
        input=b"a line\n",
        capture_output=True,
    )
    assert (done.returncode, b"stolen" in done.stderr) == (0, False)


@needs_git
def test_a_bare_repository_has_no_work_tree(shop: Path) -> None:
    shutil.rmtree(shop / ".git")
    _git("init", "--quiet", "--bare", str(shop / ".git"))
    _git("-C", str(shop / ".git"), "config", "core.bare", "true")
    _says(_agent("--focus", "git"), "work tree")

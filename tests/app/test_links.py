"""Which links of a project are followed: those to what git tracks, and those of the user."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from ctx.app.links import links_of
from ctx.store import open_store
from ctx.world import World
from tests.hooks.conftest import git
from tests.keeping import make_repository
from tests.rank.hands import call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / ".context").mkdir(parents=True)
    (folder / ".context/CONSTITUTION.md").write_text("- Never guess.\n")
    (folder / "AGENTS.md").write_text("# Mine\n")
    git(tmp_path, "init", "-q", "project")
    git(folder, "add", ".")
    (folder / "untracked.md").write_text("mine\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("leads", "followed"),
    [
        ("AGENTS.md", True), (".context", True), ("untracked.md", False), (".git/config", False),
        ("../elsewhere", False), (".", True), ("nested/README.md", False), ("AG*.md", False),
    ],
)  # fmt: skip
def test_in_a_work_tree_links_lead_to_what_git_tracks(
    leads: str,
    followed: bool,
    project: Path,
) -> None:
    git(project, "init", "-q", "nested")
    (project / "nested/README.md").touch()
    git(project / "nested", "add", ".")
    links = links_of(str(project), World())
    target = os.path.realpath(project / leads)
    assert links.follow(str(project / "link"), target) is followed
    allowed = links_of(str(project), World(), allow=True)
    assert allowed.follow(str(project / "link"), target) is (followed or leads == "../elsewhere")


def test_without_git_links_lead_to_what_is_inside(tmp_path: Path) -> None:
    links = links_of(str(tmp_path / "project"), World())
    place = str(tmp_path / "project/link")
    assert links.follow(place, str(tmp_path / "project/file"))
    assert not links.follow(place, str(tmp_path / "file"))
    assert links.follow(str(tmp_path / "link"), str(tmp_path / "file"))  # no link of the project


def test_a_home_directory_in_git_is_no_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    git(tmp_path, "init", "-q")
    links = links_of("", World())
    assert links.follow(str(tmp_path / ".claude/settings.json"), str(tmp_path / "dotfiles/a"))


@pytest.mark.parametrize("leads", [".git/config", ".git/hooks/post-commit", ".git/new", "x.md"])
def test_export_writes_through_no_link_into_git(leads: str, project: Path) -> None:
    (project / "CLAUDE.md").symlink_to(leads)
    kept = (project / ".git/config").read_bytes()
    done = call("export", "claude")
    assert (done.code, done.err.count("\n")) == (6, 1)
    assert (project / ".git/config").read_bytes() == kept
    assert not os.path.exists(project / leads) or leads == ".git/config"
    assert [path for path in (project / ".git").iterdir() if "ctx-lock" in path.name] == []


def test_a_context_directory_that_is_a_link_into_git_takes_nothing(project: Path) -> None:
    (project / ".context").rename(project / "aside")
    (project / ".context").symlink_to(".git")
    before = sorted(os.listdir(project / ".git"))
    for words in (
        ["init"],
        ["add", "task", "Mend it"],
        ["add", "rule", "Never guess"],
        ["archive"],
    ):
        done = call(*words)
        assert done.code in (0, 2, 4, 6)
        assert {*os.listdir(project / ".git")} - {*before} <= {"ctx-id"}


def test_a_page_is_not_written_through_a_link(project: Path) -> None:
    (project / "page.html").symlink_to("../mine.html")
    done = call("explain", "--html", "page.html")
    assert (done.code, done.err.count("\n")) == (6, 1)
    assert not os.path.lexists(project.parent / "mine.html")


@pytest.mark.parametrize(
    "leads", ["../other/.git/config", "../other/none", "../other/.context", "../other"]
)
@pytest.mark.parametrize("has_git", [True, False])
def test_a_link_to_another_project_leads_to_neither_its_id_nor_its_trust(
    leads: str, project: Path, *, has_git: bool
) -> None:
    allowed = {"CTX_ALLOW_LINKS": "true"}
    other = project.parent / "other"
    make_repository(other)
    if has_git:
        (other / ".git/config").write_text("")
    else:
        shutil.rmtree(other / ".git")
    assert open_store(str(other / ".context"), os.environ, os.environ["HOME"], make=True).trust()
    (other / ".git/ctx-id").unlink(missing_ok=True)
    (project / ".context").rename(project / "aside")
    (project / ".context").symlink_to(leads)
    for words in (["status"], ["agent"], ["index"], ["search", "guess"]):
        assert call(*words, environ=allowed).code in (0, 4, 6)
    assert not (other / ".git/ctx-id").exists()
    assert b'"trusted": false' in call("status", "--json", environ=allowed).out

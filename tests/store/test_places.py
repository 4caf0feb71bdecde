"""What ctx keeps is outside the repository, and no repository chooses where."""

import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from ctx.store.places import ID, Places, cache_home, paths_of, places_of, prepare, state_home
from tests.keeping import make_repository

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")
MINE = "0123456789abcdef" * 2


class Desk(NamedTuple):
    """A user with a home directory and folders for projects."""

    home: Path
    work: Path
    environ: dict[str, str]

    def look(self, root: Path) -> Places:
        return places_of(str(root), self.environ, str(self.home))

    def prepare(self, root: Path) -> Places:
        return prepare(str(root), self.environ, str(self.home))

    def project(self, name: str, *, git: bool = True, inside: str = ".context") -> Path:
        root = self.work / name
        (root / inside).mkdir(parents=True)
        if git:
            make_repository(root)
        return root / inside


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    return Desk(tmp_path / "home", tmp_path / "work", {})


def git(folder: Path, *arguments: str) -> None:
    own = (
        "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always",
    )  # fmt: skip
    done = subprocess.run(
        ["git", *own, *arguments],
        cwd=folder,
        check=False,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
    )
    assert done.returncode == 0, done.stderr.decode()


def _committed(desk: Desk) -> Path:
    """Return the context directory of a repository that has one commit."""
    root = desk.project("one", git=False)
    (root / "A.md").write_text("# A\n")
    git(root.parent, "init", "-q")
    git(root.parent, "add", "-A")
    git(root.parent, "commit", "-qm", "one")
    return root


class TestHomes:
    """The user's directories are those of ``platformdirs``."""

    @pytest.mark.parametrize("named", [False, True])
    @pytest.mark.parametrize(("system", "expected"), [("linux", Unix), ("darwin", MacOS)])
    def test_posix(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        system: str,
        expected: type[Unix | MacOS],
        named: bool,
    ) -> None:
        environ = {"HOME": str(tmp_path)}
        for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
            monkeypatch.delenv(name, raising=False)
            if named:
                environ[name] = str(tmp_path / name)
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        theirs = expected("ctx", appauthor=False)
        assert cache_home(environ, str(tmp_path), system) == theirs.user_cache_dir
        assert state_home(environ, str(tmp_path), system) == theirs.user_state_dir

    def test_windows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        environ = {"LOCALAPPDATA": "C:\\Users\\me\\AppData\\Local"}
        monkeypatch.setenv("LOCALAPPDATA", environ["LOCALAPPDATA"])
        monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", environ["LOCALAPPDATA"])
        theirs = Windows("ctx", appauthor=False)
        for ours, expected in (
            (cache_home(environ, "", "win32"), theirs.user_cache_dir),
            (state_home(environ, "", "win32"), theirs.user_state_dir),
        ):
            assert ours == expected.replace("/", "\\")

    def test_variables_come_first(self, tmp_path: Path) -> None:
        environ = {"CTX_CACHE_DIR": "/one", "CTX_STATE_DIR": "/two", "XDG_CACHE_HOME": "/three"}
        assert cache_home(environ, str(tmp_path)) == "/one"
        assert state_home(environ, str(tmp_path)) == "/two"

    @pytest.mark.parametrize("name", ["CTX_CACHE_DIR", "XDG_CACHE_HOME"])
    def test_a_relative_one_is_ignored(self, tmp_path: Path, name: str) -> None:
        assert cache_home({name: "here"}, str(tmp_path)).startswith(str(tmp_path))

    @posix
    @pytest.mark.parametrize("home", ["", "/", "relative", "/nowhere/at/all"])
    def test_no_home(self, home: str, desk: Desk) -> None:
        root = desk.project("shop")
        assert cache_home({}, home, "linux") == state_home({}, home, "linux") == ""
        found = prepare(str(root), {}, home)
        assert (found.cache, found.state) == ("", "")
        assert not (root.parent / ".git" / ID).exists()

    @posix
    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
    def test_the_home_of_another(self, desk: Desk) -> None:
        os.chown(desk.home, 12345, 12345)
        assert cache_home({}, str(desk.home), "linux") == ""


class TestFolders:
    """Folders are the user's alone, and made when something is kept."""

    def test_looking_makes_nothing(self, desk: Desk) -> None:
        root = desk.project("shop")
        desk.look(root)
        assert list(desk.home.iterdir()) == []
        assert not (root.parent / ".git" / ID).exists()

    @posix
    def test_they_are_for_their_owner_alone(self, desk: Desk) -> None:
        found = desk.prepare(desk.project("shop"))
        for folder in (found.cache, found.state):
            assert os.stat(folder).st_mode & 0o777 == 0o700
            assert os.stat(os.path.dirname(folder)).st_mode & 0o777 == 0o700
            assert os.stat(os.path.join(folder, "where")).st_mode & 0o777 == 0o600
            assert paths_of(folder) == [found.real]

    def test_the_same_is_found_again(self, desk: Desk) -> None:
        root = desk.project("shop")
        made, found = desk.prepare(root), desk.look(root)
        assert (made.cache, made.state) == (found.cache, found.state)
        assert made.cache

    @posix
    @pytest.mark.parametrize("which", ["home", "folder", "link"])
    def test_what_others_may_write_to_is_not_used(self, desk: Desk, which: str) -> None:
        root = desk.project("shop")
        made = desk.prepare(root)
        if which == "home":
            os.chmod(os.path.dirname(made.cache), 0o720)
        elif which == "folder":
            os.chmod(made.cache, 0o720)
        else:
            os.rename(made.cache, desk.work / "elsewhere")
            os.symlink(desk.work / "elsewhere", made.cache)
        assert desk.look(root).cache == desk.prepare(root).cache == ""
        assert desk.look(root).state == made.state

    @posix
    def test_a_place_that_cannot_be_made(self, desk: Desk) -> None:
        desk.environ["CTX_CACHE_DIR"] = "/dev/null/ctx"
        found = desk.prepare(desk.project("shop"))
        assert found.cache == ""
        assert found.state


class TestWithoutGit:
    """The real path stands for a directory that is in no repository."""

    def test_by_path(self, desk: Desk) -> None:
        one, two = desk.project("one", git=False), desk.project("two", git=False)
        assert desk.prepare(one).state != desk.prepare(two).state

    def test_by_any_name(self, desk: Desk) -> None:
        root = desk.project("one", git=False)
        (desk.work / "link").symlink_to(root)
        assert desk.prepare(root).state == desk.prepare(desk.work / "link").state

    def test_what_was_kept_goes_on_with_git(self, desk: Desk) -> None:
        root = desk.project("one", git=False)
        before = desk.prepare(root)
        with open(os.path.join(before.state, "sessions"), "w") as file:
            file.write("talk")
        make_repository(root.parent)
        after = desk.prepare(root)
        assert after.state != before.state
        assert os.path.exists(os.path.join(after.state, "sessions"))
        assert not os.path.exists(before.state)

    def test_no_id_passes_for_a_path(self, desk: Desk) -> None:
        root = desk.project("one", git=False)
        path = os.path.basename(desk.prepare(root).state)
        other = desk.project("two")
        for told in (path, path.removeprefix("path-")):
            (other.parent / ".git" / ID).write_text(told)
            assert desk.prepare(other).state != desk.prepare(root).state


class TestGit:
    """The id is in git's common directory."""

    def test_a_move_keeps_it(self, desk: Desk) -> None:
        root = desk.project("one")
        before = desk.prepare(root)
        shutil.move(root.parent, desk.work / "two")
        moved = desk.work / "two" / ".context"
        assert desk.look(moved).state == before.state
        assert desk.prepare(moved).cache == before.cache
        assert paths_of(before.state) == [before.real, os.path.realpath(moved)]

    def test_directories_of_one_repository_are_kept_apart(self, desk: Desk) -> None:
        one = desk.project("shop", inside="a/.context")
        two = desk.work / "shop" / "b" / ".context"
        two.mkdir(parents=True)
        assert desk.prepare(one).state != desk.prepare(two).state
        ids = {os.path.basename(desk.look(root).state)[:32] for root in (one, two)}
        assert len(ids) == 1

    def test_a_clone_has_none_of_it(self, desk: Desk) -> None:
        root = _committed(desk)
        before = desk.prepare(root)
        git(desk.work, "clone", "-q", "one", "two")
        after = desk.prepare(desk.work / "two" / ".context")
        assert after.state != before.state
        assert after.cache != before.cache

    def test_worktrees_share_the_state_and_not_the_cache(self, desk: Desk) -> None:
        root = _committed(desk)
        git(root.parent, "worktree", "add", "-q", "../two")
        linked = desk.work / "two" / ".context"
        before = desk.prepare(linked)  # the first one asked is a linked one
        main = desk.prepare(root)
        assert main.state == before.state
        assert main.cache != before.cache
        assert "path-" not in main.state
        git(root.parent, "worktree", "move", "../two", "../three")
        moved = desk.prepare(desk.work / "three" / ".context")
        assert (moved.state, moved.cache) == (before.state, before.cache)

    def test_a_submodule_has_its_own(self, desk: Desk) -> None:
        part = desk.project("part", git=False)
        (part / "A.md").write_text("# A\n")
        git(part.parent, "init", "-q")
        git(part.parent, "add", "-A")
        git(part.parent, "commit", "-qm", "one")
        whole = desk.work / "whole"
        whole.mkdir()
        git(whole, "init", "-q")
        git(whole, "submodule", "--quiet", "add", str(part.parent), "part")
        found = desk.prepare(whole / "part" / ".context")
        assert "path-" not in found.state
        assert (whole / ".git" / "modules" / "part" / ID).is_file()
        assert not (whole / ".git" / ID).exists()

    @pytest.mark.parametrize(
        "held",
        [b"", b"../../../../tmp/x", MINE.upper().encode(), MINE.encode() + b"0", b"\0" * 32,
         b"0" * 31, b"/" * 32, b"\xff" * 32, b"x" * 100_000],
        ids=range(9),
    )  # fmt: skip
    def test_only_an_id_is_taken(self, desk: Desk, held: bytes) -> None:
        root = desk.project("one")
        file = root.parent / ".git" / ID
        file.write_bytes(held)
        found = desk.prepare(root)
        made = file.read_text().strip()
        assert len(made) == 32
        assert os.path.basename(found.state).startswith(made)
        assert os.path.dirname(found.state) == str(desk.home / ".local" / "state" / "ctx")

    @pytest.mark.parametrize("kind", ["link", "folder", "fifo"])
    def test_what_is_no_file_is_no_id(self, desk: Desk, kind: str) -> None:
        root = desk.project("one")
        place = root.parent / ".git" / ID
        other = desk.work / "elsewhere"
        other.write_text(MINE)
        if kind == "link":
            place.symlink_to(other)
        elif kind == "folder":
            place.mkdir()
        else:
            os.mkfifo(place)
        found = desk.prepare(root)
        assert MINE not in found.state
        assert other.read_text() == MINE
        assert desk.look(root).state == found.state

    def test_a_copy_gets_its_own(self, desk: Desk) -> None:
        root = desk.project("one")
        before = desk.prepare(root)
        copy = desk.work / "two" / ".context"
        shutil.copytree(root.parent, copy.parent)
        assert desk.look(copy).state not in ("", before.state)
        assert desk.prepare(copy).state not in ("", before.state)
        assert desk.look(root).state == before.state
        assert desk.look(copy).state == desk.prepare(copy).state

    def test_a_copy_where_the_original_was_gets_its_own(self, desk: Desk) -> None:
        root = desk.project("one")
        before = desk.prepare(root)
        moved = desk.work / "two" / ".context"
        shutil.move(root.parent, moved.parent)
        desk.prepare(moved)
        shutil.copytree(moved.parent, root.parent)
        assert desk.look(root).state != before.state
        assert desk.prepare(root).state != before.state
        assert desk.look(moved).state == before.state

    @posix
    @pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root writes anywhere")
    def test_git_that_cannot_be_written(self, desk: Desk) -> None:
        root = desk.project("one")
        os.chmod(root.parent / ".git", 0o500)
        assert "path-" in desk.prepare(root).state

    @pytest.mark.parametrize("how", ["file", "link", "fake", "worktree"])
    def test_a_directory_does_not_pass_for_another_repository(self, desk: Desk, how: str) -> None:
        private = desk.project("private")
        mine = desk.prepare(private)
        target = private.parent / ".git"
        root = desk.project("evil", git=False)
        top = root.parent
        if how == "link":
            (top / ".git").symlink_to(target)
        elif how == "file":
            (top / ".git").write_text(f"gitdir: {target}\n")
        elif how == "fake":  # of its own, which names the other as common directory
            (top / ".git").write_text("gitdir: fake\n")
            (top / "fake").mkdir()
            (top / "fake" / "gitdir").write_text("../.git\n")
            (top / "fake" / "commondir").write_text(f"{target}\n")
        else:
            make_repository(top)
            (top / ".git" / "commondir").write_text(f"{target}\n")
        assert desk.look(root).state != mine.state
        assert desk.prepare(root).state != mine.state
        assert paths_of(mine.state) == [os.path.realpath(private)]

    @pytest.mark.parametrize(
        "text", ["", "gitdir: ", "gitdir: \0", "gitdir: nowhere", "x" * 2_000_000, "\xff"]
    )
    def test_a_file_that_leads_nowhere(self, desk: Desk, text: str) -> None:
        root = desk.project("one", git=False)
        (root.parent / ".git").write_text(text)
        assert "path-" in desk.prepare(root).state

    def test_the_first_two_at_once_agree(self, desk: Desk) -> None:
        root = desk.project("one")
        found: list[str] = []
        start = threading.Barrier(8)

        def work() -> None:
            start.wait()
            found.append(desk.prepare(root).state)

        _all_at_once(work, 8)
        assert len(set(found)) == 1
        assert sorted(os.listdir(root.parent / ".git")) == ["HEAD", ID, "objects", "refs"]


def _all_at_once(work: Callable[[], None], many: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

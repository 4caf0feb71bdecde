"""Where a write goes: links in a repository lead no writer elsewhere, and git keeps its own."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ctx.edit import atomic
from ctx.edit.change import Target, change
from ctx.edit.links import ALL, STRICT, Links, make_folder, real
from ctx.errors import FileError
from tests.keeping import make_repository

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    make_repository(folder)
    (folder / ".git/hooks").mkdir()
    (folder / ".git/config").write_text("[core]\n")
    (folder / "file.md").write_text("mine\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file.md").write_text("mine\n")
    return folder


WRITERS: dict[str, Callable[[str, Links], object]] = {
    "write": lambda path, links: atomic.write(path, b"new\n", links=links),
    "create": lambda path, links: atomic.create(f"{path}.new", b"new\n", links=links),
    "lock": lambda path, links: atomic.lock(path, links=links).__enter__(),
    "folder": lambda path, links: make_folder(os.path.join(path, "new"), links),
    "change": lambda path, links: change(
        Target(*os.path.split(path), "", links), lambda _data: b"new\n"
    ),
}


def _state(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()} | {
        str(path): b"" for path in folder.rglob("*") if path.is_dir()
    }


@pytest.mark.parametrize("leads", ["../outside", ".git", ".git/hooks", ".", "nowhere"])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_link_that_a_repository_holds_is_not_written_through(
    writer: str, leads: str, clone: Path
) -> None:
    (clone / "link").symlink_to(leads)
    before = _state(clone.parent)
    for path in (clone / "link/file.md", clone / "link/../link/file.md"):
        with pytest.raises(FileError):
            WRITERS[writer](str(path), STRICT)
    assert _state(clone.parent) == before


@pytest.mark.parametrize("leads", ["../outside/file.md", ".git/config", "file.md", "nowhere"])
def test_a_link_at_the_end_is_none_either(leads: str, clone: Path) -> None:
    (clone / "link.md").symlink_to(leads)
    before = _state(clone.parent)
    with pytest.raises(FileError) as caught:
        atomic.write(str(clone / "link.md"), b"new\n")
    assert f"{clone}/link.md: not followed: the link {clone}/link.md leads" in str(caught.value)
    assert _state(clone.parent) == before


@pytest.mark.parametrize("name", [".git/config", ".GIT/x", ".git/hooks/post-commit", ".git/a/b"])
@pytest.mark.parametrize("links", [STRICT, ALL])
def test_nothing_of_gits_own_is_written(links: Links, name: str, clone: Path) -> None:
    (clone / ".GIT").mkdir(exist_ok=True)
    before = _state(clone)
    with pytest.raises(FileError, match="belongs to git"):
        atomic.write(str(clone / name), b"new\n", links=links)
    with pytest.raises(FileError, match="belongs to git"):
        make_folder(str(clone / name), links)
    assert _state(clone) == before
    assert atomic.write(str(clone / ".git/config"), b"new\n", links=ALL._replace(in_git=True))


def test_what_leads_to_what_may_be_written_is_followed(clone: Path) -> None:
    """Each link on the way is asked about: where it is, and where it leads."""
    asked = []

    def follow(place: str, leads: str) -> bool:
        asked.append((os.path.relpath(place, clone), os.path.relpath(leads, clone)))
        return True

    (clone / "a").symlink_to("b")
    (clone / "b").symlink_to(".")
    (clone / "c.md").symlink_to("a/file.md")
    assert real(str(clone / "c.md"), Links(follow)) == str(clone / "file.md")
    assert sorted(asked) == [("a", "."), ("b", "."), ("c.md", "file.md")]
    atomic.write(str(clone / "c.md"), b"new\n", links=Links(follow))
    assert ((clone / "file.md").read_text(), (clone / "c.md").is_symlink()) == ("new\n", True)


def test_links_of_no_repository_are_the_users_own(clone: Path) -> None:
    mine = clone.parent / "mine.md"
    mine.symlink_to("outside/file.md")
    atomic.write(str(mine), b"new\n")
    assert (clone.parent / "outside/file.md").read_text() == "new\n"


def test_a_loop_of_links_is_an_error_in_one_line(clone: Path) -> None:
    (clone / "a").symlink_to("b")
    (clone / "b").symlink_to("a")
    for links in (STRICT, ALL):
        with pytest.raises(FileError):
            atomic.write(str(clone / "a"), b"new\n", links=links)


def test_a_link_that_is_put_in_the_way_meanwhile_is_not_followed(clone: Path) -> None:
    (clone / "folder").mkdir()
    (clone / "folder/file.md").write_text("mine\n")

    def swapped() -> bool:
        (clone / "folder").rename(clone / "aside")
        (clone / "folder").symlink_to("../outside")
        return True

    with pytest.raises(FileError, match="a link on the way to it has changed"):
        atomic.write(str(clone / "folder/file.md"), b"new\n", still=swapped)
    assert (clone.parent / "outside/file.md").read_text() == "mine\n"

"""The size of what is below some paths, as git would list it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.app.content import measure
from ctx.errors import FileError
from tests.keeping import make_repository

posix = pytest.mark.skipif(os.name != "posix", reason="links, sockets and modes of POSIX")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def _tree(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())


def _measure(root: Path, *paths: str) -> tuple[int, int]:
    """Return bytes and files; nothing is warned of."""
    found = measure(paths or (".",), str(root), "/-")
    assert found.warnings == ()
    return found.bytes, found.files


# --- what is counted ----------------------------------------------------------------------


def test_files_and_folders_add_up(tmp_path: Path) -> None:
    assert _measure(tmp_path) == (0, 0)
    _tree(tmp_path, {"a": "grö1", "b/c": "123", "b/d/e": "1", "b/empty": ""})
    assert _measure(tmp_path) == (9, 4)
    assert _measure(tmp_path, "b") == (4, 3)
    assert _measure(tmp_path, "a", "b/d") == (6, 2)
    assert _measure(tmp_path, str(tmp_path / "a")) == (5, 1)


def test_what_is_named_twice_is_counted_once(tmp_path: Path) -> None:
    _tree(tmp_path, {"a/b/c": "12345", "a/d": "1"})
    for paths in ("a a", "a ./a", ". a", "a .", "a a/b", "a/b a", "a/b/c a"):
        assert _measure(tmp_path, *paths.split()) == (6, 2), paths


def test_folders_may_be_nested_deeply(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(200):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "a").write_bytes(b"12345")
    assert _measure(tmp_path) == (5, 1)


# --- .gitignore ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "counted"),
    [
        pytest.param("*\n!*/\n!*.py", "a.py b/a.py b/c/a.py", id="all but a name"),
        pytest.param("b\n!b/a.py", "a.log a.py", id="not below what is ignored"),
        pytest.param("# *\n\n  \n*.log\r\n", "a.py b/a.py b/c/a.py", id="comments, CRLF"),
        pytest.param("\ufeff*.log", "a.py b/a.py b/c/a.py", id="a byte order mark"),
        pytest.param("!\n\\\n[z-a]\n*.log", "a.py b/a.py b/c/a.py", id="lines that are none"),
        pytest.param("*.log  ", "a.py b/a.py b/c/a.py", id="spaces after it"),
    ],
)
def test_what_is_ignored_is_left_out(tmp_path: Path, lines: str, counted: str) -> None:
    names = ("a.log", "a.py", "b/a.log", "b/a.py", "b/c/a.log", "b/c/a.py")
    # Each size is another digit of the sum.
    _tree(tmp_path, {name: "x" * 10**at for at, name in enumerate(names)})
    _tree(tmp_path, {".gitignore": lines})
    own = 0 if lines.startswith("*\n") else len(lines.encode())
    expected = sum(10 ** names.index(name) for name in counted.split())
    assert _measure(tmp_path)[0] - own == expected


def test_git_itself_is_left_out(tmp_path: Path) -> None:
    _tree(tmp_path, {".git/objects/a": "12345", "a": "1", "b/.git": "gitdir: elsewhere"})
    assert _measure(tmp_path) == (1, 1)


def test_what_ctx_remembers_is_left_out(tmp_path: Path) -> None:
    _tree(tmp_path, {".context/.ctx/.gitignore": "*\n", ".context/.ctx/index.db": "12345"})
    _tree(tmp_path, {".context/TASKS.md": "123"})
    assert _measure(tmp_path) == (3, 1)


def test_the_files_above_hold_in_a_repository(tmp_path: Path) -> None:
    _tree(tmp_path, {"r/.gitignore": "*.log\n/s/t/u\n", "r/s/.gitignore": "b\n", ".gitignore": "*"})
    _tree(tmp_path, {"r/s/t/a.log": "1", "r/s/t/b": "12", "r/s/t/c": "123", "r/s/t/u/d": "1234"})
    assert _measure(tmp_path, "r/s/t") == (10, 4)
    make_repository(tmp_path / "r")
    assert _measure(tmp_path, "r/s/t") == (3, 1)


def test_what_is_named_is_counted_though_it_is_ignored(tmp_path: Path) -> None:
    _tree(tmp_path, {".gitignore": "build\n*.log\n", "build/a": "12345", "build/b.log": "1"})
    _tree(tmp_path, {"c.log": "12"})
    make_repository(tmp_path)
    assert _measure(tmp_path, "build") == (5, 1)
    assert _measure(tmp_path, "c.log") == (2, 1)
    assert _measure(tmp_path, ".", "build") == (len("build\n*.log\n") + 5, 2)


PATTERNS = (
    "* */ !*/ !*.py *.py /* !/a a a/ !a !a/ a/b /a/b/ a/** !a/** **/b **/b/ a/* !a/* b* !b.py [ab]"
    " ? a/**/c #x \\#x ! c/ /c !c *.txt b/ !b/ a/b/c ** !a/b **/ a/**/ */b a/*/c *** [z-a] \\ a*b"
    " // a//b /** /**/c !/**/c/ b.py/ b.py/** !b.py/* /**/ [!a] a?"
)
LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
IGNORING = st.lists(st.sampled_from(PATTERNS.split()), max_size=4).map(
    lambda lines: "\n".join(lines) + "\n"
)
NAMES = st.sampled_from(["a", "b", "c", "a.py", "b.py", "c.txt", "#x", "ab"])
PLACES = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@needs_git
@posix
@settings(max_examples=25)
@given(st.lists(PLACES, max_size=12), IGNORING, st.dictionaries(PLACES, IGNORING, max_size=3))
def test_files_are_those_that_git_lists(
    places: list[str], top: str, others: dict[str, str]
) -> None:
    with TemporaryDirectory() as base:
        root = Path(base).resolve()
        subprocess.run(["git", "init", "-q", base], check=True, capture_output=True)
        wanted = {f"{place}/.gitignore": text for place, text in others.items()}
        wanted |= dict.fromkeys(places, "x")
        for name, text in {".gitignore": top, **wanted}.items():
            _grow(root, name, text)
        listed = subprocess.run(
            ["git", "-C", base, "-c", "core.excludesFile=", *LIST],
            check=True,
            capture_output=True,
        ).stdout.decode()
        names = [name for name in listed.split("\0") if name]
        sizes = sum((root / name).stat().st_size for name in names)
        assert _measure(root) == (sizes, len(names))


def _grow(root: Path, name: str, text: str) -> None:
    """Write a file where nothing is in its way; each of another size, as far as that goes."""
    path = root
    for part in name.split("/")[:-1]:
        path /= part
        if path.is_file():
            return
        path.mkdir(exist_ok=True)
    path = root / name
    if not path.exists():
        path.write_text(text if text != "x" else text * (len(name) ** 2), "utf-8")


# --- links, and what is neither file nor folder -------------------------------------------


@posix
def test_links_are_not_followed(tmp_path: Path) -> None:
    _tree(tmp_path, {"out/secret": "12345", "in/a": "1"})
    for name, target in (("up", ".."), ("self", "self"), ("gone", "no"), ("file", "../out/secret")):
        (tmp_path / "in" / name).symlink_to(target)
    (tmp_path / "in" / "out").symlink_to(tmp_path / "out", target_is_directory=True)
    assert _measure(tmp_path, "in") == (1, 1)


@posix
def test_a_link_that_is_named_is_followed(tmp_path: Path) -> None:
    _tree(tmp_path, {"out/a": "12345"})
    (tmp_path / "link").symlink_to("out")
    (tmp_path / "file").symlink_to("out/a")
    assert _measure(tmp_path, "link") == (5, 1)
    assert _measure(tmp_path, "file") == (5, 1)
    assert _measure(tmp_path, "link", "out", "file") == (5, 1)


@posix
def test_a_link_ignores_nothing(tmp_path: Path) -> None:
    _tree(tmp_path, {"patterns": "*", "in/a": "1"})
    (tmp_path / "in" / ".gitignore").symlink_to("../patterns")
    assert _measure(tmp_path, "in") == (1, 1)


@posix
def test_pipes_and_sockets_hold_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _tree(tmp_path, {"a": "1"})
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / ".gitignore")
    monkeypatch.chdir(tmp_path)  # a socket's path may not be long
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
        assert _measure(tmp_path) == (1, 1)
        for name in ("pipe", "socket"):
            with pytest.raises(FileError, match="neither a file nor a folder"):
                measure([name], str(tmp_path), "/-")


# --- what goes wrong ----------------------------------------------------------------------


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    _tree(tmp_path, {"a": "1"})
    (tmp_path / "self").symlink_to("self")
    for path in ("nope", "a/nope", "", "a\0b", "self", "x" * 5000):
        with pytest.raises(FileError) as caught:
            measure(["a", path], str(tmp_path), "/-")
        assert caught.value.exit_code == 6
        assert repr(path) in str(caught.value)
        assert "--path" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_without_a_working_directory_only_whole_paths_are_found(tmp_path: Path) -> None:
    _tree(tmp_path, {"a": "1"})
    assert measure([str(tmp_path / "a")], "", "/-").bytes == 1
    with pytest.raises(FileError, match="there is no such"):
        measure(["a"], "", "/-")


def test_what_cannot_be_read_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _tree(tmp_path, {"a": "12", "b": "123", "c/d": "1234"})
    access, scandir = os.access, os.scandir

    def scan(path: str) -> object:
        if path.endswith("c"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "access", lambda path, mode: path[-1] != "b" and access(path, mode))
    monkeypatch.setattr(os, "scandir", scan)
    found = measure(["."], str(tmp_path), "/-")
    assert (found.bytes, found.files) == (2, 1)
    folder = os.path.realpath(tmp_path)
    assert found.warnings == (
        f"{folder}/b: cannot be read: permission denied",
        f"{folder}/c: cannot be read: permission denied",
    )


def test_of_many_that_cannot_be_read_some_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tree(tmp_path, {f"f{number:02}": "1" for number in range(12)})
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    found = measure(["."], str(tmp_path), "/-")
    assert (found.bytes, found.files) == (0, 0)
    assert len(found.warnings) == 6
    assert found.warnings[0].endswith("f00: cannot be read: permission denied")
    assert found.warnings[-1] == "7 more files or folders cannot be read"


def test_a_pattern_that_would_take_long_is_left_out(tmp_path: Path) -> None:
    _tree(tmp_path, {".gitignore": "*a*a*a*a*a*ab\n*.log\n", "a" * 200: "12", "x.log": "1"})
    assert _measure(tmp_path) == (22, 2)

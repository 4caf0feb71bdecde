"""The store is its owner's alone, and what is gone from the files is gone from it."""

import os
import stat
from pathlib import Path

import pytest

from ctx.app.build import build
from ctx.model import CachedFile
from ctx.store import folder
from ctx.store.parse_cache import Index
from tests.hostile import in_process
from tests.keeping import cache

TOLD = "XYZZYTOLD"
posix = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / ".context"
    (root / "decisions").mkdir(parents=True)
    (root / "CONSTITUTION.md").write_text("- a rule\n", encoding="utf-8")
    (root / "decisions" / "a.md").write_text(f"## {TOLD}\n\nWhy.\n", encoding="utf-8")
    return root


def call(root: Path) -> bytes:
    return in_process(root, 60.0).out


def modes(root: Path) -> set[tuple[bool, str]]:
    store = cache(root)
    return {
        (path.is_dir(), oct(stat.S_IMODE(path.stat().st_mode)))
        for path in (store, *store.rglob("*"))
    }


def holds_it(root: Path) -> bool:
    files = (path for path in cache(root).rglob("*") if path.is_file())
    return any(TOLD.encode() in path.read_bytes() for path in files)


@posix
def test_only_the_owner_may_read_the_store(root: Path) -> None:
    before = os.umask(0)
    try:
        call(root)
        store = str(cache(root))
        with Index(store, "1", 0) as one, Index(store, "1", 0):
            one.flush()
            assert modes(root) == {(True, "0o700"), (False, "0o600")}
    finally:
        os.umask(before)


def test_what_is_gone_from_the_files_is_gone_from_the_store(root: Path) -> None:
    assert TOLD.encode() in call(root)
    assert holds_it(root)
    (root / "decisions" / "a.md").unlink()
    assert TOLD.encode() not in call(root)
    assert not holds_it(root)


def test_pieces_of_a_session_that_is_gone_are_forgotten(root: Path) -> None:
    store = str(root.parent / "store")
    folder.make(store)
    (root / "sessions").mkdir()
    (root / "sessions" / "here.jsonl").touch()
    paths = ["here.jsonl", "here.jsonl/0", "here.jsonl/1", "gone.jsonl", "gone.jsonl/0"]
    with Index(store, "1", 0) as shelf:
        for path in paths:
            shelf.put(f"sessions/{path}", (1, 2, 3, 4), CachedFile(b"", "", "", b"", b""), b"")
    with Index(store, "1", 0) as shelf:
        shelf.get("sessions/here.jsonl")
        shelf.get("sessions/here.jsonl/0")  # it has become shorter
        shelf.forget_others(str(root))
    with Index(store, "1", 0) as shelf:
        known = [path for path in paths if shelf.get(f"sessions/{path}")]
    assert known == ["here.jsonl", "here.jsonl/0"]


def test_what_other_settings_ask_for_is_kept(root: Path) -> None:
    call(root)
    with Index(str(cache(root)), build(), 0) as shelf:
        shelf.forget_others(str(root))
    assert holds_it(root)


def test_what_another_release_kept_is_overwritten(tmp_path: Path) -> None:
    # A release may hold back what the one before it kept: dropped pages must not hold it.
    text = f"{TOLD} {'word ' * 20_000}".encode()
    with Index(str(tmp_path), "1", 0) as shelf:
        for number in range(20):
            shelf.put(f"{number}.md", (1, 2, 3, 4), CachedFile(b"", "", "", text, b""), text)
    assert TOLD.encode() in (tmp_path / "index.db").read_bytes()
    with Index(str(tmp_path), "2", 0) as shelf:
        shelf.put("a.md", (1, 2, 3, 4), CachedFile(b"", "", "", b"", b""), b"")
    files = [path for path in tmp_path.iterdir() if path.is_file()]
    assert not any(TOLD.encode() in path.read_bytes() for path in files)

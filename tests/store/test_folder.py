"""The folder of a store: whose it is, and when a signature of a file can be trusted."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.app.build import build
from ctx.model import CachedFile
from ctx.read import files
from ctx.store import folder
from ctx.store.folder import COARSE_NS, FINE_NS, look, settled
from ctx.store.parse_cache import Index
from tests.hostile import in_process
from tests.keeping import cache

# --- when a stat signature can be trusted to change with its file ------------------------

SECOND = 1_000_000_000
THEN = 1_790_000_000 * SECOND
FINE = THEN + 123_456_789


def test_what_is_not_there_has_no_signature(tmp_path: Path) -> None:
    assert look(str(tmp_path / "no")) == ()
    assert look(str(tmp_path / "no" / "deeper")) == ()
    assert look("\0") == () if os.name == "nt" else True


def test_the_signature_is_size_times_and_inode(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"four")
    status = path.stat()
    assert look(str(path)) == (4, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def test_reading_and_caching_look_alike(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"four")
    assert look(str(path)) == files.look(str(tmp_path), "file")
    assert look(str(tmp_path / "no")) == files.look(str(tmp_path), "no")


def test_an_edit_that_keeps_size_and_modification_time_shows(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    before = look(str(path))
    os.utime(path, ns=(THEN, THEN))
    path.write_bytes(b"two")
    os.utime(path, ns=(before[1], before[1]))
    assert look(str(path))[:2] == before[:2]
    assert look(str(path)) != before


@pytest.mark.parametrize(
    ("latest", "tick"), [(FINE, FINE_NS), (THEN, COARSE_NS), (THEN + 1, FINE_NS)]
)
@pytest.mark.parametrize("place", [1, 2])
def test_times_settle_after_a_tick(latest: int, tick: int, place: int) -> None:
    times = [0, 0]
    times[place - 1] = latest
    signature = (1, *times, 1)
    assert not settled(signature, latest)
    assert not settled(signature, latest + tick - 1)
    assert settled(signature, latest + tick)


def test_a_file_from_the_future_is_never_settled() -> None:
    assert not settled((1, THEN + 86_400 * SECOND, THEN, 1), THEN + 60 * SECOND)


@given(st.integers(0, THEN), st.integers(0, THEN), st.integers(0, 2 * THEN), st.integers(0, THEN))
def test_what_is_settled_stays_so(modified: int, changed: int, now: int, more: int) -> None:
    signature = (1, modified, changed, 1)
    if settled(signature, now):
        assert max(modified, changed) < now
        assert settled(signature, now + more)


# --- the store is its owner's alone, and what is gone from the files is gone from it -----

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

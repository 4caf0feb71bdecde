"""The index: what it remembers is right or forgotten, whatever happened to its file."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import settings

from ctx.model import CachedFile, CacheLossError
from ctx.store import parse_cache
from ctx.store.parse_cache import Index

RELEASE = "1.2.3"
THEN = 1_790_000_000_123_456_789
NOW = THEN + 60 * 10**9
SIGNATURE = (123, THEN, THEN, 77)
LARGE = "A body of some length. " * 900  # more than a page: it lies on pages of its own
FILES: dict[str, tuple[CachedFile, bytes]] = {
    "TASKS.md": (
        CachedFile(b"d" * 32, '{"pieces": []}', '{"sizes": []}', b"\3" * 8, b"\1" * 16),
        "Größe 日本語".encode(),
    ),
    "decisions/a.md": (
        CachedFile(b"e" * 32, "[1]", f'"{LARGE}"', b"\4" * 9, b"\2" * 4_000),
        LARGE.encode(),
    ),
    "EMPTY.md": (CachedFile(b"", "", "", b"", b""), b""),
}


def test_what_was_parsed_is_kept_though_the_run_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parse_cache, "STEP", 10)
    ended = Index(str(tmp_path), RELEASE, NOW)
    kept, text = FILES["TASKS.md"]
    ended.put("TASKS.md", SIGNATURE, kept, text)
    monkeypatch.setattr(parse_cache, "STEP", 10**9)
    ended.put("a.md", SIGNATURE, kept, text)
    ended.put("part.md", (), kept, text)
    ended.put("b.md", SIGNATURE, kept, text)
    with Index(str(tmp_path), RELEASE, NOW) as after:  # nothing of the other run is closed
        known = [name for name in ("TASKS.md", "a.md", "part.md", "b.md") if after.get(name)]
        assert known == ["TASKS.md", "a.md", "part.md"]
        assert after.signature("a.md") == SIGNATURE
        assert after.signature("part.md") is None, "it is not the whole of its file"


posix = pytest.mark.skipif(sys.platform == "win32", reason="links and names of POSIX")
many = settings(max_examples=60)


def _open(folder: Path, release: str = RELEASE, now: int = NOW) -> Index:
    return Index(str(folder), release, now)


def _fill(folder: Path, release: str = RELEASE) -> None:
    with _open(folder, release) as shelf:
        for path, (kept, text) in FILES.items():
            shelf.put(path, SIGNATURE, kept, text)


def _knows(folder: Path, release: str = RELEASE) -> list[str]:
    """Return the files that are remembered, each of them rightly."""
    known = []
    with _open(folder, release) as shelf:
        for path, (kept, text) in FILES.items():
            found = shelf.get(path)
            if found is not None:
                assert found == kept
                try:
                    assert shelf.text(path) == text
                except CacheLossError:
                    continue
                known.append(path)
    return known


def _raw(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / parse_cache.NAME, isolation_level=None)


def _set(database: sqlite3.Connection, column: str, value: str) -> None:
    database.execute(f"UPDATE files SET {column} = {value} WHERE path = 'TASKS.md'")  # noqa: S608


@pytest.fixture
def full(tmp_path: Path) -> Path:
    folder = tmp_path / "full"
    folder.mkdir()
    _fill(folder)
    return folder


def test_what_was_not_put_is_not(full: Path) -> None:
    with _open(full) as shelf:
        assert shelf.signature("OTHER.md") is None
        assert shelf.get("OTHER.md") is None
        with pytest.raises(CacheLossError):
            shelf.text("OTHER.md")


def test_nothing_is_written_after_a_failure(tmp_path: Path) -> None:
    shelf = _open(tmp_path)
    shelf.put("TASKS.md", SIGNATURE, *FILES["TASKS.md"])
    shelf.__exit__(RuntimeError, RuntimeError(), None)
    assert _knows(tmp_path) == []


def test_a_file_that_is_not_settled_is_kept_without_a_signature(tmp_path: Path) -> None:
    with _open(tmp_path, now=THEN) as shelf:
        shelf.put("TASKS.md", SIGNATURE, *FILES["TASKS.md"])
    with _open(tmp_path) as shelf:
        assert shelf.get("TASKS.md") == FILES["TASKS.md"][0]
        assert shelf.signature("TASKS.md") is None
        shelf.touch("TASKS.md", SIGNATURE)
    with _open(tmp_path) as shelf:
        assert shelf.signature("TASKS.md") == SIGNATURE


def test_a_new_signature_is_not_given_to_other_bytes(full: Path) -> None:
    # One process saw the bytes that are remembered; a slow one remembers older ones.
    old = (CachedFile(b"o" * 32, "[]", "[]", b"", b""), b"old")
    newer = (*SIGNATURE[:3], 78)
    with _open(full) as seeing:
        assert seeing.get("TASKS.md") == FILES["TASKS.md"][0]
        seeing.touch("TASKS.md", newer)
        with _open(full) as slow:
            slow.put("TASKS.md", SIGNATURE, *old)
    with _open(full) as shelf:
        assert shelf.get("TASKS.md") == old[0]
        assert shelf.signature("TASKS.md") == SIGNATURE


@posix
def test_names_that_are_no_text_are_remembered(tmp_path: Path) -> None:
    odd = "decisions/odd\n\udcff.md"
    with _open(tmp_path) as shelf:
        shelf.put(odd, SIGNATURE, *FILES["TASKS.md"])
        shelf.put("TASKS.md", SIGNATURE, *FILES["TASKS.md"])
    with _open(tmp_path) as shelf:
        assert shelf.signature(odd) == SIGNATURE
        assert shelf.get(odd) == FILES["TASKS.md"][0]
        assert shelf.text(odd) == FILES["TASKS.md"][1]
        shelf.touch(odd, (*SIGNATURE[:3], 78))
    with _open(tmp_path) as shelf:
        assert shelf.signature(odd) == (*SIGNATURE[:3], 78)


@pytest.mark.parametrize("value", ["x'31'", "'1,2,x,4'", "'" + "9" * 5_000 + "'", "','", "7"])
def test_a_signature_that_is_none_is_no_signature(full: Path, value: str) -> None:
    with closing(_raw(full)) as database:
        _set(database, "signature", value)
    with _open(full) as shelf:
        assert shelf.signature("TASKS.md") in {None, (7,)}
        assert shelf.get("TASKS.md") == FILES["TASKS.md"][0]


@pytest.mark.parametrize("value", ["x''", "'other'", "7", "CAST(x'ff' AS TEXT)"])
def test_a_text_that_is_damaged_is_dropped(full: Path, value: str) -> None:
    with closing(_raw(full)) as database:
        _set(database, "text", value)
    with _open(full) as shelf, pytest.raises(CacheLossError):
        shelf.text("TASKS.md")
    with _open(full) as shelf:
        assert shelf.get("TASKS.md") is None


def test_a_lock_that_comes_between_removes_nothing(full: Path) -> None:
    with closing(_raw(full)) as holder:
        holder.execute("PRAGMA journal_mode = DELETE")
        with _open(full) as shelf:
            holder.execute("BEGIN EXCLUSIVE")
            assert shelf.get("TASKS.md") is None
            shelf.put("TASKS.md", SIGNATURE, *FILES["TASKS.md"])
        holder.execute("COMMIT")
    assert _knows(full) == list(FILES)

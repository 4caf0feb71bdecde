"""Adding summaries: whole lines, private, one writer a session, and nothing lost."""

import json
import os
import stat
from pathlib import Path

import pytest

from ctx.edit import atomic
from ctx.errors import FileError
from ctx.read.lineage import Elevated
from ctx.sessions import files, summaries
from ctx.sessions.files import make
from ctx.sessions.summaries import Journal

posix = pytest.mark.skipif(os.name != "posix", reason="links and permissions of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make(str(tmp_path))
    return tmp_path


def put(root: Path, *numbers: int) -> Journal:
    with Journal(str(root), "s.jsonl") as journal:
        for number in numbers:
            journal.add(Elevated(number, f"t{number}"))
        journal.settle()
    return journal


def place(root: Path) -> Path:
    return root / "sessions" / "summaries" / "s.jsonl"


def lines(root: Path) -> list[int]:
    return [json.loads(line)["line"] for line in place(root).read_bytes().splitlines()]


# --- the file -------------------------------------------------------------------------------


def test_records_are_added_behind_each_other(root: Path) -> None:
    put(root, 1, 2)
    put(root, 3)
    assert lines(root) == [1, 2, 3]
    assert sorted(os.listdir(place(root).parent)) == ["s.jsonl"]


@posix
def test_what_is_made_is_private(root: Path) -> None:
    put(root, 1)
    assert stat.S_IMODE(place(root).parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(place(root).stat().st_mode) == 0o600


def test_a_torn_last_line_is_cut_off_and_said(root: Path) -> None:
    put(root, 1)
    whole = place(root).read_bytes()
    place(root).write_bytes(whole + b'{"type": "elevat')
    remarks = put(root, 2).remarks
    assert remarks == [f"{place(root)}: its last line was cut off, and taken away: 16 bytes"]
    assert lines(root) == [1, 2]


def test_a_long_torn_line_is_found_in_pieces(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_CHUNK", 7)
    put(root, 1)
    whole = place(root).read_bytes()
    place(root).write_bytes(whole + b"{" * 40)
    put(root)
    assert place(root).read_bytes() == whole
    place(root).write_bytes(b"{" * 40)
    put(root)
    assert place(root).read_bytes() == b""
    monkeypatch.setattr(summaries, "LONGEST", 30)
    place(root).write_bytes(b"{" * 40)
    with pytest.raises(FileError, match="its last line has no end within 30 bytes"):
        put(root)
    assert place(root).read_bytes() == b"{" * 40


def test_who_interrupts_a_write_finds_whole_records(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write

    def interrupted(handle: int, data: memoryview) -> int:
        real(handle, data[:5])
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        put(root, 1)
    assert place(root).read_bytes() == b""


def test_records_reach_the_disk_every_so_often(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    monkeypatch.setattr(summaries, "OFTEN", 2)
    with Journal(str(root), "s.jsonl") as journal:
        counts = []
        for number in range(5):
            journal.add(Elevated(number, ""))
            counts.append(len(synced))
        assert counts == [0, 1, 1, 2, 2]
    assert len(synced) >= 3


# --- what is refused ------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("what", ["folder", "file"])
def test_links_are_refused(root: Path, tmp_path: Path, what: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    if what == "folder":
        place(root).parent.symlink_to(other)
    else:
        place(root).parent.mkdir()
        place(root).symlink_to(other / "s.jsonl")
    with pytest.raises(FileError, match=r"is a link|is not a regular file"):
        put(root, 1)
    assert list(other.iterdir()) == []


def test_odd_things_in_the_way_are_refused(root: Path) -> None:
    place(root).parent.write_bytes(b"")
    with pytest.raises(FileError, match="summaries: is not a directory"):
        put(root, 1)
    place(root).parent.unlink()
    place(root).mkdir(parents=True)
    with pytest.raises(FileError, match=r"s\.jsonl: is not a regular file"):
        put(root, 1)


def test_two_do_not_compact_a_session_at_once(root: Path) -> None:
    put(root, 1)
    with atomic.lock(str(place(root))), pytest.raises(FileError) as caught:
        Journal(str(root), "s.jsonl", timeout=0).__enter__()
    assert str(caught.value) == (
        f"{place(root)}: another ctx is compacting this session (try again when it is done)"
    )
    with atomic.lock(str(place(root))), Journal(str(root), "other.jsonl", timeout=0):
        pass


def test_an_import_does_not_wait_for_a_compaction(root: Path) -> None:
    with Journal(str(root), "s.jsonl"), atomic.lock(str(root / "sessions"), timeout=0):
        pass


def test_a_lock_that_cannot_be_made_is_told_apart(root: Path) -> None:
    put(root, 1)
    (place(root).parent / ".s.jsonl.ctx-lock").mkdir()
    with pytest.raises(FileError, match="cannot be locked"):
        put(root, 2)

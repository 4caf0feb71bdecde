"""When a stat signature can be trusted to change with its file."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.read import files
from ctx.store.folder import COARSE_NS, FINE_NS, look, settled

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


def test_reading_and_replaying_look_alike(tmp_path: Path) -> None:
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

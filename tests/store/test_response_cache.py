"""Cached packets: the very same bytes while nothing changed, and nothing otherwise."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from ctx.store import folder, response_cache
from ctx.store.folder import look, path_of

KEY = "('0.1.0', '/somewhere', '2026-11-21')"
LATER = 60 * 10**9
RECORD = response_cache.Record(b"# out\n\0\xff", b"ctx: err\n", 5, "a session\n\0", 600)

posix = pytest.mark.skipif(sys.platform == "win32", reason="names and links of POSIX")


class Kept:
    """A store that remembers one call, made from one file."""

    def __init__(self, root: Path) -> None:
        self.store = str(root / ".ctx")
        os.mkdir(self.store)
        self.path = str(root / "TASKS.md")
        self.write(b"one")
        self.seen = {self.path: look(self.path), str(root / "no"): ()}
        self.now_ns = self.seen[self.path][1] + LATER
        self.remember(self.seen)
        self.place = path_of(self.store, response_cache.FOLDER, KEY)

    def write(self, data: bytes) -> None:
        with open(self.path, "wb") as file:
            file.write(data)

    def remember(self, seen: Mapping[str, tuple[int, ...]], key: str = KEY) -> None:
        response_cache.remember(self.store, key, RECORD, seen, self.now_ns)

    def recall(self, key: str = KEY) -> tuple[object, ...] | None:
        return _fields(response_cache.recall(self.store, key))

    def record(self) -> bytes:
        with open(self.place, "rb") as file:
            return file.read()

    def spoil(self, data: bytes) -> None:
        with open(self.place, "wb") as file:
            file.write(data)


def _fields(record: response_cache.Record | None) -> tuple[object, ...] | None:
    if record is None:
        return None
    return (record.out, record.err, record.code, record.session, record.cooldown)


WHOLE = _fields(RECORD)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_what_a_person_asked_is_not_kept(kept: Kept) -> None:
    kept.remember(kept.seen, "why is the key s3cret?")
    assert kept.recall("why is the key s3cret?") == WHOLE
    for place, _, names in os.walk(kept.store):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                assert b"s3cret" not in file.read()


def test_another_call_in_the_same_place_is_not(kept: Kept) -> None:
    os.rename(kept.place, path_of(kept.store, response_cache.FOLDER, "other"))
    assert kept.recall("other") is None


@pytest.mark.parametrize("field", range(4))
def test_any_part_of_a_signature_counts(kept: Kept, field: int) -> None:
    signature = list(kept.seen[kept.path])
    signature[field] -= 1
    kept.remember({kept.path: tuple(signature)})
    assert kept.recall() is None


def test_a_file_that_appears_or_goes_is_seen(kept: Kept, tmp_path: Path) -> None:
    (tmp_path / "no").write_bytes(b"")
    assert kept.recall() is None
    (tmp_path / "no").unlink()
    assert kept.recall() == WHOLE
    os.unlink(kept.path)
    assert kept.recall() is None


def test_a_file_that_is_not_settled_is_not_trusted(kept: Kept) -> None:
    os.unlink(kept.place)
    kept.now_ns = max(kept.seen[kept.path][1:3])
    kept.remember(kept.seen)
    assert not os.path.exists(kept.place)
    assert kept.recall() is None


@posix
def test_names_that_are_no_text_are_watched_too(kept: Kept, tmp_path: Path) -> None:
    odd = os.path.join(str(tmp_path), "odd\n\udcff.md")
    with open(odd, "wb") as file:
        file.write(b"one")
    kept.remember({odd: look(odd)})
    assert kept.recall() == WHOLE
    os.unlink(odd)
    assert kept.recall() is None


# --- damage -------------------------------------------------------------------------------


def test_a_record_of_too_many_bytes_is_neither_written_nor_read(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MOST_BYTES", len(kept.record()) - 1)
    assert kept.recall() is None
    os.unlink(kept.place)
    kept.remember(kept.seen)
    assert not os.path.exists(kept.place)


# --- the folder ---------------------------------------------------------------------------


def test_the_oldest_calls_are_forgotten(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_cache.RECORDS, "keep", 3)
    os.utime(kept.place, (0, 0))
    for number in range(1, 5):
        kept.remember(kept.seen, str(number))
        os.utime(path_of(kept.store, response_cache.FOLDER, str(number)), (number, number))
    assert len(os.listdir(os.path.dirname(kept.place))) == 3
    assert [kept.recall(key) for key in (KEY, "1")] == [None, None]
    assert [kept.recall(key) for key in ("2", "3", "4")] == [WHOLE] * 3


def test_a_failed_write_leaves_no_litter(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_source: str, _target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    kept.remember(kept.seen, "other")
    monkeypatch.undo()
    assert os.listdir(os.path.dirname(kept.place)) == [os.path.basename(kept.place)]
    assert kept.recall() == WHOLE


@posix
@pytest.mark.parametrize("target", ["outside", "nowhere", ".ctx"])
def test_a_store_that_is_a_link_is_no_store(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / ".ctx").symlink_to(target)
    assert not folder.make(str(tmp_path / ".ctx"))
    assert folder.below(str(tmp_path / ".ctx"), "x") == ""
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_file_that_was_just_written_is_watched_by_its_content(tmp_path: Path) -> None:
    store = str(tmp_path)
    place = tmp_path / "memory"
    place.write_bytes(b"what was told")
    response_cache.remember(store, "key", RECORD, {str(place): folder.mark(str(place))}, now_ns=0)
    assert response_cache.recall(store, "key") is not None
    status = place.stat()
    place.write_bytes(b"WHAT was told")
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert response_cache.recall(store, "key") is None
    place.write_bytes(b"what was told")
    assert response_cache.recall(store, "key") is not None
    place.unlink()
    assert response_cache.recall(store, "key") is None
    assert folder.mark(str(place)) == ()

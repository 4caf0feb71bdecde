"""Whatever happens to a file that can be made again costs time, and is never believed.

One table: each kind of file (``tests/store/kinds.py``) by each damage.
"""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import hostile
from tests.store.kinds import KINDS, Kind
from tests.store.parts import REPOSITORY

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and signals of POSIX")
DATABASES = [name for name, kind in KINDS.items() if kind.is_database]
of_each_kind = pytest.mark.parametrize("name", KINDS)


class Case:
    """A folder that holds the first edition of a kind."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        folder.mkdir(0o700, exist_ok=True)
        self.kind = kind
        self.folder = folder
        self.file = folder / kind.path
        self.fill(0)
        assert self.file.is_file()
        self._whole = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def fill(self, edition: int) -> None:
        self.kind.fill(str(self.folder), edition)

    def is_sound(self, edition: int = 0, *others: int) -> bool:
        """Whether what is answered is right for ``edition``, or ``others``, or is lost."""
        answer = self.kind.ask(str(self.folder), edition)
        return any(self.kind.is_sound(answer, each) for each in (edition, *others))

    def is_right(self, edition: int = 0) -> bool:
        """Whether all of ``edition`` is answered."""
        answer = self.kind.ask(str(self.folder), edition)
        if not self.kind.is_exact:
            return (
                self.kind.is_sound(answer, edition) and answer.keys() >= self.kind.right[0].keys()
            )
        return answer == self.kind.right[edition]

    def recovers(self, *others: int) -> bool:
        """Whether nothing wrong is answered, and all of it is right once it was made again."""
        sound = self.is_sound(0, *others)
        for edition in (1, 0) if self.kind.is_made else (0, 1, 0):  # it may fail at a later write
            self.fill(edition)
        return sound and self.is_right()

    def again(self) -> "Case":
        """Put the file back as it was, without those of SQLite beside it."""
        shutil.rmtree(self.folder)
        self.file.parent.mkdir(0o700, parents=True)
        for path, data in self._whole.items():
            path.write_bytes(data)
            path.chmod(0o600)
        return self


@pytest.fixture
def case(name: str, tmp_path: Path) -> Case:
    if name == "vectors":
        pytest.importorskip("numpy")
    return Case(KINDS[name], tmp_path / "store")


# --- the content --------------------------------------------------------------------------


def _another_version(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(b"ctx-other-0" + data[data.find(b" ") :])


CONTENTS: dict[str, Callable[[Path], object]] = {
    "absent": Path.unlink,
    "empty": lambda file: file.write_bytes(b""),
    "foreign": lambda file: file.write_bytes(b"\xffnonsense" * 900),
    "zeros": lambda file: file.write_bytes(b"\0" * file.stat().st_size),
    "a header alone": lambda file: file.write_bytes(b"SQLite format 3\0" + b"\1" * 8192),
    "another version": _another_version,
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"x"),
}


@of_each_kind
@pytest.mark.parametrize("damage", CONTENTS.values(), ids=CONTENTS)
def test_another_content(case: Case, damage: Callable[[Path], object]) -> None:
    damage(case.file)
    assert case.recovers()


def _moments(data: bytes, most: int) -> list[int]:
    """Return places of ``data`` that are not empty, ``most`` of them, the first and the last."""
    used = [match.start() for match in re.finditer(rb"[^\0]", data)]
    return [*used[:: max(1, len(used) // most)], used[-1]]


@of_each_kind
def test_cut_anywhere(case: Case) -> None:
    whole = case.file.read_bytes()
    for length in _moments(whole, 12 if case.kind.is_database else 200):
        case.file.write_bytes(whole[:length])
        assert case.recovers(), length
        case.again()


@of_each_kind
def test_a_bit_flipped_anywhere(case: Case) -> None:
    whole = case.file.read_bytes()
    wrong = []
    for at in _moments(whole, 100 if case.kind.is_database else 1_000):
        case.again()
        case.file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        if not case.is_sound():
            wrong.append(at)
    assert wrong == []
    assert case.recovers()


@of_each_kind
@settings(max_examples=20)
@given(data=st.data())
def test_damage_of_any_kind(case: Case, data: st.DataObject) -> None:
    spoilt = bytearray(case.again().file.read_bytes())
    used = [match.start() for match in re.finditer(rb"[^\0]", spoilt)]  # most of it is empty
    for _ in range(data.draw(st.sampled_from([1, 1, 2, 8]), "bytes")):
        at = data.draw(st.sampled_from(used) | st.integers(0, len(spoilt) - 1), "at")
        spoilt[at] ^= data.draw(st.integers(1, 255), "flip")
    if data.draw(st.booleans(), "cut"):
        del spoilt[data.draw(st.integers(0, len(spoilt)), "length") :]
    case.file.write_bytes(spoilt)
    assert case.is_sound(data.draw(st.integers(0, 1), "edition"), 0)
    assert case.recovers()


# --- what is in its place -----------------------------------------------------------------


@posix
@of_each_kind
@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nowhere"])
def test_a_link_is_neither_read_nor_written_through(case: Case, there: bool) -> None:
    precious = case.folder.parent / "precious"
    if there:
        case.file.rename(precious)  # even of the same form
    before = precious.read_bytes() if there else b""
    case.file.unlink(missing_ok=True)
    case.file.symlink_to(precious)
    assert case.kind.is_made or not case.kind.ask(str(case.folder), 0)
    assert case.recovers()
    assert precious.exists() is there
    assert not there or precious.read_bytes() == before


@posix
@of_each_kind
def test_a_pipe_is_not_waited_for(case: Case) -> None:
    case.file.unlink()
    os.mkfifo(case.file)
    assert case.recovers()


@of_each_kind
def test_a_folder_stays_and_costs_the_memory_only(case: Case) -> None:
    case.file.unlink()
    case.file.mkdir()
    (case.file / "file").touch()
    for edition in (0, 1):
        case.fill(edition)
        assert case.kind.ask(str(case.folder), edition) == (
            case.kind.right[edition] if case.kind.is_made else {}
        )
    assert os.listdir(case.file) == ["file"]
    assert os.listdir(case.file.parent) == [case.file.name], "no litter"


@of_each_kind
def test_a_store_that_is_not_there_is_not_made(name: str, tmp_path: Path) -> None:
    KINDS[name].fill(str(tmp_path / "none"), 0)
    assert KINDS[name].is_sound(KINDS[name].ask(str(tmp_path / "none"), 0), 0)
    assert os.listdir(tmp_path) == []


@posix
@pytest.mark.parametrize("name", [name for name in KINDS if name not in DATABASES])
@pytest.mark.parametrize("inner", [False, True], ids=["the store", "its folder"])
def test_a_store_that_is_a_link_is_not_written_through(
    name: str, tmp_path: Path, inner: bool
) -> None:
    outside, store = tmp_path / "outside", tmp_path / "store"
    outside.mkdir()
    if inner:
        store.mkdir()
        (store / KINDS[name].path).parent.symlink_to(outside)
    else:
        store.symlink_to(outside)
    KINDS[name].fill(str(store), 0)
    assert KINDS[name].ask(str(store), 0) == {}
    assert os.listdir(outside) == []


# --- whose it is --------------------------------------------------------------------------


@posix
@of_each_kind
def test_only_the_owner_may_read_it(case: Case) -> None:
    before = os.umask(0)
    try:
        shutil.rmtree(case.folder)
        Case(case.kind, case.folder)
    finally:
        os.umask(before)
    assert stat.S_IMODE(case.file.stat().st_mode) == 0o600
    assert case.file.parent == case.folder or stat.S_IMODE(case.file.parent.stat().st_mode) == 0o700


@posix
@of_each_kind
@pytest.mark.parametrize("bits", [0o620, 0o602])
def test_what_others_could_write_is_not_believed(case: Case, bits: int) -> None:
    case.file.chmod(bits)
    assert case.kind.is_made or not case.kind.ask(str(case.folder), 0)
    assert case.recovers()


@posix
@pytest.mark.parametrize(
    ("folder_mode", "mode"), [(0o555, 0o400), (0o755, 0o200), (0o755, 0), (0o000, 0o600)]
)
def test_what_may_not_be_read_or_written_is_done_without(
    tmp_path: Path, folder_mode: int, mode: int
) -> None:
    pytest.importorskip("numpy")
    start: list[str] = []
    if os.geteuid() == 0:
        dropped = "-dac_override,-dac_read_search"
        start = ["setpriv", f"--inh-caps={dropped}", f"--bounding-set={dropped}"]
        if not shutil.which("setpriv"):
            pytest.skip("root passes over permissions, and there is no setpriv to forbid it")
    for kind in KINDS.values():
        Case(kind, tmp_path / "store")
    folders = [path for path in tmp_path.rglob("*") if path.is_dir()]
    for path in tmp_path.rglob("*"):
        path.chmod(mode if path.is_file() else 0o700)
    for folder in folders:
        folder.chmod(folder_mode)
    try:
        ran = subprocess.run(
            [*start, sys.executable, "-m", "tests.store.kinds", str(tmp_path / "store")],
            cwd=REPOSITORY, env=hostile.environment(), capture_output=True, check=False,
        )  # fmt: skip
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (ran.stdout, ran.stderr) == (b"[]", b"")


# --- a full disk, and other processes -----------------------------------------------------


@posix
@of_each_kind
def test_a_full_disk_costs_the_memory_only(case: Case) -> None:
    import resource

    largest = max(path.stat().st_size for path in case.folder.rglob("*"))
    for limit in (0, 30, *range(16_000, largest + 90_000, 90_000)):
        for full in (True, False):
            case.again()
            if not full:
                case.file.unlink()
            child = os.fork()
            if not child:
                status = 2
                with contextlib.suppress(BaseException):
                    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                    case.fill(1)
                    status = 0 if case.is_sound(1, 0) else 1
                os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, limit
            assert case.recovers(1)


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize(("mode", "journal"), [("IMMEDIATE", "WAL"), ("EXCLUSIVE", "DELETE")])
def test_a_locked_one_is_neither_waited_for_nor_removed(
    case: Case, mode: str, journal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctx.store.counts.WAIT", 0.01)  # who counts waits for others
    mark = case.folder.parent / "mark"
    with contextlib.closing(sqlite3.connect(case.file, isolation_level=None)) as holder:
        holder.execute(f"PRAGMA journal_mode = {journal}")
        holder.execute(f"BEGIN {mode}")
        mark.hardlink_to(case.file)
        for edition in (0, 1):
            case.fill(edition)
            assert case.is_sound(edition, 0)
        holder.execute("ROLLBACK")
    assert mark.samefile(case.file)
    assert case.is_right()
    assert case.recovers()


# --- SQLite -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DATABASES)
def test_rows_of_another_form_are_never_believed(case: Case) -> None:
    for change in case.kind.changes:
        for edition in (0, 1):
            case.again()
            with contextlib.closing(sqlite3.connect(case.file, isolation_level=None)) as database:
                database.executescript(change)
            assert case.is_sound(edition, 0), change
            assert case.recovers(), change


@pytest.mark.parametrize("name", DATABASES)
@settings(max_examples=20)
@given(share=st.floats(0, 1), flip=st.integers(0, 255), shared=st.booleans())
def test_a_torn_journal_is_never_believed(
    case: Case, share: float, flip: int, shared: bool
) -> None:
    """As a killed process leaves it."""
    case.again()
    kept = {}
    with contextlib.closing(sqlite3.connect(case.file)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM sqlite_master").fetchall()
        case.fill(1)  # while one reads, the last writer leaves the journal
        for suffix in ("", "-wal", "-shm"):
            path = case.file.with_name(case.file.name + suffix)
            kept[path] = bytearray(path.read_bytes())
    case.again()
    journal = kept[case.file.with_name(f"{case.file.name}-wal")]
    assert len(journal) > 4096
    at = min(int(share * len(journal)), len(journal) - 1)
    if flip:
        journal[at] ^= flip
    else:
        del journal[at:]
    for path, data in kept.items():
        if shared or not path.name.endswith("-shm"):
            path.write_bytes(data)
    assert case.is_sound(0, 1)
    assert case.recovers()


@posix
@pytest.mark.parametrize("way", ["calls", "bytes", "full"])
@pytest.mark.parametrize("kind", ["lexicon", "vectors", "counts"])
def test_a_run_that_dies_at_any_moment_leaves_the_next_one_right(
    tmp_path: Path, kind: str, way: str
) -> None:
    pytest.importorskip("numpy")
    ran = subprocess.run(
        [sys.executable, "-m", "tests.store.parts", "dying", kind, str(tmp_path / "store"), way],
        cwd=REPOSITORY, env=hostile.environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert ran.stderr == b""
    found = json.loads(ran.stdout)
    assert found["wrong"] == []
    assert found["tried"] > 4
    assert found["died"] == 0 if way == "full" else found["died"] > 3

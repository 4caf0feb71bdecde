"""Atomic files: old or new whatever fails, never anything between."""

import errno
import multiprocessing
import os
import stat
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.edit import atomic
from ctx.errors import UNREADABLE, FileError

posix = pytest.mark.skipif(sys.platform == "win32", reason="permission bits of POSIX")
STEPS = ("open", "fdopen", "fstat", "fsync", "replace")
"""Calls of ``os`` that ``write`` makes, each of which may fail."""


FULL = OSError(errno.ENOSPC, "No space left on device")


def _failing(error: BaseException) -> Callable[..., object]:
    def fail(*_args: object, **_named: object) -> object:
        raise error

    return fail


def _bits(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# --- write --------------------------------------------------------------------------------


@given(old=st.none() | st.binary(), new=st.binary())
def test_what_is_written_is_there_and_nothing_else(
    tmp_path: Path, old: bytes | None, new: bytes
) -> None:
    path = tmp_path / "file"
    path.unlink(missing_ok=True)
    if old is not None:
        path.write_bytes(old)
    atomic.write(str(path), new)
    assert path.read_bytes() == new
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("step", STEPS)
def test_a_failure_leaves_what_was_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "file"
    for there in ([], [b"old"]):
        for old in there:
            path.write_bytes(old)
        monkeypatch.setattr(os, step, _failing(FULL))
        with pytest.raises(FileError) as caught:
            atomic.write(str(path), b"new")
        monkeypatch.undo()
        assert str(caught.value) == f"{path}: cannot be written: No space left on device"
        assert caught.value.exit_code == UNREADABLE
        assert [one.read_bytes() for one in tmp_path.iterdir()] == there
    if step != "open":
        monkeypatch.setattr(os, step, _failing(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            atomic.write(str(path), b"new")
        monkeypatch.undo()
        assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"old"]


@posix
def test_a_killed_writer_leaves_old_or_new(tmp_path: Path) -> None:
    path = tmp_path / "file"
    olds = (b"a" * 300_000, b"b" * 300_000)
    path.write_bytes(olds[0])
    program = (
        "import sys; from ctx.edit import atomic\nprint('go', flush=True)\n"
        "while True:\n for c in (b'a', b'b'): atomic.write(sys.argv[1], c * 300_000)"
    )
    for _ in range(5):
        command = [sys.executable, "-c", program, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout
            process.stdout.readline()
            time.sleep(0.02)
            process.kill()
        assert path.read_bytes() in olds


def test_the_folder_not_syncing_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    atomic.write(str(path), b"new")
    assert path.read_bytes() == b"new"


@posix
def test_permission_bits_and_the_owner_stay(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    for bits in (0o600, 0o644, 0o755, 0o664):
        path.chmod(bits)
        atomic.write(str(path), b"new")
        assert _bits(path) == bits
    if os.geteuid() == 0:  # only root may give files away
        os.chown(path, 1234, 2345)
        atomic.write(str(path), b"newer")
        assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


@posix
def test_a_new_file_gets_the_usual_bits_or_those_asked_for(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic.write(str(tmp_path / "usual"), b"")
        atomic.create(str(tmp_path / "created"), b"")
        atomic.write(str(tmp_path / "asked"), b"", mode=0o600)
        atomic.write(str(tmp_path / "usual2"), b"", mode=0o755)
    finally:
        os.umask(before)
    found = {one.name: _bits(one) for one in tmp_path.iterdir()}
    assert found == {"usual": 0o640, "created": 0o640, "asked": 0o600, "usual2": 0o755}


@posix
def test_private_bytes_are_never_open_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o600)
    seen = []
    real = os.fstat

    def fstat(descriptor: int) -> os.stat_result:
        result = real(descriptor)
        seen.append(stat.S_IMODE(result.st_mode))
        return result

    monkeypatch.setattr(os, "fstat", fstat)
    atomic.write(str(path), b"new")
    assert set(seen) == {0o600}


@posix
def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("made")
    atomic.write(str(tmp_path / "link"), b"new")
    atomic.write(str(tmp_path / "dangling"), b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "made").read_bytes() == b"new"


def test_what_is_asked_at_the_last_moment_can_call_it_off(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    seen: list[list[str]] = []

    def still() -> bool:
        seen.append(sorted(os.listdir(tmp_path)))
        return False

    assert not atomic.write(str(path), b"new", still=still)
    ((*_, last),) = seen
    assert len(seen[0]) == 2  # the new bytes are written already
    assert last == "a.md"
    assert os.listdir(tmp_path) == ["a.md"]
    assert path.read_bytes() == b"old"
    assert atomic.write(str(path), b"new", still=lambda: True)
    assert path.read_bytes() == b"new"


def test_a_read_only_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileError) as caught:
        atomic.write(str(path), b"new")
    assert str(caught.value) == f"{path}: cannot be written: the file is read-only"
    assert path.read_bytes() == b"old"


def test_a_folder_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        atomic.write(str(tmp_path), b"new")
    assert str(caught.value) == f"{tmp_path}: cannot be written: not a regular file"
    missing = tmp_path / "none" / "file"
    with pytest.raises(FileError) as caught:
        atomic.write(str(missing), b"new")
    assert str(caught.value) == f"{missing}: cannot be written: No such file or directory"


# --- attributes and several names -----------------------------------------------------------


def _attributes(path: Path) -> dict[str, bytes]:
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}


@pytest.mark.skipif(sys.platform != "linux", reason="Python has no extended attributes here")
def test_extended_attributes_stay(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.author", b"Mara")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    before = _attributes(path)
    atomic.write(str(path), b"new")
    assert (path.read_bytes(), _attributes(path)) == (b"new", before)


@pytest.mark.skipif(sys.platform != "linux", reason="Python has no extended attributes here")
@pytest.mark.parametrize(("name", "kept"), [("user.author", False), ("security.ima", True)])
def test_an_attribute_that_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kept: bool
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "listxattr", lambda *_: [name])
    monkeypatch.setattr(os, "getxattr", lambda *_: b"x")
    monkeypatch.setattr(os, "setxattr", _failing(OSError(errno.EPERM, "Not permitted")))
    if kept:  # the system gives it to the new file as it sees fit
        assert atomic.write(str(path), b"new")
    else:
        with pytest.raises(FileError, match="cannot be written: Not permitted"):
            atomic.write(str(path), b"new")
    assert path.read_bytes() == (b"new" if kept else b"old")
    assert os.listdir(tmp_path) == ["file"]


PAIRS = [(b"old", b"longer"), (b"longer", b"old"), (b"one two", b"one 2wo"), (b"x", b"")]


@pytest.fixture(params=PAIRS, ids=str)
def pair(request: pytest.FixtureRequest) -> tuple[bytes, bytes]:
    found: tuple[bytes, bytes] = request.param
    return found


def _linked(tmp_path: Path, data: bytes) -> tuple[Path, Path]:
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_bytes(data)
    os.link(path, other)
    return path, other


def test_all_names_of_a_file_show_what_was_written(
    tmp_path: Path, pair: tuple[bytes, bytes]
) -> None:
    path, other = _linked(tmp_path, pair[0])
    bits = _bits(path)
    assert atomic.write(str(path), pair[1])
    assert path.read_bytes() == other.read_bytes() == pair[1]
    assert os.path.samefile(path, other)
    assert _bits(path) == bits
    assert sorted(os.listdir(tmp_path)) == ["file", "other"]
    assert not atomic.write(str(path), b"never", still=lambda: False)
    assert other.read_bytes() == pair[1]
    assert sorted(os.listdir(tmp_path)) == ["file", "other"]


CHILD = """\
import os, sys
from ctx.edit import atomic
left = int(sys.argv[1])
def dying(event, _):
    global left
    if armed and event in {"open", "os.rename", "os.remove", "os.truncate"}:
        left -= 1
        if left < 0:
            os._exit(9)
armed = False
class Dying(__import__("io").FileIO):
    def write(self, data):
        half = super().write(data[: (len(data) + 1) // 2])
        dying("open", ())
        return half
    def truncate(self, size):
        dying("open", ())
        return super().truncate(size)
real = os.fdopen
os.fdopen = lambda fd, mode="r", **named: Dying(fd, mode) if named else real(fd, mode)
sys.addaudithook(dying)
armed = True
atomic.write(sys.argv[2], bytes.fromhex(sys.argv[3]))
"""


def test_a_death_anywhere_is_mended_by_whoever_writes_next(
    tmp_path: Path, pair: tuple[bytes, bytes]
) -> None:
    before, after = pair
    ends, number, code = set(), 0, 9
    while code == 9:
        folder = tmp_path / str(number)
        folder.mkdir()
        path, other = _linked(folder, before)
        command = [sys.executable, "-c", CHILD, str(number), str(path), after.hex()]
        code = subprocess.run(command, check=False).returncode
        with atomic.lock(str(path)):
            assert path.read_bytes() in pair
        ends.add(path.read_bytes())
        assert path.read_bytes() == other.read_bytes()
        assert not [one for one in folder.iterdir() if one.name.endswith("ctx-journal")]
        number += 1
    assert code == 0
    assert number > 5
    assert ends == set(pair)


def test_a_full_disk_leaves_what_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = _linked(tmp_path, b"old")
    real = os.fsync
    calls: list[int] = []

    def fsync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_nlink > 1 and not calls:
            calls.append(descriptor)
            raise FULL
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(FileError, match="cannot be written: No space left on device"):
        atomic.write(str(path), b"much longer")
    assert calls
    assert path.read_bytes() == other.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["file", "other"]


def _journal(path: Path, before: bytes, after: bytes) -> Path:
    journal = path.parent / f".{path.name}.ctx-journal"
    journal.write_bytes(
        b"ctx-journal-1 %d %08x\n%s" % (len(before), zlib.crc32(before + after), before + after)
    )
    return journal


def test_what_somebody_wrote_since_is_not_overwritten(tmp_path: Path) -> None:
    path, _ = _linked(tmp_path, b"mended by hand")
    journal = _journal(path, b"old", b"new")
    with pytest.raises(FileError) as caught, atomic.lock(str(path)):
        pass
    assert str(caught.value) == (
        f"{path}: cannot be written: it changed after a write was cut short;"
        f" {journal} holds that write"
    )
    assert path.read_bytes() == b"mended by hand"
    assert journal.exists()
    journal.write_bytes(b"something else")
    with pytest.raises(FileError, match="is no journal of ctx; move it away"):
        atomic.write(str(path), b"new")
    assert journal.read_bytes() == b"something else"


def test_a_journal_that_came_with_a_clone_is_not_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    journal = _journal(path, b"old", b"the attacker's")
    with atomic.lock(str(path)):
        assert path.read_bytes() == b"old"
    assert atomic.write(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert journal.exists()


# --- create -------------------------------------------------------------------------------


@pytest.fixture(params=["links", "no links"])
def _links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "no links":
        refusal = PermissionError(errno.EPERM, "Operation not permitted")
        monkeypatch.setattr(os, "link", _failing(refusal))


@pytest.mark.usefixtures("_links")
def test_create_makes_and_never_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    assert atomic.create(str(path), b"first") is True
    assert atomic.create(str(path), b"second") is False
    monkeypatch.setattr(os.path, "lexists", lambda _: False)  # it appears meanwhile
    assert atomic.create(str(path), b"third") is False
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.usefixtures("_links")
@pytest.mark.parametrize("step", ["open", "fdopen", "fsync"])
def test_a_failed_create_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(os, step, _failing(FULL))
    with pytest.raises(FileError) as caught:
        atomic.create(str(tmp_path / "file"), b"new")
    assert str(caught.value) == f"{tmp_path / 'file'}: cannot be created: No space left on device"
    assert os.listdir(tmp_path) == []


def test_a_failed_fallback_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = PermissionError(errno.EPERM, "Operation not permitted")
    real = os.fsync
    calls = []

    def fsync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > 1:
            raise OSError(errno.EIO, "Input/output error")
        real(descriptor)

    monkeypatch.setattr(os, "link", _failing(refusal))
    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(FileError, match="cannot be created: Input/output error"):
        atomic.create(str(tmp_path / "file"), b"new")
    assert os.listdir(tmp_path) == []


@posix
def test_create_keeps_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    assert atomic.create(str(tmp_path / "link"), b"x") is False
    assert os.listdir(tmp_path) == ["link"]


def test_one_of_many_creators_wins(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    barrier = threading.Barrier(8)
    made: list[bytes] = []

    def work(name: bytes) -> None:
        barrier.wait()
        if atomic.create(path, name):
            made.append(name)

    threads = [threading.Thread(target=work, args=(bytes([65 + i]),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(tmp_path / "file").read_bytes()] == made


# --- lock ---------------------------------------------------------------------------------


def test_a_lock_stands_beside_the_file_and_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with atomic.lock(str(path)):
        assert os.listdir(tmp_path) == [".file.ctx-lock"]
    with pytest.raises(OSError, match="mine"), atomic.lock(str(path)):
        raise OSError("mine")
    assert os.listdir(tmp_path) == []
    (tmp_path / ".file.ctx-lock").write_bytes(b"")  # left by a dead process
    with atomic.lock(str(path), timeout=0):
        pass
    assert os.listdir(tmp_path) == []


def test_a_held_lock_is_named_after_the_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "file")
    slept: list[float] = []
    monkeypatch.setattr("ctx.edit.atomic.time.monotonic", lambda: 7.0 + sum(slept))
    monkeypatch.setattr("ctx.edit.atomic.time.sleep", slept.append)
    with atomic.lock(path):
        with pytest.raises(FileError) as caught, atomic.lock(path, timeout=0.1):
            pass
        assert 0.1 <= sum(slept) < 0.1 + 2 * atomic.PAUSE
    place = tmp_path / ".file.ctx-lock"
    assert str(caught.value) == (
        f"{place}: still locked after 0.1 s (another ctx is writing; try again when it is done)"
    )
    with atomic.lock(path, timeout=0):
        assert place.exists()


@posix
def test_a_link_and_its_target_share_a_lock(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    with (
        atomic.lock(str(tmp_path / "real")),
        pytest.raises(FileError, match="still locked"),
        atomic.lock(str(tmp_path / "link"), timeout=0),
    ):
        pass


def test_a_lock_without_a_folder_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "none" / "file"
    with pytest.raises(FileError) as caught, atomic.lock(str(path)):
        pass
    place = tmp_path / "none" / ".file.ctx-lock"
    assert str(caught.value) == f"{place}: cannot be locked: No such file or directory"


@posix
def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"x")
    (tmp_path / ".file.ctx-lock").symlink_to("precious")
    with pytest.raises(FileError, match="cannot be locked"), atomic.lock(str(tmp_path / "file")):
        pass
    assert (tmp_path / "precious").read_bytes() == b"x"


@posix
def test_a_file_system_that_cannot_lock_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    monkeypatch.setattr(fcntl, "flock", _failing(OSError(errno.ENOLCK, "No locks available")))
    message = "cannot be locked: No locks available"
    with pytest.raises(FileError, match=message), atomic.lock(str(tmp_path / "file")):
        pass


def _count(path: str, times: int) -> None:
    for _ in range(times):
        with atomic.lock(path, timeout=60):
            with open(path, "rb") as file:
                value = int(file.read())
            atomic.write(path, str(value + 1).encode())


def test_processes_and_threads_lose_no_update(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_count, args=(str(path), 40)) for _ in range(3)]
    threads = [threading.Thread(target=_count, args=(str(path), 40)) for _ in range(3)]
    for process in processes:
        process.start()
    for thread in threads:
        thread.start()
    for process in processes:
        process.join()
    for thread in threads:
        thread.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert path.read_bytes() == b"240"
    assert os.listdir(tmp_path) == ["file"]


# --- start-up -----------------------------------------------------------------------------


def test_importing_it_is_cheap() -> None:
    program = (
        "import sys, ctx.edit.atomic\n"
        "print({'tempfile', 'shutil', 'pathlib', 'random', 'typer', 'fcntl', 'dataclasses'}"
        " & set(sys.modules) or '')"
    )
    command = [sys.executable, "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# --- what the dead have left --------------------------------------------------------------

HOURS_AGO = 2 * 3600


def _left(folder: Path, name: str, data: bytes = b"", *, old: bool = True) -> Path:
    path = folder / name
    path.write_bytes(data)
    if old:
        moment = path.stat().st_mtime - HOURS_AGO
        os.utime(path, (moment, moment))
    return path


@pytest.mark.parametrize("makes", [True, False])
def test_the_next_writer_removes_what_the_dead_have_left(tmp_path: Path, *, makes: bool) -> None:
    path = tmp_path / "file"
    if not makes:
        path.write_bytes(b"old")
    gone = [
        _left(tmp_path, f".ctx-{'a1' * 8}.tmp", b"half"),
        _left(tmp_path, ".other.md.ctx-lock"),
    ]
    stays = [
        _left(tmp_path, f".ctx-{'b2' * 8}.tmp", old=False),
        _left(tmp_path, ".new.md.ctx-lock", old=False),
        *(
            _left(tmp_path, name)
            for name in (".ctx-1.tmp", f"ctx-{'a1' * 8}.tmp", f".ctx-{'A1' * 8}.tmp", "a.tmp")
        ),
        _left(tmp_path, ".alone.md.ctx-journal", b"of a clone"),
    ]
    link = tmp_path / f".ctx-{'c3' * 8}.tmp"
    link.symlink_to(stays[-1])
    folder = tmp_path / f".ctx-{'d4' * 8}.tmp"
    folder.mkdir()
    os.utime(folder, (0, 0))
    assert (atomic.create if makes else atomic.write)(str(path), b"new")
    assert [one for one in gone if one.exists()] == []
    assert [one for one in (*stays, link, folder) if not one.exists()] == []


def test_a_lock_that_is_held_is_not_removed_however_old(tmp_path: Path) -> None:
    with atomic.lock(str(tmp_path / "held")):
        os.utime(tmp_path / ".held.ctx-lock", (0, 0))
        atomic.write(str(tmp_path / "file"), b"new")
        assert (tmp_path / ".held.ctx-lock").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners of POSIX")
def test_what_another_user_has_left_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = _left(tmp_path, f".ctx-{'a1' * 8}.tmp")
    monkeypatch.setattr(os, "geteuid", lambda: 1_000_000)
    atomic.write(str(tmp_path / "file"), b"new")
    assert theirs.exists()


def test_a_write_that_a_journal_holds_is_finished_by_who_writes_beside_it(tmp_path: Path) -> None:
    path, other = _linked(tmp_path, b"old and long")
    journal = _left(tmp_path, ".file.ctx-journal", atomic._packed(b"old and long", b"new"))
    atomic.write(str(tmp_path / "beside"), b"new")
    assert (path.read_bytes(), other.read_bytes(), journal.exists()) == (b"new", b"new", False)

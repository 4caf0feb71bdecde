"""Write files so that no fault, crash or race loses a byte that a person wrote.

A file is either as it was or as it should be, never in between: new bytes go to a
temporary file in the same folder, reach the disk, and take the name in one step.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ctx.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TIMEOUT = 10.0
"""Seconds that ``lock`` waits for another process by default."""
PAUSE = 0.02
"""Seconds between two attempts to lock."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_LOCK = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


def write(
    path: str, data: bytes, *, mode: int | None = None, still: Callable[[], bool] | None = None
) -> bool:
    """Make ``data`` the content of ``path``, whole or not at all; return whether it was written.

    ``still`` is asked at the last moment, when the new bytes are on the disk already: where it
    says no, somebody else has written meanwhile, and nothing is.

    ``mode`` are permission bits to set; without them an existing file keeps its own and
    a new one gets the usual. A symbolic link stays and its target is written. A file
    that its owner made read-only is refused, although replacing it would be possible.
    """
    target = os.path.realpath(path)
    with _explained(path, "written"):
        old = _existing(path, target)
        bits = stat.S_IMODE(old.st_mode) if mode is None and old else mode
        temporary = _temporary(target)
        try:
            _fill(temporary, data, bits, old)
            if still is not None and not still():
                _remove(temporary)
                return False
            os.replace(temporary, target)
        except BaseException:
            _remove(temporary)
            raise
    _settle(target)
    return True


def create(path: str, data: bytes) -> bool:
    """Make the file ``path`` with ``data``; return False where the name is taken.

    Never overwrites, even where another process makes the same file at this moment. On
    file systems without hard links a crash of the machine can leave a part of the file.
    """
    if os.path.lexists(path):
        return False
    with _explained(path, "created"):
        temporary = _temporary(path)
        try:
            _fill(temporary, data)
            made = _link(temporary, path, data)
        finally:
            _remove(temporary)
    _settle(path)
    return made


@contextmanager
def lock(path: str, *, timeout: float = TIMEOUT) -> Iterator[None]:
    """Keep other users of this lock away from ``path`` meanwhile.

    The lock is a file beside it, ``.<name>.ctx-lock``, which goes away afterwards and
    which the system unlocks when its holder dies. It is not reentrant. FileError after
    ``timeout`` seconds (0: one attempt).
    """
    folder, name = os.path.split(os.path.realpath(path))
    place = os.path.join(folder, f".{name}.ctx-lock")
    with _explained(place, "locked"):
        descriptor = _acquire(place, timeout)
    try:
        yield
    finally:
        _release(place, descriptor)


# --- one whole file ---------------------------------------------------------------------


def _existing(path: str, target: str) -> os.stat_result | None:
    """Return what is known of the file to replace; None where there is none."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(old.st_mode):
        raise FileError(f"{path}: cannot be written: not a regular file")
    if not os.access(target, os.W_OK):
        raise FileError(f"{path}: cannot be written: the file is read-only")
    return old


def _temporary(target: str) -> str:
    # Not `tempfile`: importing it costs more than a third of a bare interpreter start.
    # Not the target's name with a suffix: that may pass the longest name allowed.
    return os.path.join(os.path.dirname(target), f".ctx-{os.urandom(8).hex()}.tmp")


def _fill(
    path: str, data: bytes, bits: int | None = None, old: os.stat_result | None = None
) -> None:
    """Make a new file with ``data``, permission ``bits`` and the owner of ``old``."""
    # Private until its bits are set: what was secret must not be readable for a moment.
    descriptor = os.open(path, _NEW, 0o666 if bits is None else 0o600)
    with os.fdopen(descriptor, "wb") as file:
        _resemble(path, os.fstat(descriptor), bits, old)
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _resemble(path: str, new: os.stat_result, bits: int | None, old: os.stat_result | None) -> None:
    if sys.platform != "win32" and old and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        # Running as root must not take a file from its owner; nobody else may give it.
        with suppress(OSError):
            os.chown(path, old.st_uid, old.st_gid)
    # Only where they differ: some file systems have fixed bits and refuse to set any.
    if bits is not None and stat.S_IMODE(new.st_mode) != bits:
        os.chmod(path, bits)


def _link(temporary: str, path: str, data: bytes) -> bool:
    """Give a whole file its name unless the name is taken; return whether it was free."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except (OSError, NotImplementedError, AttributeError):  # no hard links here
        return _exclusive(path, data)
    return True


def _exclusive(path: str, data: bytes) -> bool:
    try:
        descriptor = os.open(path, _NEW, 0o666)
    except FileExistsError:
        return False
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
    except BaseException:
        _remove(path)
        raise
    return True


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _settle(path: str) -> None:
    """Bring a new name to the disk, where the system lets one: the file is whole anyway."""
    if sys.platform != "win32":
        with suppress(OSError):
            folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


@contextmanager
def _explained(path: str, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(f"{path}: cannot be {what}: {error.strerror or error}") from error


# --- one at a time ----------------------------------------------------------------------


def _acquire(place: str, timeout: float) -> int:
    deadline = time.monotonic() + timeout
    while True:
        descriptor = _attempt(place)
        if descriptor is not None:
            return descriptor
        if time.monotonic() >= deadline:
            raise FileError(
                f"{place}: still locked after {timeout:g} s",
                "another ctx is writing; try again when it is done",
            )
        time.sleep(PAUSE)


def _attempt(place: str) -> int | None:
    """Return a locked descriptor of the lock file, or None where another has it."""
    try:
        descriptor = os.open(place, _LOCK, 0o666)
    except PermissionError:
        if sys.platform == "win32" and os.access(os.path.dirname(place), os.W_OK):
            return None  # its last holder is deleting it
        raise
    try:
        if _locked(descriptor) and _current(place, descriptor):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _current(place: str, descriptor: int) -> bool:
    """Return whether the locked file still has its name: its last holder removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(place))
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _locked(descriptor: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(place: str, descriptor: int) -> None:
        # Windows refuses to remove a file that anybody has open: who waits keeps it.
        os.close(descriptor)
        _remove(place)

else:

    def _locked(descriptor: int) -> bool:
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(place: str, descriptor: int) -> None:
        # Removed while locked: who waits for the old file finds it has lost its name.
        _remove(place)
        os.close(descriptor)

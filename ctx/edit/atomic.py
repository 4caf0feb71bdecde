"""Write files so that no fault, crash or race loses a byte that a person wrote.

A file is either as it was or as it should be, never in between: new bytes go to a
temporary file in the same folder, reach the disk, and take the name in one step, with the old
file's owner, permission bits and extended attributes.

A file with several names (hard links) would so lose all but one of them. It is overwritten in
place; meanwhile a journal beside it, ``.<name>.ctx-journal``, holds the bytes before and after:
if the process dies, whoever locks or writes the file next finishes its work.
"""

import io
import os
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ctx.edit.links import STRICT, Links, real
from ctx.errors import FileError
from ctx.text.regex import regex

TIMEOUT = 10.0  # seconds that ``lock`` waits for another process by default
PAUSE = 0.02  # seconds between two attempts to lock

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LOCK = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_MAGIC = b"ctx-journal-1"
_FIELDS = 3
_LINKED = 2  # names from which on a file counts as linked
_LEFT = 3600.0  # seconds after which no living process is at work on a temporary file
_LEAVES = regex(r"\.ctx-[0-9a-f]{16}\.tmp|\.(.+)\.ctx-(?:lock|journal)")


def write(  # noqa: PLR0913 - what, where, and on which conditions
    path: str,
    data: bytes,
    *,
    mode: int | None = None,
    still: Callable[[], bool] | None = None,
    links: Links = STRICT,
    like: str = "",
) -> bool:
    """Make ``data`` the content of ``path``, whole or not at all; return whether it was written.

    ``still`` is called at the last moment, when the new bytes are on the disk already: if it
    returns False, somebody else has written meanwhile, and nothing is written.

    ``mode`` are permission bits to set; without them an existing file keeps its own and
    a new one gets the usual. A symbolic link stays and its target is written, if ``links``
    let it. A file that its owner made read-only is refused, although it could be replaced.
    A new one gets owner and extended attributes of the file ``like``.
    """
    target = real(path, links)
    with explained(path, "written"):
        _finish(target)
        old = _existing(path, target)
        linked = old is not None and old.st_nlink >= _LINKED
        bits = stat.S_IMODE(old.st_mode) if mode is None and old else mode
        temporary = _temporary(target)
        try:
            before = _contents(target) if linked else b""
            packed = _packed(before, data) if linked else data
            model = target if old else like
            fill(temporary, packed, bits, os.stat(model) if model else None, model)
            _sweep(temporary)
            if still is not None and not still():
                remove(temporary)
                return False
            _unmoved(path, target)
            if linked:
                _write_linked(target, temporary, before, data)
                if mode is not None:
                    os.chmod(target, mode)
            else:
                os.replace(temporary, target)
        except BaseException:
            remove(temporary)
            raise
    settle(os.path.dirname(target))
    return True


def create(path: str, data: bytes, *, links: Links = STRICT) -> bool:
    """Make the file ``path`` with ``data``; return False if the name is taken.

    Never overwrites, even if another process makes the same file at this moment. On file
    systems without hard links a crash of the machine can leave a part of the file.
    """
    if os.path.lexists(path):
        return False
    target = real(path, links)
    with explained(path, "created"):
        temporary = _temporary(target)
        try:
            fill(temporary, data)
            _sweep(temporary)
            _unmoved(path, target)
            made = _link(temporary, target, data)
        finally:
            remove(temporary)
    settle(os.path.dirname(target))
    return made


@contextmanager
def lock(path: str, *, timeout: float = TIMEOUT, links: Links = STRICT) -> Iterator[None]:
    """Keep other users of this lock away from ``path`` meanwhile.

    The lock is a file beside it, ``.<name>.ctx-lock``, which is removed afterwards and which
    the system unlocks when its holder dies. It is not reentrant. FileError after ``timeout``
    seconds (0: one attempt).
    """
    folder, name = os.path.split(real(path, links))
    place = os.path.join(folder, f".{name}.ctx-lock")
    with explained(place, "locked"):
        descriptor = _acquire(place, timeout)
    try:
        with explained(path, "written"):
            _finish(os.path.join(folder, name))
        yield
    finally:
        _release(place, descriptor)


def read(path: str) -> bytes | None:
    """Return the content of ``path``, None if it does not exist; FileError if it is unreadable.

    That is, too, what is no regular file.
    """
    with explained(path, "read"):
        try:
            return _contents(path)
        except FileNotFoundError:
            return None


def refuse_odd(path: str, hint: str) -> bool:
    """Return whether ``path`` is there; FileError if it is no regular file, but a link or so."""
    with explained(path, "read"):
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return False
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{path}: is not a regular file", hint)
    return True


def remove(path: str) -> None:
    """Remove a file if that is possible."""
    with suppress(OSError):
        os.unlink(path)


def settle(path: str) -> None:
    """Bring new names in a folder to the disk, if the system can."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def explained(path: str, what: str) -> Iterator[None]:
    """Turn an OSError into a FileError: ``path`` cannot be ``what``."""
    try:
        yield
    except OSError as error:
        raise FileError(f"{path}: cannot be {what}: {error.strerror or error}") from error


def _existing(path: str, target: str) -> os.stat_result | None:
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(old.st_mode):
        raise FileError(f"{path}: cannot be written: not a regular file")
    if not os.access(target, os.W_OK):
        raise FileError(f"{path}: cannot be written: the file is read-only")
    return old


def _unmoved(path: str, target: str) -> None:
    if os.path.realpath(path) != target:
        raise OSError("a link on the way to it has changed")


def _temporary(target: str) -> str:
    # Not `tempfile`: importing it costs more than a third of a bare interpreter start.
    # Not the target's name with a suffix: that may pass the longest name allowed.
    return os.path.join(os.path.dirname(target), f".ctx-{os.urandom(8).hex()}.tmp")


def fill(
    path: str,
    data: bytes,
    bits: int | None = None,
    old: os.stat_result | None = None,
    target: str = "",
) -> None:
    """Make the new file ``path`` with ``data``, for the disk to keep.

    It gets the permission ``bits``, and of ``target``, whose status is ``old``, the owner and the
    extended attributes. Raises OSError.
    """
    # Private until its bits are set: a secret must not be readable for a moment.
    descriptor = os.open(path, _NEW, 0o666 if bits is None else 0o600)
    with os.fdopen(descriptor, "wb") as file:
        _resemble(path, os.fstat(descriptor), bits, old, target)
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _resemble(
    path: str, new: os.stat_result, bits: int | None, old: os.stat_result | None, target: str
) -> None:
    if sys.platform != "win32" and old and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        # Running as root must not take a file from its owner; nobody else may give it.
        with suppress(OSError):
            os.chown(path, old.st_uid, old.st_gid)
    if sys.platform == "linux" and old:  # Python cannot copy attributes elsewhere
        for name in os.listxattr(target):
            try:
                os.setxattr(path, name, os.getxattr(target, name))
            except OSError:
                if name.startswith("user."):  # only the system sets the others
                    raise
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
        try:
            fill(path, data)
        except FileExistsError:
            return False
        except BaseException:
            remove(path)
            raise
    return True


def _sweep(temporary: str) -> None:
    """Remove what processes that died have left in the folder of ``temporary``, a new file.

    That is temporary files and locks of this user; a write that a journal holds is finished.
    """
    folder = os.path.dirname(temporary)
    with suppress(OSError):
        new = os.lstat(temporary)
        for name in os.listdir(folder):
            if not (found := _LEAVES.fullmatch(name)):
                continue
            status = os.lstat(path := os.path.join(folder, name))
            is_own = sys.platform == "win32" or status.st_uid == os.geteuid()
            is_old = status.st_mtime + _LEFT < new.st_mtime
            if is_own and is_old and stat.S_ISREG(status.st_mode):
                if found[1] is None:
                    remove(path)
                    continue
                with suppress(FileError), lock(os.path.join(folder, found[1]), timeout=0):
                    pass  # it is finished now, and unlocked


def _journal(target: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name}.ctx-journal")


def _packed(before: bytes, after: bytes) -> bytes:
    body = before + after
    return b"%s %d %08x\n%s" % (_MAGIC, len(before), zlib.crc32(body), body)


def _unpacked(journal: str) -> tuple[bytes, bytes]:
    """Return the bytes before and after the write; OSError if the journal is damaged."""
    head, _, body = _contents(journal).partition(b"\n")
    fields = head.split()
    if len(fields) != _FIELDS or fields[0] != _MAGIC or int(fields[2], 16) != zlib.crc32(body):
        raise OSError(f"{journal} is no journal of ctx; move it away")
    return body[: int(fields[1])], body[int(fields[1]) :]


def _write_linked(target: str, temporary: str, before: bytes, after: bytes) -> None:
    """Overwrite ``target``; ``temporary``, which holds both contents, becomes the journal."""
    journal = _journal(target)
    os.replace(temporary, journal)
    settle(os.path.dirname(journal) or ".")
    try:
        _overwrite(target, before, after)
    except BaseException:
        # A full disk refuses the first step, which only adds: the old content can be restored.
        _overwrite(target, after, before)
        remove(journal)
        raise
    remove(journal)


def _overwrite(target: str, before: bytes, after: bytes) -> None:
    """Turn ``before`` into ``after`` in place, as ``_is_between`` knows it."""
    flags = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(target, flags)
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        _write_at(file, len(before), after)  # first what needs disk space
        _write_at(file, 0, after[: len(before)])
        file.truncate(len(after))
        os.fsync(descriptor)


def _write_at(file: io.FileIO, start: int, data: bytes) -> None:
    file.seek(start)
    while start < len(data):
        start += file.write(data[start:])


def _is_between(now: bytes, before: bytes, after: bytes) -> bool:
    """Return whether an unfinished ``_overwrite`` can leave ``now``."""
    grown = before + after[len(before) :]
    if grown.startswith(now) and len(now) >= len(before):
        return True
    pairs = enumerate(zip(now, after, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), min(len(now), len(after)))
    return len(now) == len(grown) and now[same:] == grown[same:]


def _finish(target: str) -> None:
    """Finish a write in place whose process died; OSError if somebody wrote since."""
    journal = _journal(target)
    # A clone has no hard links: a journal that somebody committed is never obeyed.
    if not _is_file(journal) or not _is_file(target) or os.stat(target).st_nlink < _LINKED:
        return
    before, after = _unpacked(journal)
    now = _contents(target)
    if now != after:
        if not _is_between(now, before, after):
            raise OSError(f"it changed after a write was cut short; {journal} holds that write")
        _overwrite(target, now, after)
    remove(journal)


def _is_file(path: str) -> bool:
    return os.path.lexists(path) and stat.S_ISREG(os.lstat(path).st_mode)


def _contents(path: str) -> bytes:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise FileError(f"{path}: is not a regular file", "move it away, then try again")
    with open(os.open(path, _READ), "rb") as file:
        return file.read()


def _acquire(place: str, timeout: float) -> int:
    deadline = time.monotonic() + timeout
    while True:
        if (descriptor := _attempt(place)) is not None:
            return descriptor
        if time.monotonic() >= deadline:
            raise FileError(
                f"{place}: still locked after {timeout:g} s",
                "another ctx is writing; try again when it is done",
            )
        time.sleep(PAUSE)


def _attempt(place: str) -> int | None:
    """Return a locked descriptor of the lock file; None where another process holds it."""
    try:
        descriptor = os.open(place, _LOCK, 0o666)
    except PermissionError:
        if sys.platform == "win32" and os.access(os.path.dirname(place), os.W_OK):
            return None  # its last holder is deleting it
        raise
    try:
        if _locked(descriptor) and _has_name(place, descriptor):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _has_name(place: str, descriptor: int) -> bool:
    """Return whether the locked file still has its name: its last holder may have removed it."""
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
        # Windows refuses to remove a file that anybody has open: a waiting process keeps it.
        os.close(descriptor)
        remove(place)

else:

    def _locked(descriptor: int) -> bool:
        import fcntl  # costs start-up time, and few calls lock

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(place: str, descriptor: int) -> None:
        # Removed while locked: who waits for the old file finds that it has lost its name.
        remove(place)
        os.close(descriptor)

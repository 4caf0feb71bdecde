"""Moving what older versions kept in the repository's ``sessions/`` to the user's state directory.

A file is copied, brought to the disk and compared before the old one is removed. An interrupted
move leaves both; the next one continues. Nothing that is stored already is ever changed.
"""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress

from ctx.edit import atomic
from ctx.edit.atomic import explained, remove, settle
from ctx.errors import FileError
from ctx.sessions.files import ASIDE, NAME, PRIVATE, PRIVATE_FOLDER, SUMMARIES, make
from ctx.sessions.importing import TIMEOUT

_SUMMARIES = f"{NAME}/{SUMMARIES}"
_IGNORE = b"# Transcripts hold private text and secrets: git leaves them out"
"""Beginning of the ``.gitignore`` that older versions put beside sessions."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_OLD = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_CHUNK = 1024 * 1024


def take(root: str, state: str, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Move files below ``root`` to the folder ``state``; yield each, and why it stays if it does.

    ``wanted`` are relative to ``root``, a session before its summaries. Raises FileError if
    nothing can be moved at all.
    """
    old = os.path.join(root, NAME)
    with atomic.lock(old, timeout=TIMEOUT):  # which the importer of an older version takes
        place = os.path.join(state, NAME)
        with atomic.lock(place, timeout=TIMEOUT):
            make(state)
            for path in wanted:
                try:
                    yield path, _taken(root, state, path)
                except FileError as error:
                    yield path, str(error)
        _clear(root)


def _taken(root: str, state: str, path: str) -> str:
    """Move one file; return why it stays, empty if it does not. FileError likewise."""
    source, target = os.path.join(root, path), os.path.join(state, path)
    name = os.path.basename(path)
    if os.path.dirname(path) == _SUMMARIES and os.path.lexists(os.path.join(root, NAME, name)):
        return "the session that it sums up has not been moved"
    with explained(source, "read"):
        if not stat.S_ISREG(os.lstat(source).st_mode):
            return "is not a regular file"
    with explained(target, "written"):
        os.makedirs(os.path.dirname(target), PRIVATE_FOLDER, exist_ok=True)
    # Compactions take these locks, of an older version and of this one.
    with atomic.lock(source, timeout=0), atomic.lock(target, timeout=0):
        if not os.path.lexists(target):
            _copy(source, target)
        if not _begins(target, source):
            return (
                "something else is stored under that name; left where it is"
                " (`ctx session import FILE` adds the turns of a session)"
            )
        with explained(source, "removed"):
            os.unlink(source)
    return ""


def _copy(source: str, target: str) -> None:
    """Make ``target``, which does not exist, whole or not at all."""
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".ctx-{os.urandom(8).hex()}.tmp")
    with explained(target, "written"):
        try:
            with (
                os.fdopen(os.open(source, _OLD), "rb") as old,
                os.fdopen(os.open(temporary, _NEW, PRIVATE), "wb") as new,
            ):
                shutil.copyfileobj(old, new, _CHUNK)
                new.flush()
                os.fsync(new.fileno())
            os.rename(temporary, target)  # nobody else makes it: the locks are held
        except BaseException:
            remove(temporary)
            raise
    settle(folder)


def _begins(target: str, source: str) -> bool:
    """Return whether ``target`` is ``source``, or that and more lines, and is on the disk.

    A session that was imported again since has grown at its end.
    """
    with (
        explained(target, "read"),
        os.fdopen(os.open(target, os.O_RDWR | _OLD), "rb") as new,
        os.fdopen(os.open(source, _OLD), "rb") as old,
    ):
        last = b"\n"
        while data := old.read(_CHUNK):
            if new.read(len(data)) != data:
                return False
            last = data
        os.fsync(new.fileno())
        return last.endswith(b"\n") or not new.read(1)


def _clear(root: str) -> None:
    folder = os.path.join(root, NAME)
    ignore = os.path.join(folder, ".gitignore")
    for name in (ASIDE, SUMMARIES):
        with suppress(OSError):
            os.rmdir(os.path.join(folder, name))
    with suppress(OSError):
        if os.listdir(folder) == [".gitignore"] and not os.path.islink(ignore):
            with open(ignore, "rb") as file:
                is_own = file.read(len(_IGNORE)) == _IGNORE
            if is_own:
                os.unlink(ignore)
        os.rmdir(folder)

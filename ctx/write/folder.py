"""The folder that sessions are kept in: private until somebody decides otherwise."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ctx.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "sessions"
ASIDE = "aside"
"""The folder in it for what cannot be read as a turn."""
IGNORE = b"""\
# Transcripts hold private text and secrets: git leaves them out until this file is deleted.
*
"""
PRIVATE = 0o600
"""Permission bits of what ctx writes here."""


def make(root: str) -> str:
    """Return the path of the folder below ``root``, made where it is missing.

    Raises FileError where it cannot be made, is a file, or leads out of ``root``.
    """
    path = check(root)
    if not os.path.isdir(path):
        with explained(path, "created"):
            _make_private(path)
    return path


def check(root: str) -> str:
    """Return the path of the folder; FileError where something else is in its place."""
    path = os.path.join(root, NAME)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise FileError(f"{path}: is not a directory", "move it away, then import again")
    base = os.path.realpath(root).rstrip(os.sep) + os.sep
    if not os.path.realpath(path).startswith(base):
        raise FileError(
            f"{path}: is a link out of the context directory", "sessions are kept in a folder of it"
        )
    return path


def _make_private(path: str) -> None:
    """Make the folder and its ``.gitignore`` in one step.

    A folder without it means that somebody has deleted it on purpose; a death of this
    process in between must not look the same.
    """
    # Not removed where the process dies; it ignores itself, too.
    temporary = os.path.join(os.path.dirname(path), f".ctx-{os.urandom(8).hex()}.tmp")
    ignore = os.path.join(temporary, ".gitignore")
    try:
        os.mkdir(temporary)
        with open(ignore, "wb") as file:
            file.write(IGNORE)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, path)
    except BaseException:
        for remove, left in ((os.unlink, ignore), (os.rmdir, temporary)):
            with suppress(OSError):
                remove(left)
        raise


def settle(path: str) -> None:
    """Bring new names in a folder to the disk, where the system lets one."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def refuse_odd(path: str) -> bool:
    """Return whether there is a file at ``path``; FileError where it is no plain file."""
    with explained(path, "read"):
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return False
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{path}: is not a regular file", "move it away, then import again")
    return True


@contextmanager
def explained(path: str, what: str) -> Iterator[None]:
    """Turn an OSError into a FileError: ``path`` cannot be ``what``."""
    try:
        yield
    except OSError as error:
        raise FileError(f"{path}: cannot be {what}: {error.strerror or error}") from error

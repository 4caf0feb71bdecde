"""The folder of sessions: in the user's state directory, private to the user."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ctx.errors import FileError

NAME = "sessions"
ASIDE = "aside"
"""The folder in it for lines that cannot be read as turns."""
PRIVATE = 0o600
"""Permission bits of what ctx writes here."""
PRIVATE_FOLDER = 0o700


def make(state: str) -> str:
    """Return the path of the folder below ``state``, made if it is missing.

    Raises FileError if it cannot be made, is a file, or leads out of ``state``.
    """
    path = check(state)
    with explained(path, "created"):
        os.makedirs(path, PRIVATE_FOLDER, exist_ok=True)
    return path


def check(state: str) -> str:
    """Return the path of the folder; FileError if something else is in its place."""
    path = os.path.join(state, NAME)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise FileError(f"{path}: is not a directory", "move it away, then import again")
    base = os.path.realpath(state).rstrip(os.sep) + os.sep
    if not os.path.realpath(path).startswith(base):
        raise FileError(f"{path}: is a link out of its folder", "CTX_STATE_DIR names another place")
    return path


def settle(path: str) -> None:
    """Bring new names in a folder to the disk, if the system can."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def refuse_odd(path: str) -> bool:
    """Return whether there is a file at ``path``; FileError if it is no regular file."""
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

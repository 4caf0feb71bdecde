"""The folder of sessions, in the user's state directory, and its files, which only grow."""

import json
import os
from contextlib import suppress

from ctx.edit.atomic import explained
from ctx.errors import FileError
from ctx.model import JsonObject

NAME = "sessions"
ASIDE = "aside"  # the folder in it for lines that cannot be read as turns
SUMMARIES = "summaries"
PRIVATE = 0o600  # permission bits of what ctx writes here
PRIVATE_FOLDER = 0o700
LONGEST = 128 * 1024 * 1024
"""Bytes of a stored line that are kept in memory: a line of 32 MiB may become as long."""
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT
_APPEND |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_CHUNK = 64 * 1024


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


def json_line(fields: JsonObject) -> bytes:
    """Return a record as JSON in UTF-8, with its newline."""
    # Half of a surrogate pair is no UTF-8; its backslash escape is the one of JSON.
    return json.dumps(fields, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def is_json(data: bytes) -> bool:
    """Return whether a line is whole, though it lacks its newline."""
    try:
        json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return True


def torn_end(path: str, most: int, hint: str = "") -> bytes:
    """Return the last line of a file unless it ends in a newline; FileError over ``most`` bytes."""
    pieces: list[bytes] = []
    with explained(path, "read"), open(path, "rb") as file:
        at = file.seek(0, os.SEEK_END)
        while at:
            step = min(_CHUNK, at)
            at -= step
            file.seek(at)
            data = file.read(step)
            pieces.append(data[data.rfind(b"\n") + 1 :])
            if sum(map(len, pieces)) > most:
                raise FileError(f"{path}: its last line has no end within {most:,} bytes", hint)
            if b"\n" in data:
                break
    return b"".join(reversed(pieces))


def cut_off(path: str, size: int) -> None:
    """Remove the last ``size`` bytes of a file; FileError if that is impossible."""
    with explained(path, "written"):
        os.truncate(path, os.path.getsize(path) - size)


class Appender:
    """A file open at its end, with lines that are still to be written."""

    def __init__(self, path: str, again: str) -> None:
        """``again`` is the command that a FileError advises to repeat."""
        self.path = path
        self._again = again
        self._lines: list[bytes] = []
        self._size = 0
        with explained(path, "written"):
            self._handle = os.open(path, _APPEND, PRIVATE)

    def add(self, line: bytes, most: int = 0) -> None:
        """Append a line, now or when ``most`` bytes have been gathered."""
        self._lines.append(line)
        self._size += len(line)
        if self._size >= most:
            self.flush()

    def flush(self) -> None:
        """Write the gathered lines; if that fails or is interrupted, the file is as before."""
        left = memoryview(b"".join(self._lines))
        self._lines, self._size = [], 0
        before = os.fstat(self._handle).st_size
        try:
            while left:
                left = left[os.write(self._handle, left) :]
        except BaseException as error:
            with suppress(OSError):
                os.ftruncate(self._handle, before)
            if not isinstance(error, OSError):
                raise
            raise FileError(
                f"{self.path}: cannot be written: {error.strerror or error}",
                f"nothing is lost: {self._again} again when it can be",
            ) from error

    def settle(self) -> None:
        """Bring everything to the disk; raises FileError."""
        self.flush()
        with explained(self.path, "written"):
            os.fsync(self._handle)

    def close(self) -> None:
        """Close the file; lines that were not flushed are not written."""
        os.close(self._handle)

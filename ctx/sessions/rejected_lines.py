"""Lines that cannot be read as turns, kept verbatim: ``sessions/aside/<name>.txt``."""

import os
from collections.abc import Iterable

from ctx.edit import atomic
from ctx.edit.folder import ASIDE, PRIVATE, explained, refuse_odd
from ctx.errors import FileError
from ctx.model import session_file

MOST_LINES = 1000
MOST_BYTES = 4 * 1024 * 1024
"""Most that one import keeps."""
FULL = 16 * 1024 * 1024
"""Bytes from which a file takes no more lines."""


def path_of(folder: str, name: str) -> str:
    """Return the path of the rejected lines of ``name``, in the folder ``sessions/``."""
    return os.path.join(folder, ASIDE, session_file(name).removesuffix(".jsonl") + ".txt")


class Aside:
    """The rejected lines of one import, distinct, until they are saved."""

    def __init__(self, path: str) -> None:
        """Begin without lines; ``path`` is the file for them."""
        self.path = path
        self.left_out = 0
        """Lines that were too many or too long."""
        self.added = 0
        """Lines that were not in the file before; known when they are saved."""
        self._lines: dict[bytes, None] = {}
        self._size = 0

    def add(self, data: bytes) -> None:
        """Keep a line, given without its newline; empty for one that is too long."""
        if data in self._lines:
            return
        if not data or len(self._lines) >= MOST_LINES or self._size + len(data) > MOST_BYTES:
            self.left_out += 1
            return
        self._lines[data] = None
        self._size += len(data)

    def save(self) -> None:
        """Write the lines that are new, whole or not at all; FileError if that is impossible."""
        if not self._lines:
            return
        full = refuse_odd(self.path) and os.path.getsize(self.path) > FULL
        new = keep(self.path, self._lines, full=full)
        if full:
            self.left_out += new
        else:
            self.added = new


def keep(path: str, lines: Iterable[bytes], *, full: bool = False) -> int:
    """Add each of ``lines`` to a file unless it is there; return how many were not.

    A file that is ``full`` takes none. FileError if it cannot be read or written.
    """
    old = b""
    if refuse_odd(path):
        with explained(path, "read"), open(path, "rb") as file:
            old = file.read()
    if old and not old.endswith(b"\n"):
        old += b"\n"
    known = set(old.split(b"\n"))
    new = [line + b"\n" for line in lines if line not in known]
    if not new or full:
        return len(new)
    folder = os.path.dirname(path)
    if os.path.islink(folder):
        raise FileError(f"{folder}: is a link", "move it away, then import again")
    with explained(folder, "created"):
        os.makedirs(folder, exist_ok=True)
    atomic.write(path, old + b"".join(new), mode=PRIVATE)
    return len(new)

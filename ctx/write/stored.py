"""The file of one session: read through once, mended where a process died, appended to."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import FileError
from ctx.write import aside
from ctx.write.folder import PRIVATE, explained, refuse_odd

if TYPE_CHECKING:
    from collections.abc import Iterator

BUFFER = 256 * 1024
"""Bytes that are gathered before they are written."""
LONGEST = 128 * 1024 * 1024
"""Bytes of a stored line that are held at once: what a line of 32 MiB may become."""

_APPEND = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)


class End(NamedTuple):
    """How a stored file ends."""

    start: int
    """Byte at which its last line starts, if that has no newline; else its size."""
    size: int
    """Bytes of the file."""


def turns(path: str, ends: list[End]) -> Iterator[dict[str, object]]:
    """Yield the objects of a stored file, nothing where there is none; then its end.

    The ``End`` is appended to ``ends`` when all is read. What is no object is passed over.
    """
    if not refuse_odd(path):
        return
    start = size = 0
    with explained(path, "read"), open(path, "rb") as file:
        while data := file.readline(LONGEST):
            size += len(data)
            start = size if data.endswith(b"\n") else start
            try:
                value = json.loads(data.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value
    ends.append(End(start, size))


def mend(path: str, end: End, folder: str) -> tuple[bytes, str]:
    """Make the last line of a stored file whole, or move it aside.

    Returns what has to be appended first, and one line for the user; both are empty where
    the file ends in a newline. What is moved is on the disk before it is cut off here.
    """
    if end.start == end.size:
        return b"", ""
    if end.size - end.start > LONGEST:
        raise FileError(f"{path}: its last line has no end within {LONGEST:,} bytes")
    with explained(path, "read"), open(path, "rb") as file:
        file.seek(end.start)
        fragment = file.read()
    if _is_json(fragment):
        return b"\n", f"{path}: its last line had no newline: added"
    name = os.path.basename(path).removesuffix(".jsonl")
    place = aside.path_of(folder, name)
    aside.keep(place, [fragment])
    with explained(path, "written"):
        os.truncate(path, end.start)
    return b"", f"{path}: its last line was cut off: {len(fragment):,} bytes moved to {place}"


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return True


class Appender:
    """A session's file, open at its end, with what is still to be written."""

    def __init__(self, path: str) -> None:
        """Open the file, made where it is missing; FileError where it cannot be."""
        self.path = path
        self._lines: list[bytes] = []
        self._size = 0
        with explained(path, "written"):
            self._handle = os.open(path, _APPEND, PRIVATE)

    def add(self, line: bytes) -> None:
        """Append a line, at the latest when this is closed."""
        self._lines.append(line)
        self._size += len(line)
        if self._size >= BUFFER:
            self.flush()

    def flush(self) -> None:
        """Write what was gathered; on a FileError the file is as it was before."""
        data = memoryview(b"".join(self._lines))
        self._lines, self._size = [], 0
        if not data:
            return
        before = os.fstat(self._handle).st_size
        try:
            while data:
                data = data[os.write(self._handle, data) :]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, before)
            raise FileError(
                f"{self.path}: cannot be written: {error.strerror or error}",
                "nothing is lost: import again when it can be",
            ) from error

    def settle(self) -> None:
        """Bring everything to the disk."""
        self.flush()
        with explained(self.path, "written"):
            os.fsync(self._handle)

    def close(self) -> None:
        """Let go of the file; what was not flushed is not written."""
        os.close(self._handle)

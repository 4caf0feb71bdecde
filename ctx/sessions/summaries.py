"""Summaries of sessions: ``sessions/summaries/<session's file>``, append-only JSON Lines.

An interrupted compaction leaves the beginning of its records; the next one removes half a line
and continues. The lock is not the importer's: summarising may take hours, and no import has to
wait for it.
"""

import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Self

from ctx.edit import atomic
from ctx.edit.atomic import explained, settle
from ctx.errors import FileError
from ctx.sessions.files import (
    APPEND,
    NAME,
    PRIVATE,
    PRIVATE_FOLDER,
    SUMMARIES,
    append,
    check,
    is_json,
    json_line,
    torn_end,
)

TIMEOUT = 1.0
"""Seconds that a compaction waits for another one of the same session."""
OFTEN = 64
"""Records after which they are brought to the disk."""
LONGEST = 32 * 1024 * 1024
"""Bytes of a torn line that are read."""
_HINT = "move it away, then compact again"


def line_of(kind: str, fields: Mapping[str, object]) -> bytes:
    """Return the line that a record is stored as: JSON in UTF-8, with its newline."""
    return json_line({"type": kind, **fields})


def is_torn(state: str, name: str) -> bool:
    """Return whether the file of a session's summaries exists and does not end in a newline."""
    path = os.path.join(state, NAME, SUMMARIES, name)
    if not os.path.lexists(path):
        return False
    with explained(path, "read"), open(path, "rb") as file:
        return bool(torn_end(file, path, LONGEST, _HINT))


class Journal:
    """The file of one session's summaries, open at its end: a context manager with its lock."""

    def __init__(self, state: str, name: str, *, timeout: float = TIMEOUT) -> None:
        """Prepare to add to the summaries of the session in the file ``name``."""
        self._state = state
        self._folder = os.path.join(state, NAME, SUMMARIES)
        self.path = os.path.join(self._folder, name)
        self.remarks: list[str] = []
        """Remarks for the user, a line each."""
        self._timeout = timeout
        self._handle = -1
        self._unsettled = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Take the lock, and repair the last line; FileError if that cannot be done."""
        with self._stack as stack:
            self._make()
            try:
                stack.enter_context(atomic.lock(self.path, timeout=self._timeout))
            except FileError as error:
                if error.__cause__ is not None:  # the lock itself cannot be made
                    raise
                raise FileError(
                    f"{self.path}: another ctx is compacting this session",
                    "try again when it is done",
                ) from error
            atomic.refuse_odd(self.path, "move it away, then import again")
            with explained(self.path, "written"):
                self._handle = os.open(self.path, os.O_RDWR | APPEND, PRIVATE)
                stack.callback(self._close)
                self._mend()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        """Bring everything to the disk as far as possible, and close the file."""
        self._stack.close()

    def add(self, kind: str, fields: Mapping[str, object]) -> None:
        """Append a record; on a FileError the file is as it was before."""
        append(self._handle, self.path, line_of(kind, fields), "compact")
        self._unsettled += 1
        if self._unsettled >= OFTEN:
            self.settle()

    def settle(self) -> None:
        """Bring everything to the disk; raises FileError."""
        self._unsettled = 0
        with explained(self.path, "written"):
            os.fsync(self._handle)

    def _make(self) -> None:
        check(self._state)
        if os.path.islink(self._folder):
            raise FileError(f"{self._folder}: is a link", _HINT)
        if os.path.lexists(self._folder) and not os.path.isdir(self._folder):
            raise FileError(f"{self._folder}: is not a directory", _HINT)
        with explained(self._folder, "created"):
            os.makedirs(self._folder, PRIVATE_FOLDER, exist_ok=True)

    def _mend(self) -> None:
        """End the last line, or cut it off if only its beginning is there."""
        with open(self._handle, "rb", closefd=False) as file:
            fragment = torn_end(file, self.path, LONGEST, _HINT)
        if not fragment:
            return
        if is_json(fragment):
            os.write(self._handle, b"\n")
            return
        os.ftruncate(self._handle, os.fstat(self._handle).st_size - len(fragment))
        self.remarks.append(
            f"{self.path}: its last line was cut off, and taken away: {len(fragment):,} bytes"
        )

    def _close(self) -> None:
        with suppress(OSError):
            os.fsync(self._handle)
        with suppress(OSError):
            os.close(self._handle)
        settle(self._folder)

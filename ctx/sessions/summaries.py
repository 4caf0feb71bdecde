"""Summaries of sessions: ``sessions/summaries/<session's file>``, append-only JSON Lines.

An interrupted compaction leaves the beginning of its records; the next one removes half a line
and continues. The lock is not the importer's: summarising may take hours, and no import has to
wait for it.
"""

import os
from contextlib import ExitStack, suppress
from typing import Self

from ctx.edit import atomic
from ctx.edit.atomic import explained, settle
from ctx.errors import FileError
from ctx.read.lineage import Record
from ctx.sessions import files

TIMEOUT = 1.0  # seconds that a compaction waits for another one of the same session
OFTEN = 64  # records after which they are brought to the disk
LONGEST = 32 * 1024 * 1024  # bytes of a torn line that are read
_HINT = "move it away, then compact again"


def line_of(record: Record) -> bytes:
    """Return the line that a record is stored as: JSON in UTF-8, with its newline."""
    return files.json_line({"type": type(record).__name__.lower(), **record._asdict()})


def is_torn(state: str, name: str) -> bool:
    """Return whether the file of a session's summaries exists and does not end in a newline."""
    path = os.path.join(state, files.NAME, files.SUMMARIES, name)
    return os.path.lexists(path) and bool(files.torn_end(path, LONGEST, _HINT))


class Journal:
    """The file of one session's summaries, open at its end: a context manager with its lock."""

    def __init__(self, state: str, name: str, *, timeout: float = TIMEOUT) -> None:
        self._state = state
        self._folder = os.path.join(state, files.NAME, files.SUMMARIES)
        self.path = os.path.join(self._folder, name)
        self.remarks: list[str] = []  # remarks for the user, a line each
        self._timeout = timeout
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
            self._file = files.Appender(self.path, "compact")
            stack.callback(self._close)
            self._mend()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        """Bring everything to the disk as far as possible, and close the file."""
        self._stack.close()

    def add(self, record: Record) -> None:
        """Append a record; on a FileError the file is as it was before."""
        self._file.add(line_of(record))
        self._unsettled += 1
        if self._unsettled >= OFTEN:
            self.settle()

    def settle(self) -> None:
        """Bring everything to the disk; raises FileError."""
        self._unsettled = 0
        self._file.settle()

    def _make(self) -> None:
        files.check(self._state)
        if os.path.islink(self._folder):
            raise FileError(f"{self._folder}: is a link", _HINT)
        if os.path.lexists(self._folder) and not os.path.isdir(self._folder):
            raise FileError(f"{self._folder}: is not a directory", _HINT)
        with explained(self._folder, "created"):
            os.makedirs(self._folder, files.PRIVATE_FOLDER, exist_ok=True)

    def _mend(self) -> None:
        fragment = files.torn_end(self.path, LONGEST, _HINT)
        if fragment and files.is_json(fragment):
            self._file.add(b"\n")
        elif fragment:
            files.cut_off(self.path, len(fragment))
            size = f"{len(fragment):,} bytes"
            self.remarks.append(f"{self.path}: its last line was cut off, and taken away: {size}")

    def _close(self) -> None:
        with suppress(FileError):
            self._file.settle()
        with suppress(OSError):
            self._file.close()
        settle(self._folder)

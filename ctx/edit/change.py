"""Changing one file that people write: locked, read, changed in memory, replaced in one step."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import os
import stat
from collections.abc import Callable
from typing import NamedTuple

from ctx.edit import atomic
from ctx.edit.folder import explained
from ctx.errors import FileError

TRIES = 3
"""Times that a file is read again because it changed meanwhile."""

Make = Callable[[bytes | None], bytes | None]
"""Told a file's bytes, None where there is no file; returns what it is to hold, None where it is
to stay as it is. What it raises leaves the file as it is, too. It may be asked again."""


class Target(NamedTuple):
    """The file that takes entries of a kind."""

    root: str
    """The context directory."""
    name: str
    """The file's path in it: ``DECISIONS.md``."""
    heading: str
    """What a new file begins with: ``Decisions``."""
    allow_links: bool = False
    """Whether a link may lead out of the directory."""
    form: str = ""
    """What a new file holds, beside what is added; empty for its heading alone."""

    @property
    def path(self) -> str:
        """Where the file is."""
        return os.path.join(self.root, self.name)

    @property
    def fresh(self) -> bytes:
        """What a new file holds before anything is added to it."""
        return (self.form or f"# {self.heading}\n").encode()


def change(target: Target, make: Make, *, timeout: float = atomic.TIMEOUT) -> None:
    """Let the file hold what ``make`` makes of it, or leave it as it is.

    Raises FileError where it cannot be read or written, leads out of the directory, or keeps
    changing; then it is as it was.
    """
    _refuse(target)
    with atomic.lock(target.path, timeout=timeout):
        for _ in range(TRIES):
            if _attempt(target, make):
                return
    raise FileError(f"{target.path}: changes while it is written", "try again when it is done")


def _attempt(target: Target, make: Make) -> bool:
    """Return whether it is done; not where the file changed meanwhile."""
    before = _read(target)
    after = make(before)
    if after is None:
        return True
    if before is None:
        return atomic.create(target.path, after)
    # Asked when all else is done: an editor that saves meanwhile must not lose what it saved.
    return atomic.write(target.path, after, still=lambda: _read(target) == before)


def _read(target: Target) -> bytes | None:
    """Return the file's bytes, None where there is none; FileError where it cannot be."""
    _refuse(target)
    with explained(target.path, "read"):
        try:
            with open(target.path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None


def _refuse(target: Target) -> None:
    """Raise FileError for what is no file, and for one that is not in the directory."""
    path = target.path
    # Of a file that is not there its folder counts: a link there leads out, too.
    there = path if os.path.lexists(path) else os.path.dirname(path)
    base = os.path.realpath(target.root).rstrip(os.sep) + os.sep
    if not target.allow_links and not f"{os.path.realpath(there)}{os.sep}".startswith(base):
        raise FileError(
            f"{path}: is a link out of the context directory",
            "allow_links = true in ~/.config/ctx/config.toml follows it",
        )
    if there != path:
        return
    with explained(path, "read"):
        status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{path}: is not a regular file", "move it away, then try again")

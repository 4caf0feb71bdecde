"""Change one file that people write: locked, read, changed in memory, replaced in one step."""

import os
from collections.abc import Callable
from typing import NamedTuple

from ctx.edit import atomic
from ctx.edit.links import STRICT, Links, make_folder, real
from ctx.errors import FileError

TRIES = 3  # times that a file is read again because it changed meanwhile

Make = Callable[[bytes | None], bytes | None]  # returns a file's new bytes, None for no change


class Target(NamedTuple):
    """The file that takes entries of a kind."""

    root: str  # the context directory
    name: str  # the file's path in it: ``DECISIONS.md``
    heading: str  # the heading of a new file: ``Decisions``
    links: Links = STRICT  # which links are followed
    form: str = ""  # a new file before anything is added; empty for its heading alone

    @property
    def path(self) -> str:
        """The path of the file."""
        return os.path.join(self.root, self.name)

    @property
    def fresh(self) -> bytes:
        """The content of a new file before anything is added to it."""
        return (self.form or f"# {self.heading}\n").encode()


def change(
    target: Target, make: Make, *, timeout: float = atomic.TIMEOUT, dry_run: bool = False
) -> None:
    """Replace the file's content by what ``make`` returns; FileError, and no change, if not so."""
    if dry_run:
        make(content(target))
        return
    make_folder(os.path.dirname(target.path), target.links)
    with atomic.lock(target.path, timeout=timeout, links=target.links):
        for _ in range(TRIES):
            if _attempt(target, make):
                return
    raise FileError(f"{target.path}: changes while it is written", "try again when it is done")


def _attempt(target: Target, make: Make) -> bool:
    """Return whether it is done: False if the file changed meanwhile."""
    before = content(target)
    if (after := make(before)) is None:
        return True
    if before is None:
        return atomic.create(target.path, after, links=target.links)
    # Asked when all else is done: what an editor saves meanwhile must not be lost.
    return atomic.write(
        target.path, after, still=lambda: content(target) == before, links=target.links
    )


def content(target: Target) -> bytes | None:
    """Return the file's bytes, None where it does not exist; FileError where it cannot be read."""
    real(target.path, target.links)
    with atomic.explained(target.path, "read"):
        if os.path.islink(target.path):
            os.stat(target.path)  # what it leads to has to be there
    return atomic.read(target.path)

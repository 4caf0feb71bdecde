"""Adding one dated entry to DECISIONS.md or LEARNINGS.md: newest first, nothing else changed.

Shared by all that adds entries. The file is locked, read, and written in one step; what it held
stays byte for byte. Where the result is not the file with exactly one entry more, nothing is
written.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import os
import re
import stat
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from ctx import atomic
from ctx.errors import FileError, UsageError
from ctx.write.folder import explained
from ctx.write.harmless import line, paragraphs
from ctx.write.places import place

STAMP = "%Y-%m-%d-%H%M%S"
TRIES = 3
"""Times that a file is read again because it changed meanwhile."""

_TAKEN = re.compile(r"\[?(\d{4}-\d{2}-\d{2})[-T ](\d{2}):?(\d{2}):?(\d{2})")

Check = Callable[[bytes, bytes], str]
"""Told the file's bytes before and after; returns why the change is wrong, else nothing."""


class New(NamedTuple):
    """An entry to add."""

    title: str
    """One line; white space is folded."""
    parts: tuple[tuple[str, str], ...]
    """Labels and texts in their order, such as ``("Context", "…")``; blank texts are left out.
    Texts are prose: what Markdown or ctx would read as structure is escaped."""
    source: str = ""
    """What it cites: ``sessions/<file>#<turn>``; empty for none."""
    supersedes: str = ""
    """Title, id or timestamp of the entry that it replaces; empty for none."""


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

    @property
    def path(self) -> str:
        """Where the file is."""
        return os.path.join(self.root, self.name)


def add(
    target: Target, entry: New, when: datetime, check: Check, *, timeout: float = atomic.TIMEOUT
) -> str:
    """Add ``entry`` and return its timestamp: ``when``, or the next second that is free.

    It stands first whatever its time: it is the newest thing that the file says.

    Raises UsageError for an entry without title or parts, FileError where the file cannot be
    read or written, leads out of the directory, has no place for an entry, keeps changing, or
    where ``check`` refuses; then the file is as it was.
    """
    title = line(entry.title)
    if not title or not any(text.strip() for _, text in entry.parts):
        raise UsageError("an entry needs a title and a text", "give it both")
    _refuse(target)
    with atomic.lock(target.path, timeout=timeout):
        for _ in range(TRIES):
            stamp = _attempt(target, entry, when, check)
            if stamp:
                return stamp
    raise FileError(f"{target.path}: changes while it is written", "try again when it is done")


def _attempt(target: Target, entry: New, when: datetime, check: Check) -> str:
    """Return the timestamp of the entry once it is added; empty where the file changed."""
    before = _read(target)
    old = f"# {target.heading}\n".encode() if before is None else before
    where = place(old)
    if where.problem:
        raise FileError(f"{target.path}{where.problem}", "mend it, then try again")
    stamp = free(where.text, when)
    after = where.with_block(block(entry, stamp))
    problem = check(b"" if before is None else before, after)
    if problem:
        raise FileError(f"{target.path}: nothing was added: {problem}", "add it by hand")
    if before is None:
        return stamp if atomic.create(target.path, after) else ""
    if _read(target) != before:
        return ""
    atomic.write(target.path, after)
    return stamp


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
    if not os.path.lexists(path):
        return
    base = os.path.realpath(target.root).rstrip(os.sep) + os.sep
    if not target.allow_links and not os.path.realpath(path).startswith(base):
        raise FileError(
            f"{path}: is a link out of the context directory",
            "allow_links = true in ~/.config/ctx/config.toml follows it",
        )
    with explained(path, "read"):
        status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{path}: is not a regular file", "move it away, then try again")


def free(text: str, when: datetime) -> str:
    """Return ``when`` as a timestamp, or the next second that ``text`` does not name."""
    taken = {f"{day}-{''.join(clock)}" for day, *clock in _TAKEN.findall(text)}
    while (stamp := when.strftime(STAMP)) in taken:
        when += timedelta(seconds=1)
    return stamp


def block(entry: New, stamp: str) -> str:
    r"""Return an entry as Markdown, lines ending in ``\n``."""
    parts = [f"## [{stamp}] {line(entry.title)}"]
    if entry.supersedes.strip():
        parts.append(f"**Supersedes**: {line(entry.supersedes)}")
    parts += [f"**{label}**: {paragraphs(text)}" for label, text in entry.parts if text.strip()]
    if entry.source.strip():
        parts.append(f"**Source**: {line(entry.source)}")
    return "\n\n".join(parts) + "\n"

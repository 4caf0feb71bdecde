"""Adding one dated entry to DECISIONS.md or LEARNINGS.md: newest first, nothing else changed.

Shared by all that adds entries. The file is locked, read, and written in one step; what it held
stays byte for byte. Where the result is not the file with exactly one entry more, nothing is
written.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from ctx import atomic
from ctx.errors import FileError, UsageError
from ctx.write.change import TRIES, Target, change
from ctx.write.harmless import line, paragraphs
from ctx.write.places import place

__all__ = ["STAMP", "TRIES", "Check", "New", "Target", "add", "block", "free"]

STAMP = "%Y-%m-%d-%H%M%S"
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
    body: str = ""
    """Markdown as a person wrote it, said word for word behind the parts; empty for none."""


Amend = Callable[[bytes], bytes]
"""Told a file's bytes; returns them with other changes that belong to the same step."""


def add(  # noqa: PLR0913 - the last two are rarely given
    target: Target,
    entry: New,
    when: datetime,
    check: Check,
    *,
    amend: Amend = lambda data: data,
    timeout: float = atomic.TIMEOUT,
) -> str:
    """Add ``entry`` and return its timestamp: ``when``, or the next second that is free.

    It stands first whatever its time: it is the newest thing that the file says. What ``amend``
    changes is changed with it, in the same step.

    Raises UsageError for an entry without title or text, FileError where the file cannot be
    read or written, leads out of the directory, has no place for an entry, keeps changing, or
    where ``check`` refuses; then the file is as it was.
    """
    said = (entry.body, *(text for _, text in entry.parts))
    if not line(entry.title) or not any(text.strip() for text in said):
        raise UsageError("an entry needs a title and a text", "give it both")
    stamp = ""

    def make(before: bytes | None) -> bytes:
        nonlocal stamp
        old = target.fresh if before is None else before
        stamp = free(place(old).text, when)
        where = place(amend(old))
        if where.problem:
            raise FileError(f"{target.path}{where.problem}", "mend it, then try again")
        after = where.with_block(block(entry, stamp))
        problem = check(b"" if before is None else before, after)
        if problem:
            raise FileError(f"{target.path}: nothing was added: {problem}", "add it by hand")
        return after

    change(target, make, timeout=timeout)
    return stamp


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
    if entry.body.strip():
        parts.append(entry.body.strip("\n"))
    if entry.source.strip():
        parts.append(f"**Source**: {line(entry.source)}")
    return "\n\n".join(parts) + "\n"

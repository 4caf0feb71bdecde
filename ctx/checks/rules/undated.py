"""Decisions and learnings without a date: nobody can tell whether they still hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.checks.rules.headings import is_dated
from ctx.checks.types import Fault, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.checks.types import Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Yield entries in force without a date; of dates that are not read tells ``headings``."""
    for entry in subject.entries:
        dated = entry.timestamp or is_dated(entry.title)
        if entry.kind in ("decision", "learning") and entry.status != "superseded" and not dated:
            yield Fault(
                entry.source,
                entry.line,
                f"{entry.kind} {quoted(entry.title)} has no date, and counts as old",
                "write the day it is of into its heading: `## [YYYY-MM-DD] Title`",
            )

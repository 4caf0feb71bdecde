"""Decisions and learnings without a date: nobody can tell whether they still hold."""

from collections.abc import Iterator

from ctx.checks.rules.heading import is_dated
from ctx.checks.types import Fault, Subject, quoted


def check(subject: Subject) -> Iterator[Fault]:
    """Yield entries in force without a date; records beside the directory are numbered instead."""
    for entry in subject.entries:
        is_beside = entry.source.startswith("../") and "/.context/" not in entry.source
        dated = entry.timestamp or is_dated(entry.title) or is_beside
        if entry.kind in ("decision", "learning") and entry.status != "superseded" and not dated:
            message = f"{entry.kind} {quoted(entry.title)} has no date, and counts as old"
            remedy = "write the day it is of: `## [YYYY-MM-DD] Title`, or a line `Date: YYYY-MM-DD`"
            yield Fault(entry.source, entry.line, message, remedy)

"""``ctx archive``: what nobody works with any more goes to ``archive/``, verbatim."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

from ctx.app.archive import (
    DEFAULT_AGE,
    Options,
    Report,
    archived,
    as_object,
    entries,
    line_range,
    target,
    why_of,
)
from ctx.config.numbers import whole
from ctx.errors import OK, UNREADABLE
from ctx.read.files import shown
from ctx.streams import complain, counted, safe, safe_json, write_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.read.closed import Passage, Stay
    from ctx.world import World

MOST_NAMED = 5
"""Entries that one line names."""


def run(root: str, options: Options, world: World) -> int:
    """Move what is closed, or say what would be moved; return the exit code.

    A file of which nothing can be moved does not stop the others: each is named, and the result
    is that of a file that cannot be read or written.
    """
    age = DEFAULT_AGE
    if options.older_than is not None:
        age = whole("--older-than", options.older_than, "a whole number of days")
    report = archived(root, age, options, world)
    if report.remark:
        complain(shown(report.remark))
    for problem in report.problems:
        complain(shown(problem))
    if options.as_json:
        text = safe_json(json.dumps(as_object(report, options, world), indent=1) + "\n")
    else:
        text = safe("".join(f"{shown(line)}\n" for line in _told(report, options, world)))
    write_out(text.encode("utf-8", "replace"))
    return UNREADABLE if report.problems else OK


# --- what is said -------------------------------------------------------------------------


def _told(report: Report, options: Options, world: World) -> Iterator[str]:
    if not report.files and not report.problems:
        yield "Nothing to archive."
    for file in report.files:
        noun = "closed task" if file.kind == "tasks" else "superseded entry"
        if file.going:
            lines = sum(one.end - one.start for one in file.going)
            done = "would go" if options.dry_run else "moved"
            yield (
                f"{file.path}: {counted(entries(file), noun)}, {counted(lines, 'line')}, "
                f"{done} to {target(file.kind, world)}"
            )
        for one in file.going:
            many = f" ({_tasks(one)})" if file.kind == "tasks" else ""
            yield f"  {line_range(one.start + 1, one.end)}: {one.title}{many}"
        for why, group in groupby(sorted(file.stays, key=why_of), why_of):
            yield f"{file.path}: {_staying(list(group), noun, why)}"
    if any(file.going and file.kind != "tasks" for file in report.files):
        yield "Lists and links that name these entries are left as they are."


def _tasks(passage: Passage) -> str:
    """Return how many tasks go, and how many open check boxes go with them."""
    count = len(passage.places)
    below = "it" if count == 1 else "them"
    left = f", with {passage.open:,} open below {below}" if passage.open else ""
    return f"{counted(count, 'task')}{left}"


def _staying(stays: Sequence[Stay], noun: str, why: str) -> str:
    count = sum(one.entries for one in stays)
    named = "; ".join(f"{one.title} (line {one.line})" for one in stays[:MOST_NAMED])
    more = len(stays) - MOST_NAMED
    verb = "stays" if count == 1 else "stay"
    others = f"; {more:,} more" if more > 0 else ""
    return f"{counted(count, noun)} {verb}, {why}: {named}{others}"

"""``ctx archive``: what nobody works with any more goes to ``archive/``, verbatim."""

from __future__ import annotations

import json
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.settings import load
from ctx.config.numbers import whole
from ctx.edit.archive import FOLDER, Archiver, Step, check, pending
from ctx.errors import OK, UNREADABLE, FileError
from ctx.read import Limits
from ctx.read.archived import KINDS
from ctx.read.closed import above_phases, closed
from ctx.read.files import shown
from ctx.streams import (
    complain,
    safe,
    safe_json,
    write_out,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.read.closed import Closed, Findings, Passage, Stay
    from ctx.world import World

DEFAULT_AGE = 90
"""Days after which superseded entries go."""
MOST_NAMED = 5
"""Entries that one line names."""
_MB = 1024 * 1024


class Options(NamedTuple):
    """What the command was given, as typed."""

    older_than: str | None = None
    dry_run: bool = False
    as_json: bool = False


class _Report(NamedTuple):
    """What became of everything that is closed."""

    files: list[Closed]
    """Files of which something has moved, or would; and others in which something stays."""
    problems: list[str]
    remark: str = ""


def run(root: str, options: Options, world: World) -> int:
    """Move what is closed, or say what would be moved; return the exit code.

    A file of which nothing can be moved does not stop the others: each is named, and the result
    is that of a file that cannot be read or written.
    """
    age = DEFAULT_AGE
    if options.older_than is not None:
        age = whole("--older-than", options.older_than, "a whole number of days")
    report = _archived(root, age, options, world)
    if report.remark:
        complain(shown(report.remark))
    for problem in report.problems:
        complain(shown(problem))
    if options.as_json:
        text = safe_json(json.dumps(_object(report, options, world), indent=1) + "\n")
    else:
        text = safe("".join(f"{shown(line)}\n" for line in _told(report, options, world)))
    write_out(text.encode("utf-8", "replace"))
    return UNREADABLE if report.problems else OK


def _archived(root: str, age: int, options: Options, world: World) -> _Report:
    found = _found(root, age, world)
    left = pending(root)
    if options.dry_run:
        remark = f"{left}: left by an interrupted run; the next one finishes it" if left else ""
        return _with_problems(root, found, world, remark)
    if not left and not any(file.going for file in found.files):
        return _Report(list(found.files), list(found.problems))
    with Archiver(root, top=above_phases) as archiver:
        found = _found(root, age, world)  # again: now nobody else moves anything
        return _with_problems(root, found, world, archiver.remark, archiver)


def _found(root: str, age: int, world: World) -> Findings:
    settings = load(root, world, {}).settings
    limits = Limits(settings.max_file_mb * _MB, settings.allow_links)
    archives = {kind: _target(kind, world) for kind in KINDS}
    try:
        return closed(root, limits, archives, date.fromisoformat(world.today), age)
    except OSError as error:
        raise FileError(f"{root}: cannot be read: {error.strerror}") from error


def _target(kind: str, world: World) -> str:
    return f"{FOLDER}/{kind}-{world.today}.md"


def _with_problems(
    root: str, found: Findings, world: World, remark: str, archiver: Archiver | None = None
) -> _Report:
    """Move what goes, or only look whether it can be; what cannot is a problem."""
    report = _Report([], list(found.problems), remark)
    for file in found.files:
        spans = tuple((one.start, one.end) for one in file.going)
        try:
            if spans:
                loose = sum(one.loose for one in file.going)
                step = Step(file.path, _target(file.kind, world), file.data, spans, loose)
                archiver.move(step) if archiver else check(root, step)
        except FileError as error:
            report.problems.append(str(error))
        else:
            report.files.append(file)
    return report


# --- what is said -------------------------------------------------------------------------


def _told(report: _Report, options: Options, world: World) -> Iterator[str]:
    if not report.files and not report.problems:
        yield "Nothing to archive."
    for file in report.files:
        noun = "closed task" if file.kind == "tasks" else "superseded entry"
        if file.going:
            lines = sum(one.end - one.start for one in file.going)
            done = "would go" if options.dry_run else "moved"
            yield (
                f"{file.path}: {_counted(_entries(file), noun)}, {_counted(lines, 'line')}, "
                f"{done} to {_target(file.kind, world)}"
            )
        for one in file.going:
            many = f" ({_tasks(one)})" if file.kind == "tasks" else ""
            yield f"  {_lines(one.start + 1, one.end)}: {one.title}{many}"
        for why, group in groupby(sorted(file.stays, key=_why), _why):
            yield f"{file.path}: {_staying(list(group), noun, why)}"
    if any(file.going and file.kind != "tasks" for file in report.files):
        yield "Lists and links that name these entries are left as they are."


def _tasks(passage: Passage) -> str:
    """Return how many tasks go, and how many open check boxes go with them."""
    count = len(passage.places)
    below = "it" if count == 1 else "them"
    left = f", with {passage.open:,} open below {below}" if passage.open else ""
    return f"{_counted(count, 'task')}{left}"


def _staying(stays: Sequence[Stay], noun: str, why: str) -> str:
    count = sum(one.entries for one in stays)
    named = "; ".join(f"{one.title} (line {one.line})" for one in stays[:MOST_NAMED])
    more = len(stays) - MOST_NAMED
    verb = "stays" if count == 1 else "stay"
    others = f"; {more:,} more" if more > 0 else ""
    return f"{_counted(count, noun)} {verb}, {why}: {named}{others}"


def _why(stay: Stay) -> str:
    return stay.why


def _entries(file: Closed) -> int:
    return sum(len(one.places) for one in file.going)


def _lines(start: int, end: int) -> str:
    return f"line {start}" if start == end else f"lines {start}-{end}"


def _counted(count: int, noun: str) -> str:
    many = noun.removesuffix("y") + "ies" if noun.endswith("entry") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def _object(report: _Report, options: Options, world: World) -> dict[str, object]:
    return {
        "dry_run": options.dry_run,
        "files": [
            {
                "source": file.path,
                "target": _target(file.kind, world) if file.going else None,
                "entries": _entries(file),
                "lines": sum(one.end - one.start for one in file.going),
                "passages": [
                    {
                        "line": one.start + 1,
                        "end_line": one.end,
                        "title": one.title,
                        "entries": len(one.places),
                        "open_below": one.open,
                    }
                    for one in file.going
                ],
                "stays": [one._asdict() for one in file.stays],
            }
            for file in report.files
        ],
        "problems": report.problems,
        "remark": report.remark,
    }

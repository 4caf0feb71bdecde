"""Move closed tasks and old superseded entries to the archive."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.editing import limits_of
from ctx.app.options import PacketOptions
from ctx.app.settings import load
from ctx.edit.archive import FOLDER, Archiver, Step, check, pending
from ctx.errors import FileError
from ctx.read.closed import above_phases, closed
from ctx.read.directory import KINDS

if TYPE_CHECKING:
    from ctx.model import JsonObject
    from ctx.read.closed import Closed, Findings, Stay
    from ctx.world import World


DEFAULT_AGE = 90
"""Days after which superseded entries go."""


class Report(NamedTuple):
    """What became of everything that is closed."""

    files: list[Closed]
    """Files of which something has moved, or would; and others in which something stays."""
    problems: list[str]
    remark: str = ""


def archived(root: str, age: int, world: World, *, dry_run: bool) -> Report:
    """Move what is closed, or look what would be moved; return a report."""
    found = _found(root, age, world)
    left = pending(root)
    if dry_run:
        remark = f"{left}: left by an interrupted run; the next one finishes it" if left else ""
        return _with_problems(root, found, world, remark)
    if not left and not any(file.going for file in found.files):
        return Report(list(found.files), list(found.problems))
    with Archiver(root, top=above_phases) as archiver:
        found = _found(root, age, world)  # again: now nobody else moves anything
        return _with_problems(root, found, world, archiver.remark, archiver)


def _found(root: str, age: int, world: World) -> Findings:
    settings = load(root, world, PacketOptions()).settings
    limits = limits_of(settings)
    archives = {kind: target(kind, world) for kind in KINDS}
    try:
        return closed(root, limits, archives, date.fromisoformat(world.today), age)
    except OSError as error:
        raise FileError(f"{root}: cannot be read: {error.strerror}") from error


def target(kind: str, world: World) -> str:
    """Return the file of the archive that entries of this kind go to."""
    return f"{FOLDER}/{kind}-{world.today}.md"


def _with_problems(
    root: str, found: Findings, world: World, remark: str, archiver: Archiver | None = None
) -> Report:
    """Move what goes, or only look whether it can be; what cannot is a problem."""
    report = Report([], list(found.problems), remark)
    for file in found.files:
        spans = tuple((one.start, one.end) for one in file.going)
        try:
            if spans:
                loose = sum(one.loose for one in file.going)
                step = Step(file.path, target(file.kind, world), file.data, spans, loose)
                archiver.move(step) if archiver else check(root, step)
        except FileError as error:
            report.problems.append(str(error))
        else:
            report.files.append(file)
    return report


def why_of(stay: Stay) -> str:
    """Return why an entry stays."""
    return stay.why


def entries(file: Closed) -> int:
    """Return how many entries of a file go."""
    return sum(len(one.places) for one in file.going)


def line_range(start: int, end: int) -> str:
    """Return lines as a message names them."""
    return f"line {start}" if start == end else f"lines {start}-{end}"


def as_object(report: Report, world: World, *, dry_run: bool) -> JsonObject:
    """Return the report as JSON has it."""
    return {
        "dry_run": dry_run,
        "files": [
            {
                "source": file.path,
                "target": target(file.kind, world) if file.going else None,
                "entries": entries(file),
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
        "problems": [*report.problems],
        "remark": report.remark,
    }

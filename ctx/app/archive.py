"""Move closed tasks and old superseded entries to the archive."""

import os
from datetime import date
from typing import NamedTuple

from ctx.app.editing import limits_of
from ctx.app.links import links_of
from ctx.app.options import PacketOptions
from ctx.app.settings import load
from ctx.edit.archive import FOLDER, Archiver, Step, check, pending
from ctx.edit.atomic import explained
from ctx.errors import FileError
from ctx.model import JsonObject
from ctx.read.closed import Closed, Findings, above_phases, closed
from ctx.read.directory import KINDS
from ctx.world import World

DEFAULT_AGE = 90  # days after which superseded entries go


class Report(NamedTuple):
    """What became of everything that is closed."""

    files: list[Closed]  # those of which something has moved, would move, or stays
    problems: list[str]
    remark: str = ""

    def as_json(self, world: World, *, dry_run: bool) -> JsonObject:
        """Return the report as JSON has it."""
        return {
            "dry_run": dry_run,
            "files": [
                {
                    "source": file.path,
                    "target": target(file.kind, world) if file.going else None,
                    "entries": entries(file),
                    "lines": sum(passage.end - passage.start for passage in file.going),
                    "passages": [
                        {
                            "line": passage.start + 1,
                            "end_line": passage.end,
                            "title": passage.title,
                            "entries": len(passage.places),
                            "open_below": passage.open,
                        }
                        for passage in file.going
                    ],
                    "stays": [stay._asdict() for stay in file.stays],
                }
                for file in self.files
            ],
            "problems": [*self.problems],
            "remark": self.remark,
        }


def archived(root: str, age: int, world: World, *, dry_run: bool) -> Report:
    """Move what is closed, or look what would be moved; return a report."""
    findings = _closed(root, age, world)
    left = pending(root)
    if dry_run:
        remark = f"{left}: left by an interrupted run; the next one finishes it" if left else ""
        return _report(root, findings, world, remark)
    if not left and not any(file.going for file in findings.files):
        return Report(list(findings.files), list(findings.problems))
    allow = load(root, world, PacketOptions()).settings.allow_links
    links = links_of(os.path.dirname(root), world, allow=allow)
    with Archiver(root, top=above_phases, links=links) as archiver:
        findings = _closed(root, age, world)  # again: now nobody else moves anything
        return _report(root, findings, world, archiver.remark, archiver)


def _closed(root: str, age: int, world: World) -> Findings:
    limits = limits_of(load(root, world, PacketOptions()).settings)
    archives = {kind: target(kind, world) for kind in KINDS}
    with explained(root, "read"):
        return closed(root, limits, archives, date.fromisoformat(world.today), age)


def target(kind: str, world: World) -> str:
    """Return the file of the archive that entries of this kind go to."""
    return f"{FOLDER}/{kind}-{world.today}.md"


def _report(
    root: str, findings: Findings, world: World, remark: str, archiver: Archiver | None = None
) -> Report:
    """Move what goes, or only look whether it can be; what cannot is a problem."""
    report = Report([], list(findings.problems), remark)
    for file in findings.files:
        spans = tuple((passage.start, passage.end) for passage in file.going)
        try:
            if spans:
                loose = sum(passage.loose for passage in file.going)
                step = Step(file.path, target(file.kind, world), file.data, spans, loose)
                archiver.move(step) if archiver else check(root, step)
        except FileError as error:
            report.problems.append(str(error))
        else:
            report.files.append(file)
    return report


def entries(file: Closed) -> int:
    """Return how many entries of a file go."""
    return sum(len(passage.places) for passage in file.going)

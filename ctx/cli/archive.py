"""``ctx archive``: what nobody works with any more goes to ``archive/``, verbatim."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from ctx.app.archive import DEFAULT_AGE, Report, archived, entries, target
from ctx.app.find import find
from ctx.app.options import PacketOptions
from ctx.cli.options import taking
from ctx.cli.terminal import write_answer
from ctx.config import whole_number
from ctx.errors import OK, UNREADABLE
from ctx.read.closed import Passage, Stay
from ctx.streams import complain, counted
from ctx.text.names import shown_line
from ctx.world import World

MOST_NAMED = 5  # entries that one line names


@taking("dir", "json")
def archive(
    options: PacketOptions,
    *,
    dry_run: bool = False,
    older_than: str | None = None,
    json: bool = False,
) -> int:
    """Move closed tasks with their phases, and old superseded entries, to archive/, verbatim.

    A phase goes when all its tasks are done or skipped. `ctx search --archive` finds what is
    there. Exit codes: 0 done, also where nothing was to do, 2 usage, 4 no context directory,
    6 a file that cannot be read or written, or that changed meanwhile.
    """
    world = World()
    root = find(options.dir or "", world)
    age = DEFAULT_AGE
    if older_than is not None:
        age = whole_number("--older-than", older_than, "a whole number of days")
    report = archived(root, age, world, dry_run=dry_run)
    if report.remark:
        complain(shown_line(report.remark))
    for problem in report.problems:
        complain(shown_line(problem))
    lines = map(shown_line, _lines(report, world, dry_run=dry_run))
    write_answer(report.as_json(world, dry_run=dry_run), lines, as_json=json, ascii_only=True)
    return UNREADABLE if report.problems else OK


def _lines(report: Report, world: World, *, dry_run: bool) -> Iterator[str]:
    if not report.files and not report.problems:
        yield "Nothing to archive."
    for file in report.files:
        noun = "closed task" if file.kind == "tasks" else "superseded entry"
        if file.going:
            count = sum(passage.end - passage.start for passage in file.going)
            done = "would go" if dry_run else "moved"
            yield (
                f"{file.path}: {counted(entries(file), noun)}, {counted(count, 'line')}, "
                f"{done} to {target(file.kind, world)}"
            )
        for passage in file.going:
            many = f" ({_tasks(passage)})" if file.kind == "tasks" else ""
            first = passage.start + 1
            lines = f"line {first}" if first == passage.end else f"lines {first}-{passage.end}"
            yield f"  {lines}: {passage.title}{many}"
        why_of = attrgetter("why")
        for why, group in groupby(sorted(file.stays, key=why_of), why_of):
            yield f"{file.path}: {_staying(list(group), noun, why)}"
    if any(file.going and file.kind != "tasks" for file in report.files):
        yield "Lists and links that name these entries are left as they are."


def _tasks(passage: Passage) -> str:
    count = len(passage.places)
    below = "it" if count == 1 else "them"
    left = f", with {passage.open:,} open below {below}" if passage.open else ""
    return f"{counted(count, 'task')}{left}"


def _staying(stays: Sequence[Stay], noun: str, why: str) -> str:
    count = sum(stay.entries for stay in stays)
    named = "; ".join(f"{stay.title} (line {stay.line})" for stay in stays[:MOST_NAMED])
    more = len(stays) - MOST_NAMED
    verb = "stays" if count == 1 else "stay"
    others = f"; {more:,} more" if more > 0 else ""
    return f"{counted(count, noun)} {verb}, {why}: {named}{others}"

"""``ctx status``: what the directory holds, what it costs, and what to mend first."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

from ctx.app.options import PacketOptions
from ctx.app.status import Status, advice, age, status_of
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.terminal import Screen, screen_of
from ctx.errors import UsageError
from ctx.streams import counted, safe, write_json, write_lines
from ctx.text.names import shown
from ctx.world import World


@taking("dir", "json")
def status(
    options: PacketOptions,
    *,
    format_: str = "",
    json: bool = False,
) -> None:
    """Show what the context directory holds, what it costs, and what to do first.

    Exit codes: 0 success, whatever is left to do, 2 usage, 4 no context directory,
    6 unreadable directory.
    """
    if format_ not in ("", *FORMATS):
        raise UsageError(f"--format: unknown format {format_!r}", f"one of {', '.join(FORMATS)}")
    world = World()
    status = status_of(Workspace(options, world))
    if json:
        write_json(status.as_json())
    elif format_:
        write_lines(_markdown(status))
    elif screen := screen_of(world):
        _draw(screen, status)
    else:
        write_lines(_lines(status))


FORMATS = ("md",)  # what ``--format`` takes
_MOST = 20  # files that the table for a comment lists
_UNTRUSTED = "not given: hooks send only what their host loads anyway; `ctx trust` gives it"
_WAITING = "may be worth an entry: `ctx session promote` proposes them"
_LABEL = "{:<10}  {}"  # what a line is about, and the line


def _lines(status: Status) -> Iterator[str]:
    missing = "" if os.path.isdir(status.root) else "  not there: files beside it are read"
    yield _LABEL.format("directory", f"{shown(status.root)}{missing}")
    names = [status.shown(row.path) for row in status.rows]
    width = max(map(len, names), default=0)
    for row, name, source in zip(status.rows, names, status.packet.context.sources, strict=True):
        entries = f"{row.entries:>6,} {'entry  ' if row.entries == 1 else 'entries'}"
        undated = "undated" if row.entries else "holds only headings, imports or placeholders"
        if source.repeats and not row.entries:
            undated = (
                f"all of it is in {', '.join(status.shown(path) for path, _ in source.repeats)}"
            )
        line = (
            f"{name:<{width}}  {entries}  {row.tokens:>9,} tokens  "
            f"included {row.included_tokens:>7,}  {row.share:>4.0%}  "
            f"{row.newest or undated:<10}  {age(row.age_days) if row.newest else ''}"
        )
        yield _LABEL.format("file", line.rstrip())
    yield from (_LABEL.format("source", line) for line in _sources(status))
    yield from _notices(status)
    yield _packet_line(status)
    for section in status.packet.selection.sections:
        line = (
            f"{section.name:<11}  planned {section.budget:>7,}  used {section.used:>7,}  "
            f"included {len(section.included):>6,}  title only {len(section.titles):>6,}  "
            f"omitted {section.omitted:>6,}"
        )
        yield _LABEL.format("section", line)
    yield _required_line(status)
    yield _LABEL.format(
        "read order", ", ".join(map(status.shown, status.packet.context.read_order)) or "no files"
    )
    if status.everywhere:
        yield _LABEL.format("global", f"{status.everywhere}, read in every project")
    yield _LABEL.format("precedence", ", ".join(map(status.shown, status.precedence)) or "no rules")
    for name, origin in status.loaded.origins.items():
        if origin != "default":
            value = getattr(status.loaded.settings, name)
            yield _LABEL.format("setting", f"{name} = {value}  from {origin}")
    yield from (_LABEL.format("do", line) for line in advice(status))


def _notices(status: Status) -> Iterator[str]:
    if not status.is_trusted:
        former = "given to another that was here; " if status.was_trusted else ""
        yield _LABEL.format("trust", f"{former}{_UNTRUSTED}")
    count, has_more = status.waiting
    if count:
        least = "at least " if has_more else ""
        yield _LABEL.format("sessions", f"{least}{counted(count, 'turn')} {_WAITING}")


def _markdown(status: Status) -> Iterator[str]:
    """Yield the budget report as Markdown; names of files are code, in which nothing is obeyed."""
    packet, budget = status.packet, status.packet.request.budget
    yield "### Context packet"
    yield ""
    degraded = " **Degraded.**" if packet.selection.degraded else ""
    share = packet.tokens / budget if budget else 0
    yield f"{packet.tokens:,} of {budget:,} tokens ({share:.0%}).{degraded}"
    yield ""
    yield "| file | entries | tokens | included tokens |"
    yield "|---|---:|---:|---:|"
    rows = sorted(status.rows, key=lambda row: -row.included_tokens)
    for row in rows[:_MOST]:
        counts = f"{row.entries:,} | {row.tokens:,} | {row.included_tokens:,}"
        yield f"| {_code(status.shown(row.path))} | {counts} |"
    if rest := rows[_MOST:]:
        fields = ("entries", "tokens", "included_tokens")
        sums = (f"{sum(getattr(row, name) for row in rest):,}" for name in fields)
        yield f"| {counted(len(rest), 'more file')} | {' | '.join(sums)} |"
    todo = advice(status)
    yield ""
    yield "To do first:" if todo else "Nothing to do."
    yield from (f"- {_code(line)}" for line in todo)


def _code(text: str) -> str:
    return f"`{' '.join(text.split()).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def _sources(status: Status) -> Iterator[str]:
    width = max([len(each.name) for each in status.sources], default=0)
    for number, each in enumerate(filter(lambda each: each.name, status.sources), 1):
        hosts = f"; loaded by {', '.join(each.hosts)}" if each.hosts else ""
        repeats = "".join(
            f"; {count:,} {'entries' if count > 1 else 'entry'} as in {name}, included once"
            for name, count in each.repeats
        )
        yield (
            f"{number}  {each.name:<{width}}  {counted(each.files, 'file')}  "
            f"{each.tokens:,} tokens  included {each.included_tokens:,}  "
            f"{each.gives}{hosts}{repeats}"
        )


def _packet_line(status: Status) -> str:
    packet, used = status.packet, status.packet.request.settings.tokenizer
    if used == "heuristic" and find_spec("rs_bpe"):
        used += "; CTX_TOKENIZER=o200k counts exactly"
    size = f"{packet.tokens:,} of {packet.request.budget:,} tokens ({used})"
    return _LABEL.format("packet", size)


def _required_line(status: Status) -> str:
    request = status.packet.request
    over = ", over: degraded" if status.hard > status.hard_limit else ""
    limit = f"{request.settings.hard_share:.0%} of {request.budget:,}"
    rules = f"{status.hard:,} tokens of rules, limit {status.hard_limit:,} ({limit}){over}"
    return _LABEL.format("required", rules)


def _draw(screen: Screen, status: Status) -> None:
    screen.draw((shown(status.root), "bold"))
    table = screen.table()
    for name in ("file", "entries", "tokens", "age", "included", "budget"):
        table.add_column(name, justify="left" if name == "file" else "right")
    for row in status.rows:
        size = (f"{row.entries:,}", f"{row.tokens:,}")
        included = (f"{row.included_tokens:,}", f"{row.share:.0%}")
        table.add_row(
            screen.text(safe(status.shown(row.path))), *size, age(row.age_days), *included
        )
    screen.print(table)
    for line in _sources(status):
        screen.draw(safe(_LABEL.format("source", line)))
    for line in _notices(status):
        screen.draw(line)
    screen.draw(_packet_line(status))
    screen.draw(_required_line(status))
    if len(status.precedence) > 1:
        screen.draw(
            safe(_LABEL.format("precedence", " > ".join(map(status.shown, status.precedence))))
        )
    sections = screen.table()
    for name in ("section", "planned", "used", "included", "title only", "omitted"):
        sections.add_column(name, justify="left" if name == "section" else "right")
    for one in status.packet.selection.sections:
        counts = (one.budget, one.used, len(one.included), len(one.titles), one.omitted)
        sections.add_row(one.name, *(f"{count:,}" for count in counts))
    screen.print(sections)
    todo = advice(status)
    screen.draw(("To do first:", "yellow") if todo else ("All is well.", "green"))
    for line in todo:
        screen.draw(f"• {safe(line)}")

"""``ctx list``: the entries of one kind, a line each."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, get_args

from ctx.app.directory import in_directory
from ctx.app.settings import Loaded, load
from ctx.config import quoted
from ctx.config.numbers import whole
from ctx.errors import OK, UsageError
from ctx.model import Context, Entry, Kind
from ctx.streams import (
    complain,
    safe,
    safe_json,
    write_out,
)
from ctx.world import World

if TYPE_CHECKING:
    from rich.console import Console

STATUSES = ("open", "todo", "in-progress", "blocked", "done", "skipped", "superseded")
"""What entries can be asked for: ``open`` is all that is neither closed nor superseded, ``todo``
what nobody has begun."""

_PLURALS = {"lore": "lore", "summary": "summaries"}
_CLOSED = ("done", "skipped", "superseded")
_DATED = ("decision", "learning", "turn", "summary")
"""Kinds that are listed newest first; the others as their files have them."""

_LEAST_TITLE = 32
"""Columns that a title needs beside the id; with fewer it stands below it."""


class Options(NamedTuple):
    """What the command was given, as typed."""

    kind: str
    status: str | None = None
    limit: str | None = None
    as_json: bool = False


def listed(  # noqa: PLR0913 - the last two are rarely given
    root: str,
    kind: str,
    loaded: Loaded,
    world: World,
    *,
    status: str = "",
    limit: int | None = None,
) -> dict[str, object]:
    """Return the entries of ``kind`` (one or many of them: ``task``, ``tasks``).

    ``status`` is one of ``STATUSES``, empty for all; ``limit`` the most that are returned, the
    first ones. ``total`` counts all that there are. Raises UsageError for other names.
    """
    known = kind_of(kind)
    if status and status not in STATUSES:
        raise UsageError(f"--status: {quoted(status)} is none", f"one of {', '.join(STATUSES)}")

    def look(context: Context) -> list[dict[str, object]]:
        return [_object(entry) for entry in _chosen(context, known, status)]

    found = in_directory(look, root, loaded, world)
    return {"kind": known, "total": len(found), "entries": found[:limit]}


def kind_of(name: str) -> Kind:
    """Return the kind that ``name`` means, one of them or many; raises UsageError for none."""
    wanted = name.strip().lower()
    for kind in get_args(Kind):
        if wanted in (kind, f"{kind}s", _PLURALS.get(kind, "")):
            known: Kind = kind
            return known
    kinds = ", ".join(_PLURALS.get(kind, f"{kind}s") for kind in get_args(Kind))
    raise UsageError(f"{quoted(name)} is no kind", f"one of {kinds}, sessions")


def _chosen(context: Context, kind: Kind, status: str) -> list[Entry]:
    entries = [
        entry
        for source in context.sources
        for part in source.parts
        if part.kind == kind
        for entry in (part.entry(place) for place in range(len(part)))
        if _is(entry.status, status)
    ]
    if kind in _DATED:
        entries.sort(key=lambda entry: entry.timestamp, reverse=True)  # which keeps equals in order
    return entries


def _is(status: str, wanted: str) -> bool:
    if wanted == "open":
        return status not in _CLOSED
    return not wanted or status == ("" if wanted == "todo" else wanted)


def _object(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.id,
        "title": entry.title,
        "date": entry.timestamp[:10],
        "timestamp": entry.timestamp,
        "status": entry.status,
        "priority": entry.priority,
        "group": entry.group,
        "file": entry.source,
        "line": entry.line,
    }


# --- saying -------------------------------------------------------------------------------


def run(root: str, options: Options, flags: Mapping[str, object], world: World) -> int:
    """Print entries; return the exit code."""
    limit = whole("--limit", options.limit, least=1) if options.limit is not None else None
    status = (options.status or "").strip().lower()
    loaded = load(root, world, flags)
    found = listed(root, options.kind, loaded, world, status=status, limit=limit)
    entries = found["entries"]
    rows = [_row(one) for one in entries] if isinstance(entries, list) else []
    if options.as_json:
        text = safe_json(f"{json.dumps(found, ensure_ascii=False, indent=1)}\n")
        write_out(text.encode("utf-8", "replace"))
    elif world.draws():
        _draw(rows)
    else:
        text = safe("".join(f"{line}\n" for line in _lines(rows)))
        write_out(text.encode("utf-8", "replace"))
    if not options.as_json:
        _note(found, len(rows), status)
    return OK


def _note(found: Mapping[str, object], rows: int, status: str) -> None:
    if not rows:
        complain(f"no {found['kind']} is there{f' that is {status}' if status else ''}")
    elif rows < int(str(found["total"])):
        complain(f"{rows:,} of {int(str(found['total'])):,} (--limit)")


class _Row(NamedTuple):
    id: str
    date: str
    status: str
    title: str


def _row(entry: Mapping[str, object]) -> _Row:
    return _Row(*(str(entry[name] or "") for name in _Row._fields))


def _lines(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield a line each, columns apart by two spaces: id, date, status, title."""
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(3)]
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row[:3], widths, strict=True) if width)
        yield f"{'  '.join((*cells, row.title))}"


def _draw(rows: Sequence[_Row]) -> None:
    """Draw entries for a person at a terminal, who copies ids: none of them is ever broken."""
    from rich.console import Console

    console = Console(highlight=False)
    before = sum(max((len(row[at]) for row in rows), default=0) + 2 for at in range(3))
    if console.width - before >= _LEAST_TITLE:
        _draw_table(console, rows)
    else:
        _draw_pairs(console, rows)


def _draw_table(console: "Console", rows: Sequence[_Row]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("id", style="dim", no_wrap=True)
    table.add_column("date", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("title", overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe(cell)) for cell in row))
    if rows:
        console.print(table)


def _draw_pairs(console: "Console", rows: Sequence[_Row]) -> None:
    """Draw two lines each: the id, and what is known, cut where the terminal ends."""
    from rich.text import Text

    for row in rows:
        console.print(Text(safe(row.id), style="dim"), soft_wrap=True)
        told = "  ".join(filter(None, row[1:]))
        console.print(Text(f"  {safe(told)}"), no_wrap=True, overflow="ellipsis")

"""``ctx list``: the entries of one kind, a line each."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ctx.app.entries import Listed, Options, listed
from ctx.app.workspace import Workspace
from ctx.config.numbers import whole
from ctx.errors import OK
from ctx.streams import complain, safe, safe_json, write_out

if TYPE_CHECKING:
    from rich.console import Console


_LEAST_TITLE = 32
"""Columns that a title needs beside the id; with fewer it is below it."""
_Row = tuple[str, str, str, str]
"""Id, date, status and title."""


def run(workspace: Workspace, options: Options) -> int:
    """Print entries; return the exit code."""
    limit = whole("--limit", options.limit, least=1) if options.limit is not None else None
    status = (options.status or "").strip().lower()
    found = listed(workspace, options.kind, status=status, limit=limit)
    rows = [(row.id, row.date, row.status, row.title) for row in found.entries]
    if options.as_json:
        text = safe_json(f"{json.dumps(found.as_json(), ensure_ascii=False, indent=1)}\n")
        write_out(text.encode("utf-8", "replace"))
    elif workspace.world.draws():
        _draw(rows)
    else:
        text = safe("".join(f"{line}\n" for line in _lines(rows)))
        write_out(text.encode("utf-8", "replace"))
    if not options.as_json:
        _note(found, status)
    return OK


def _note(found: Listed, status: str) -> None:
    rows = len(found.entries)
    if not rows:
        complain(f"no {found.kind} is there{f' that is {status}' if status else ''}")
    elif rows < found.total:
        complain(f"{rows:,} of {found.total:,} (--limit)")


def _lines(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield a line each, columns apart by two spaces: id, date, status, title."""
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(3)]
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row[:3], widths, strict=True) if width)
        yield f"{'  '.join((*cells, row[3]))}"


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
        console.print(Text(safe(row[0]), style="dim"), soft_wrap=True)
        told = "  ".join(filter(None, row[1:]))
        console.print(Text(f"  {safe(told)}"), no_wrap=True, overflow="ellipsis")

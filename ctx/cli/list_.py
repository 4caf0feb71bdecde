"""``ctx list``: the entries of one kind, a line each."""

from collections.abc import Iterator, Sequence

from ctx.app.entries import list_entries
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.session.list_ import run as list_sessions
from ctx.cli.terminal import Screen, screen_of
from ctx.config import whole_number
from ctx.streams import complain, safe, write_json, write_lines
from ctx.world import World

_LEAST_TITLE = 32  # columns that a title needs beside the id; with fewer it goes below it

_Row = tuple[str, str, str, str]  # id, date, status and title


@taking("limit", "dir", "json")
def list_(
    options: PacketOptions,
    kind: str = "",
    *,
    status: str | None = None,
    limit: str | None = None,
    json: bool = False,
) -> None:
    """List the entries of one kind: id, date, status and title.

    Dated entries come newest first, the others as in their files. Exit codes: 0 success,
    also where there are none, 2 usage, 4 no context directory, 6 unreadable directory.
    """
    if kind.strip().lower() in ("session", "sessions"):
        list_sessions(options, as_json=json)
        return
    workspace = Workspace(options, World())
    most = whole_number("--limit", limit, least=1) if limit is not None else None
    wanted = (status or "").strip().lower()
    found = list_entries(workspace, kind, status=wanted, limit=most)
    rows = [(row.id, row.date, row.status, row.title) for row in found.entries]
    if json:
        write_json(found.as_json())
        return
    if screen := screen_of(workspace.world):
        _draw(screen, rows)
    else:
        write_lines(_lines(rows))
    if not rows:
        complain(f"no {found.kind} is there{f' that is {wanted}' if wanted else ''}")
    elif len(rows) < found.total:
        complain(f"{len(rows):,} of {found.total:,} (--limit)")


def _widths(rows: Sequence[_Row]) -> list[int]:
    return [max((len(row[column]) for row in rows), default=0) for column in range(3)]


def _lines(rows: Sequence[_Row]) -> Iterator[str]:
    widths = _widths(rows)
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row[:3], widths, strict=True) if width)
        yield f"{'  '.join((*cells, row[-1]))}"


def _draw(screen: Screen, rows: Sequence[_Row]) -> None:
    if screen.width - sum(width + 2 for width in _widths(rows)) < _LEAST_TITLE:
        for row in rows:  # two lines each, the second cut where the terminal ends
            screen.draw((safe(row[0]), "dim"), wrap=False)
            rest = "  ".join(filter(None, row[1:]))
            screen.draw(f"  {safe(rest)}", cut=True)
        return
    table = screen.table()
    table.add_column("id", style="dim", no_wrap=True)
    table.add_column("date", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("title", overflow="fold")
    for row in rows:
        table.add_row(*(screen.text(safe(cell)) for cell in row))
    if rows:
        screen.print(table)

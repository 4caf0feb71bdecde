"""``ctx session list``: what is stored, newest first."""

import os
from collections.abc import Iterator, Sequence

from ctx.app.options import PacketOptions
from ctx.app.sessions import foreign, summaries
from ctx.cli.options import taking
from ctx.cli.session import complain_of_none, locate, readable
from ctx.config import day
from ctx.read.sessions import FOLDER
from ctx.read.stored import Summary
from ctx.streams import complain, write_json, write_lines
from ctx.text.names import shown
from ctx.text.times import moment

_WIDTH = 60  # characters of a title in the list


@taking("dir", "json")
def list_(
    options: PacketOptions,
    *,
    branch: str | None = None,
    since: str | None = None,
    json: bool = False,
) -> None:
    """List the stored sessions, newest first: turns, bytes, first and last time, branch, title.

    The title is that of the host, else how the first request begins; secrets in it are redacted.
    Exit codes: 0 success, also where there are none, 2 usage, 4 no context directory,
    6 unreadable directory.
    """
    run(options, branch=branch, since=since, as_json=json)


def run(
    options: PacketOptions, *, branch: str | None = None, since: str | None = None, as_json: bool
) -> None:
    """List sessions of a context directory, all or some; return the exit code."""
    world, root, state = locate(options)
    first = day("--since", since, world.today) if since is not None else None
    with readable(state):
        every = summaries(state, complain)
    rows = [
        row
        for row in every
        if branch in (None, row.branch)
        and (first is None or ((time := moment(row.last)) and time.date() >= first))
    ]
    if as_json:
        sessions = [
            {name: shown(value) if isinstance(value, str) else value for name, value in fields}
            for fields in (row._asdict().items() for row in rows)
        ]
        folder = os.path.join(state, FOLDER)
        write_json({"folder": folder, "sessions": sessions}, ascii_only=True)
    else:
        write_lines(_lines(rows))
    if not every:
        complain_of_none(root)
    elif line := foreign(root):
        complain(line)


def _lines(rows: Sequence[Summary]) -> Iterator[str]:
    width = max((len(shown(row.id)) for row in rows), default=0)
    for row in rows:
        times = f"{shown(row.first) or 'undated'}  {shown(row.last)}".rstrip()
        title = shown(row.title)[:_WIDTH]
        line = f"{shown(row.id):<{width}}  {row.turns:>7,} turns  {row.bytes:>11,} bytes  {times}"
        branch = f"  [{shown(row.branch)[:_WIDTH]}]" if row.branch else ""
        yield f"{line}{branch}  {title}".rstrip()

"""``ctx trace``: why a line, a file or a commit is as it is."""

import json as jsons

from ctx.app.options import PacketOptions
from ctx.app.search import DEFAULT_LIMIT
from ctx.app.trace import traced
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.config import whole_number
from ctx.streams import write_json, write_lines
from ctx.world import World


@taking("limit", "dir", "json")
def trace(
    options: PacketOptions,
    what: str,
    *,
    limit: str | None = None,
    json: bool = False,
) -> None:
    """Show the entries, tasks and turns that cite a file, a line or a commit.

    Of a line also those that cite its commit, by `git blame`, of a file also those that cite a
    former name. First entries, then turns, then calls of tools; the newest first. Exit codes: 0
    success, also where nothing cites it, 2 usage, no such file, line or commit, 4 no context
    directory, 6 unreadable directory.
    """
    most = whole_number("--limit", limit, least=1) if limit is not None else DEFAULT_LIMIT
    options = options.replace(format="json" if json else "md")
    found = traced(Workspace(options, World()), what, most)
    if json:
        write_json({"about": [*found.warnings], **jsons.loads(found.text)})
    else:
        write_lines((*found.warnings, "", *found.text.rstrip("\n").split("\n")))

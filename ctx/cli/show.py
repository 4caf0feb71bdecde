"""``ctx show``: one entry as it is written, and what it has to do with others."""

from collections.abc import Iterator

from ctx.app.entries import Shown, show_entry
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.terminal import Screen, screen_of
from ctx.streams import safe, write_json, write_lines
from ctx.text.levels import dated_title
from ctx.world import World


@taking("dir", "json")
def show(
    options: PacketOptions,
    words: list[str],
    *,
    json: bool = False,
) -> None:
    """Show one entry: id, source, status, links and text.

    Entries are looked through first, then turns and summaries, then the archive. Exit codes:
    0 success, 2 usage, nothing matches, or several do, 4 no context directory, 6 unreadable
    directory.
    """
    workspace = Workspace(options, World())
    found = show_entry(workspace, " ".join(words))
    if json:
        write_json(found.as_json())
    elif screen := screen_of(workspace.world):
        _draw(screen, found)
    else:
        rows = list(_rows(found))
        width = max(len(name) for name, _ in rows)
        table = (f"- {name:<{width}}  {' '.join(text.split())}" for name, text in rows)
        write_lines((f"## {dated_title(found.entry)}", "", *table, "", found.body))


def _rows(found: Shown) -> Iterator[tuple[str, str]]:
    entry = found.entry
    yield "id", entry.id
    yield "kind", entry.kind
    yield "source", f"{entry.path}:{entry.line}-{entry.end_line}"
    for name in ("timestamp", "status", "group", "speaker", "bundle"):
        if text := getattr(entry, name):
            yield name, text
    if entry.priority:
        yield "priority", ("", "low", "medium", "high")[entry.priority]
    for name, ids in (
        ("supersedes", found.supersedes),
        ("superseded by", found.superseded_by),
        ("links", found.links),
        ("summaries", entry.ancestors),
    ):
        if ids:
            yield name, ", ".join(ids)
    if entry.kind == "summary":
        yield "covers", f"{entry.covers} turns (`ctx session expand` shows them)"
    if entry.lead:
        yield "under", entry.lead


def _draw(screen: Screen, found: Shown) -> None:
    screen.draw((safe(dated_title(found.entry)), "bold"))
    table = screen.table(header=False)
    for name, text in _rows(found):
        table.add_row(screen.text(name, style="dim"), screen.text(safe(" ".join(text.split()))))
    screen.print(table)
    screen.draw()
    screen.draw(safe(found.body))

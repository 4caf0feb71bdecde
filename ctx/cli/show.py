"""``ctx show``: one entry as it stands, and what it has to do with others."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctx.app.entries import Shown, shown
from ctx.app.workspace import Workspace
from ctx.errors import OK
from ctx.streams import safe, safe_json, write_out
from ctx.text.levels import dated_title


class _Row(NamedTuple):
    name: str
    text: str


def run(workspace: Workspace, wanted: str, *, as_json: bool) -> int:
    """Print an entry; return the exit code."""
    found = shown(workspace, wanted)
    if as_json:
        text = f"{json.dumps(found.as_json(), ensure_ascii=False, indent=1)}\n"
        write_out(safe_json(text).encode("utf-8", "replace"))
    elif workspace.world.draws():
        _draw(found)
    else:
        heading = dated_title(found.entry)
        text = safe(f"## {heading}\n\n{_table(_rows(found))}\n\n{found.body}\n")
        write_out(text.encode("utf-8", "replace"))
    return OK


def _rows(found: Shown) -> Iterator[_Row]:
    """Yield what is known of an entry, where there is something to say."""
    entry = found.entry
    yield _Row("id", entry.id)
    yield _Row("kind", entry.kind)
    yield _Row("source", f"{entry.source}:{entry.line}-{entry.end_line}")
    for name in ("timestamp", "status", "group", "speaker", "bundle"):
        if text := getattr(entry, name):
            yield _Row(name, text)
    if entry.priority:
        yield _Row("priority", ("", "low", "medium", "high")[entry.priority])
    for name, ids in (
        ("supersedes", found.supersedes),
        ("superseded by", found.superseded_by),
        ("links", found.links),
        ("summaries", entry.ancestors),
    ):
        if ids:
            yield _Row(name, ", ".join(ids))
    if entry.kind == "summary":
        yield _Row("covers", f"{entry.covers} turns (`ctx session expand` shows them)")
    if entry.lead:
        yield _Row("under", entry.lead)


def _table(rows: Iterable[_Row]) -> str:
    held: Sequence[_Row] = list(rows)
    width = max(len(row.name) for row in held)
    return "\n".join(f"- {row.name:<{width}}  {' '.join(row.text.split())}" for row in held)


def _draw(found: Shown) -> None:
    """Draw an entry for a person at a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(safe(dated_title(found.entry)), style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False)
    for row in _rows(found):
        table.add_row(Text(row.name, style="dim"), Text(safe(" ".join(row.text.split()))))
    console.print(table)
    console.print()
    console.print(Text(safe(found.body)))

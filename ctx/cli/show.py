"""``ctx show``: one entry as it stands, and what it has to do with others."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctx.app.show import shown
from ctx.app.workspace import Workspace
from ctx.errors import OK
from ctx.streams import safe, safe_json, write_out

# --- saying -------------------------------------------------------------------------------


class _Row(NamedTuple):
    name: str
    text: str


def run(workspace: Workspace, wanted: str, *, as_json: bool) -> int:
    """Print an entry; return the exit code."""
    found = shown(workspace, wanted)
    if as_json:
        text = f"{json.dumps(found, ensure_ascii=False, indent=1)}\n"
        write_out(safe_json(text).encode("utf-8", "replace"))
    elif workspace.world.draws():
        _draw(found)
    else:
        text = safe(f"## {found['heading']}\n\n{_table(_rows(found))}\n\n{found['body']}\n")
        write_out(text.encode("utf-8", "replace"))
    return OK


def _rows(found: Mapping[str, object]) -> Iterator[_Row]:
    """Yield what is known of an entry, where there is something to say."""
    yield _Row("id", str(found["id"]))
    yield _Row("kind", str(found["kind"]))
    yield _Row("source", f"{found['file']}:{found['line']}-{found['end_line']}")
    for name in ("timestamp", "status", "group", "speaker", "bundle"):
        if found[name]:
            yield _Row(name, str(found[name]))
    if found["priority"]:
        yield _Row("priority", ("", "low", "medium", "high")[int(str(found["priority"]))])
    for name in ("supersedes", "superseded_by", "links", "summaries"):
        ids = found[name]
        if isinstance(ids, list) and ids:
            yield _Row(name.replace("_", " "), ", ".join(map(str, ids)))
    if found["kind"] == "summary":
        yield _Row("covers", f"{found['covers']} turns (`ctx session expand` shows them)")
    if found["lead"]:
        yield _Row("under", str(found["lead"]))


def _table(rows: Iterable[_Row]) -> str:
    held: Sequence[_Row] = list(rows)
    width = max(len(row.name) for row in held)
    return "\n".join(f"- {row.name:<{width}}  {' '.join(row.text.split())}" for row in held)


def _draw(found: Mapping[str, object]) -> None:
    """Draw an entry for a person at a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(safe(str(found["heading"])), style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False)
    for row in _rows(found):
        table.add_row(Text(row.name, style="dim"), Text(safe(" ".join(row.text.split()))))
    console.print(table)
    console.print()
    console.print(Text(safe(str(found["body"]))))

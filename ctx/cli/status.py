"""``ctx status``: what the directory holds, what it costs, and what to mend first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ctx.cli.compose import make
from ctx.cli.find import find
from ctx.cli.settings import load
from ctx.cli.world import write_out
from ctx.config import strays
from ctx.errors import OK
from ctx.store.folder import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ctx.cli.settings import Loaded
    from ctx.cli.world import World
    from ctx.model import Packet, Source


class Row(NamedTuple):
    """One file of the directory."""

    path: str
    bytes: int
    entries: int
    tokens: int
    """Of all its entries, by the heuristic counter."""
    newest: str
    """Date of its newest entry; empty where none is dated."""


class Status(NamedTuple):
    """What is shown."""

    root: str
    rows: list[Row]
    packet: Packet
    loaded: Loaded
    strays: tuple[str, ...] = ()
    """``CTX_*`` variables that are no settings: perhaps misspelt."""


def run(flags: Mapping[str, object], world: World, *, as_json: bool) -> int:
    """Show the status; return the exit code."""
    root = find(str(flags.get("dir") or ""), world)
    loaded = load(root, world, flags)
    store = "" if world.environ.get("CTX_NO_CACHE") else prepare(root)
    packet = make(flags, loaded.settings, root, store, world)
    rows = [_row(source) for source in packet.context.sources]
    status = Status(root, rows, packet, loaded, strays(world.environ))
    if as_json:
        write_out(f"{json.dumps(_object(status), ensure_ascii=False, indent=1)}\n".encode())
    elif world.draws():
        _draw(status)
    else:
        write_out("".join(f"{line}\n" for line in _lines(status)).encode("utf-8", "replace"))
    return OK


def _row(source: Source) -> Row:
    entries = source.entries
    dates = [entry.timestamp[:10] for entry in entries]
    tokens = sum(entry.size + entry.title_size for entry in entries)
    return Row(source.path, source.size, len(entries), tokens, max(dates, default=""))


def advice(status: Status) -> list[str]:
    """Return what to do, most urgent first; empty when all is well."""
    packet = status.packet
    found = []
    if packet.selection.degraded:
        found.append(f"shorten the rules or raise the budget: {packet.selection.degraded}")
    found += [f"mend {warning}" for warning in packet.warnings]
    found += [f"look at {name}: ctx has no setting of that name" for name in status.strays]
    for name in ("CONSTITUTION.md", "TASKS.md", "DECISIONS.md", "LEARNINGS.md"):
        if not any(path.lower() == name.lower() for path in packet.context.read_order):
            found.append(f"write {name}: `ctx init` makes one that shows the form")
    return found


def _object(status: Status) -> dict[str, object]:
    packet, selection = status.packet, status.packet.selection
    return {
        "directory": status.root,
        "files": [row._asdict() for row in status.rows],
        "entries": sum(row.entries for row in status.rows),
        "tokens": sum(row.tokens for row in status.rows),
        "budget": packet.request.budget,
        "tokenizer": packet.request.tokenizer,
        "packet_tokens": packet.tokens,
        "degraded": selection.degraded,
        "sections": [
            {
                "name": section.name,
                "planned": section.budget,
                "used": section.used,
                "said": len(section.said),
                "titles": len(section.noted),
                "left_out": section.unsaid,
            }
            for section in selection.sections
        ],
        "read_order": packet.context.read_order,
        "settings": {
            name: {"value": value, "from": status.loaded.origins[name]}
            for name, value in status.loaded.settings._asdict().items()
        },
        "warnings": packet.warnings,
        "advice": advice(status),
    }


def _lines(status: Status) -> Iterator[str]:
    """Yield the status as plain lines, columns apart by two spaces."""
    yield f"directory  {status.root}"
    width = max([len(row.path) for row in status.rows], default=0)
    for row in status.rows:
        yield (
            f"file  {row.path:<{width}}  {row.entries:>6,} entries  {row.tokens:>9,} tokens  "
            f"{row.newest or 'undated'}"
        )
    yield _packet_line(status)
    for section in status.packet.selection.sections:
        yield (
            f"section  {section.name:<11}  planned {section.budget:>7,}  used {section.used:>7,}  "
            f"said {len(section.said):,}  titles {len(section.noted):,}  "
            f"left out {section.unsaid:,}"
        )
    yield f"order  {', '.join(status.packet.context.read_order)}"
    for name, origin in status.loaded.origins.items():
        if origin != "default":
            yield f"setting  {name} = {getattr(status.loaded.settings, name)}  from {origin}"
    yield from (f"do  {line}" for line in advice(status))


def _packet_line(status: Status) -> str:
    packet = status.packet
    return (
        f"packet  {packet.tokens:,} of {packet.request.budget:,} tokens "
        f"({packet.request.tokenizer})"
    )


def _draw(status: Status) -> None:
    """Draw the status for a person at a terminal."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(f"[bold]{_escaped(status.root)}[/bold]")
    table = Table(box=None, pad_edge=False)
    for name in ("file", "entries", "tokens", "newest"):
        table.add_column(name, justify="right" if name in ("entries", "tokens") else "left")
    for row in status.rows:
        table.add_row(_escaped(row.path), f"{row.entries:,}", f"{row.tokens:,}", row.newest or "–")
    console.print(table)
    console.print(_packet_line(status))
    sections = Table(box=None, pad_edge=False)
    for name in ("section", "planned", "used", "said", "titles", "left out"):
        sections.add_column(name, justify="left" if name == "section" else "right")
    for one in status.packet.selection.sections:
        counts = (one.budget, one.used, len(one.said), len(one.noted), one.unsaid)
        sections.add_row(one.name, *(f"{count:,}" for count in counts))
    console.print(sections)
    todo = advice(status)
    console.print("[green]All is well.[/green]" if not todo else "[yellow]To do first:[/yellow]")
    for line in todo:
        console.print(f"• {_escaped(line)}")


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)

"""``ctx status``: what the directory holds, what it costs, and what to mend first."""

from __future__ import annotations

import json
import os
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


_DEAREST = 3
"""Files that advice on too many rules names."""


class Row(NamedTuple):
    """One file of the directory."""

    path: str
    bytes: int
    entries: int
    tokens: int
    """Of all its entries, by the heuristic counter."""
    hard: int
    """Of these, tokens that every packet holds."""
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
    passed_over: tuple[str, ...] = ()
    """Authored documents that are there, and not read since another one comes first."""

    @property
    def precedence(self) -> list[str]:
        """The files that hold rules: where they contradict each other, the first one holds."""
        return [row.path for row in self.rows if row.path in self._ruling]

    @property
    def _ruling(self) -> set[str]:
        return {
            source.path
            for source in self.packet.context.sources
            if any(part.kind == "rule" and len(part) for part in source.parts)
        }

    @property
    def hard(self) -> int:
        """Tokens of all rules as the packet says them."""
        return next(one.used for one in self.packet.selection.sections if one.name == "rules")

    @property
    def hard_limit(self) -> int:
        """Tokens over which the packet is degraded."""
        request = self.packet.request
        return int(request.hard_share * request.budget)


def run(flags: Mapping[str, object], world: World, *, as_json: bool) -> int:
    """Show the status; return the exit code."""
    root = find(str(flags.get("dir") or ""), world)
    loaded = load(root, world, flags)
    store = "" if world.environ.get("CTX_NO_CACHE") else prepare(root)
    packet = make(flags, loaded.settings, root, store, world)
    rows = [_row(source) for source in packet.context.sources]
    over = _passed_over(root, packet)
    status = Status(root, rows, packet, loaded, strays(world.environ), over)
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
    costs = [(entry.tier, entry.size + entry.title_size) for entry in entries]
    hard = sum(cost for tier, cost in costs if tier == "hard")
    tokens = sum(cost for _, cost in costs)
    return Row(source.path, source.size, len(entries), tokens, hard, max(dates, default=""))


def _passed_over(root: str, packet: Packet) -> tuple[str, ...]:
    """Return the authored documents that are there beside the one that is read.

    Not those that are the same file under another name, nor those that a warning names.
    """
    read = {_real(root, source.path) for source in packet.context.sources}
    warned = {warning.split(": ")[0] for warning in packet.warnings}
    return tuple(
        path
        for group in packet.request.authored
        for path in group
        if path not in warned
        and _real(root, path) not in read
        and os.path.isfile(_real(root, path))
    )


def _real(root: str, path: str) -> str:
    """Return where a file's links lead; ``..`` is what a person reads it as."""
    return os.path.realpath(os.path.normpath(os.path.join(root, path)))


def advice(status: Status) -> list[str]:
    """Return what to do, most urgent first; empty when all is well."""
    packet = status.packet
    found = []
    if packet.selection.degraded:
        found.append(f"shorten the rules or raise the budget: {packet.selection.degraded}")
        least = sum(row.hard for row in status.rows) / 10
        dear = sorted(status.rows, key=lambda row: -row.hard)[:_DEAREST]
        found += [
            f"look at {row.path}, about {row.hard:,} tokens of rules: `ctx tiers` shows which lines"
            for row in dear
            if row.hard and row.hard >= least
        ]
    found += [
        f"note that {path} is not read: {status.loaded.settings.authored!r} takes the nearest and "
        "the first"
        for path in status.passed_over
    ]
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
        "hard": {"tokens": status.hard, "limit": status.hard_limit},
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
        "precedence": status.precedence,
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
    yield _hard_line(status)
    yield f"order  {', '.join(status.packet.context.read_order)}"
    yield f"precedence  {', '.join(status.precedence) or 'no rules'}"
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


def _hard_line(status: Status) -> str:
    request = status.packet.request
    over = ", passed: degraded" if status.hard > status.hard_limit else ""
    return (
        f"hard  {status.hard:,} tokens, limit {status.hard_limit:,} "
        f"({request.hard_share:.0%} of {request.budget:,}){over}"
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
    console.print(_hard_line(status))
    if len(status.precedence) > 1:
        console.print(_escaped(f"precedence  {' > '.join(status.precedence)}"))
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

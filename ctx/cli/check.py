"""``ctx check``: what is wrong in a directory, where, and what to do about it."""

from __future__ import annotations

import json
from contextlib import nullcontext
from itertools import groupby
from typing import TYPE_CHECKING

from ctx.app.check import as_object, check, count_of, is_large, named, severe
from ctx.app.check_walk import Checked
from ctx.app.find import here
from ctx.app.workspace import Workspace
from ctx.cli.progress import progress
from ctx.errors import FINDINGS, OK
from ctx.read.files import shown
from ctx.streams import complain, counted, safe, safe_json, write_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.app.options import PacketOptions
    from ctx.checks.types import Finding
    from ctx.world import World

_COLOURS = {"error": "red", "warning": "yellow"}


def run(
    options: PacketOptions,
    rules: Sequence[str],
    world: World,
    *,
    severity: str = "warning",
    as_json: bool,
) -> int:
    """Check the directory that is found from here, and say what is found; return the exit code."""
    workspace = Workspace(options, world)
    root = workspace.root
    workspace.loaded  # noqa: B018 - wrong settings end the call before a wrong rule does
    asked = severe(named(rules), severity)
    shows = progress("checking", len(asked), world, counts="rules") if is_large(root) else None
    with shows or nullcontext() as tick:
        found = check(workspace, asked, tick=tick)
    if as_json:
        text = safe_json(
            json.dumps(as_object(workspace, found, asked), ensure_ascii=False, indent=1) + "\n"
        )
        write_out(text.encode("utf-8", "replace"))
    elif world.draws():
        _draw(found.findings, root, world)
    else:
        text = safe("".join(f"{line}\n" for line in _lines(found.findings, root, world)))
        write_out(text.encode("utf-8", "replace"))
    if not as_json:
        for path, why in found.left:
            complain(f"{path}: not read, so what is said of it is not checked: {why}")
        complain(_summary(found))
    return FINDINGS if found.findings else OK


def _lines(findings: Sequence[Finding], root: str, world: World) -> Iterator[str]:
    """Yield a line for each finding, in the form that editors jump to."""
    for one in findings:
        path = here(root, one.file, world.cwd)
        yield shown(f"{path}:{one.line}: {one.severity}: {one.rule}: {one.message} ({one.remedy})")


def _summary(found: Checked) -> str:
    errors, warnings = (count_of(found.findings, kind) for kind in ("error", "warning"))
    where = f"{counted(found.entries, 'entry')} in {counted(found.files, 'document')}"
    if found.unseen:
        where += f"; {_listed(found.unseen)} out of the directory were not looked at: {found.why}"
    if not found.findings:
        return f"nothing to mend: {where}"
    files = len({one.file for one in found.findings})
    counts = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    return f"{counts} in {counted(files, 'file')}; {where}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _draw(findings: Sequence[Finding], root: str, world: World) -> None:
    """Draw the findings for a person at a terminal, under the file that each is in."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for path, run in groupby(findings, key=lambda one: one.file):
        console.print(Text(shown(here(root, path, world.cwd)), "bold"))
        for one in run:
            kind = (f"{one.severity:<8}", _COLOURS[one.severity])
            head = (f"{one.line:>6}  ", "dim")
            console.print(Text.assemble(head, kind, (one.rule, "bold"), f"  {shown(one.message)}"))
            console.print(Text(f"{'':<8}{shown(one.remedy)}", "dim"))
    if not findings:
        console.print("[green]All is well.[/green]")

"""``ctx check``: what is wrong in a directory, where, and what to do about it."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import nullcontext, suppress
from itertools import groupby
from typing import TYPE_CHECKING

from ctx.app.check import Asked, Checked
from ctx.app.check import checked as walked
from ctx.app.find import find
from ctx.app.packet import request_of, with_store
from ctx.app.settings import load
from ctx.checks import NAMES, RULES
from ctx.cli.here import here
from ctx.cli.progress import progress
from ctx.errors import FINDINGS, OK, UsageError
from ctx.read.files import below, shown
from ctx.streams import (
    complain,
    safe,
    safe_json,
    write_out,
)
from ctx.text.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ctx.app.settings import Loaded
    from ctx.checks import Finding, Rule
    from ctx.world import World

_LARGE = 4 * 1024 * 1024
"""Bytes of a directory whose check takes a second or more."""
_MANY = 10_000
"""The same of files and folders."""
_COLOURS = {"error": "red", "warning": "yellow"}


_LEAST = {"error": ("error",), "warning": ("error", "warning")}
"""By what ``--severity`` says, what is looked for."""


def run(
    flags: Mapping[str, object],
    rules: Sequence[str],
    world: World,
    *,
    severity: str = "warning",
    as_json: bool,
) -> int:
    """Check the directory that is found from here, and say what is found; return the exit code."""
    root = find(str(flags.get("dir") or ""), world)
    loaded = load(root, world, flags)
    asked = severe(named(rules), severity)
    shows = progress("checking", len(asked), world, counts="rules") if is_large(root) else None
    with shows or nullcontext() as told:
        found = check(root, loaded, world, asked, as_of=str(flags.get("as_of") or ""), told=told)
    if as_json:
        text = safe_json(
            json.dumps(_object(root, found, asked, world), ensure_ascii=False, indent=1) + "\n"
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


def is_large(root: str) -> bool:
    """Return whether a check of ``root`` takes long enough to be seen."""
    size = 0
    for count, (path, _) in enumerate(below(root)):
        with suppress(OSError):
            size += os.lstat(os.path.join(root, path)).st_size
        if size > _LARGE or count > _MANY:
            return True
    return False


def checked(
    root: str, loaded: Loaded, world: World, rules: Sequence[str] = (), as_of: str = ""
) -> dict[str, object]:
    """Return what the named ``rules``, all without any, find in the directory ``root``.

    The object that ``ctx check --json`` writes. Raises UsageError for a rule that there is not,
    FileError where the directory cannot be listed, TokenizerError for a tokenizer that cannot be
    used.
    """
    asked = named(rules)
    return _object(root, check(root, loaded, world, asked, as_of=as_of), asked, world)


def check(  # noqa: PLR0913 - where, by which settings, what, from when, and who is told
    root: str,
    loaded: Loaded,
    world: World,
    rules: Sequence[Rule] = RULES,
    *,
    as_of: str = "",
    told: Callable[[int], None] | None = None,
) -> Checked:
    """Return what ``rules`` find in the directory ``root``; raises as ``checked``."""
    from ctx.text.secrets import find as secrets  # patterns: for who checks only

    settings = loaded.settings._replace(session="", embedder="none", planner="tiered")
    request = request_of({"as_of": as_of}, settings, root, world)._replace(ranker="brackets")
    count = counter(settings.tokenizer)
    asked = Asked(
        request, rules, count, secrets, told, lambda file: shlex.quote(here(root, file, world.cwd))
    )
    places = world.prepare(root)
    return with_store(
        lambda shelf, library: walked(asked, shelf, library), settings, request, places, world
    )


def named(names: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules of these names, all without any; UsageError for one that there is not."""
    for name in names:
        if name not in NAMES:
            raise UsageError(f"--rule: there is no rule {name!r}", f"one of {', '.join(NAMES)}")
    return tuple(rule for rule in RULES if not names or rule.name in names)


def severe(rules: Sequence[Rule], severity: str) -> tuple[Rule, ...]:
    """Return those of ``rules`` whose findings are of ``severity`` or worse.

    Raises UsageError for a severity that there is not, and where no rule is left.
    """
    if severity not in _LEAST:
        raise UsageError(f"--severity: {severity!r} is none", f"one of {', '.join(_LEAST)}")
    kept = tuple(rule for rule in rules if rule.severity in _LEAST[severity])
    if not kept:
        raise UsageError(
            f"--severity {severity}: no rule is left to ask", "leave out --rule or --severity"
        )
    return kept


def _object(root: str, found: Checked, rules: Sequence[Rule], world: World) -> dict[str, object]:
    return {
        "directory": root,
        "findings": [
            {**one._asdict(), "path": here(root, one.file, world.cwd)} for one in found.findings
        ],
        "errors": _count(found.findings, "error"),
        "warnings": _count(found.findings, "warning"),
        "rules": [
            {"name": rule.name, "severity": rule.severity, "help": rule.help} for rule in rules
        ],
        "not_looked_at": list(found.unseen),
        "why_not": found.why,
        "left_unread": [{"path": path, "why": why} for path, why in found.left],
    }


def _count(findings: Sequence[Finding], severity: str) -> int:
    return sum(one.severity == severity for one in findings)


def _lines(findings: Sequence[Finding], root: str, world: World) -> Iterator[str]:
    """Yield a line for each finding, in the form that editors jump to."""
    for one in findings:
        path = here(root, one.file, world.cwd)
        yield shown(f"{path}:{one.line}: {one.severity}: {one.rule}: {one.message} ({one.remedy})")


def _summary(found: Checked) -> str:
    errors, warnings = (_count(found.findings, kind) for kind in ("error", "warning"))
    where = f"{_counted(found.entries, 'entry')} in {_counted(found.files, 'document')}"
    if found.unseen:
        where += f"; {_listed(found.unseen)} out of the directory were not looked at: {found.why}"
    if not found.findings:
        return f"nothing to mend: {where}"
    files = len({one.file for one in found.findings})
    counts = f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')}"
    return f"{counts} in {_counted(files, 'file')}; {where}"


def _counted(count: int, noun: str) -> str:
    many = f"{noun.removesuffix('y')}ies" if noun == "entry" else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


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

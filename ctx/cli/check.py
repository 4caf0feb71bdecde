"""``ctx check``: what is wrong in a directory, where, and what to do about it."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import groupby

from ctx.app import check as checks
from ctx.app.annotations import FORMATS
from ctx.app.check import Checked, is_large, named, of_severity
from ctx.app.find import here
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.checks.types import Finding
from ctx.cli.options import taking
from ctx.cli.terminal import Screen, progress, screen_of
from ctx.errors import FINDINGS, OK, UsageError
from ctx.streams import complain, counted, write_json, write_lines
from ctx.text.names import shown, shown_line
from ctx.world import World

_COLOURS = {"error": "red", "warning": "yellow"}


@taking("dir", "as-of", "json")
def check(
    options: PacketOptions,
    *,
    rule: list[str] | None = None,
    severity: str = "warning",
    format_: str = "",
    json: bool = False,
) -> int:
    """Find what is wrong in the directory: file, line, rule and remedy.

    Changes nothing. Exit codes: 0 nothing found, 1 something was, 2 usage, 4 no context
    directory, 6 unreadable directory.
    """
    world = World()
    workspace = Workspace(options, world)
    root = workspace.root
    workspace.loaded  # noqa: B018 - wrong settings end the call before a wrong rule does
    rules = of_severity(named(rule or ()), severity)
    if format_ and format_ not in FORMATS:
        hint = f"one of {', '.join(FORMATS)}"
        raise UsageError(f"--format: unknown format {format_!r}", hint)
    shows = progress("checking", len(rules), world, counts="rules") if is_large(root) else None
    with shows or nullcontext() as tick:
        checked = checks.check(workspace, rules, tick=tick)
    if json:
        write_json(checked.as_json(workspace, rules))
    else:
        if format_:
            write_lines(FORMATS[format_](checked, rules, root))
        elif screen := screen_of(world):
            _draw(screen, checked.findings, root, world)
        else:
            write_lines(_lines(checked.findings, root, world))
        for path, why in checked.left:
            complain(f"{path}: not read, so statements about it are not checked: {why}")
        for name, what in checked.bounded:
            complain(f"{name}: {what}, as there are many")
        complain(_summary(checked))
    return FINDINGS if checked.findings else OK


def _lines(findings: Sequence[Finding], root: str, world: World) -> Iterator[str]:
    for finding in findings:
        place = f"{here(root, finding.file, world.cwd)}:{finding.line}"
        what = f"{finding.severity}: {finding.rule}: {finding.message}"
        yield shown_line(f"{place}: {what} ({finding.remedy})")


def _summary(checked: Checked) -> str:
    errors, warnings = checked.count("error"), checked.count("warning")
    where = f"{counted(checked.entries, 'entry')} in {counted(checked.files, 'document')}"
    if checked.unseen:
        where += (
            f"; {_listed(checked.unseen)} out of the directory were not looked at: {checked.why}"
        )
    if not checked.findings:
        return f"nothing found: {where}"
    files = len({finding.file for finding in checked.findings})
    counts = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    return f"{counts} in {counted(files, 'file')}; {where}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _draw(screen: Screen, findings: Sequence[Finding], root: str, world: World) -> None:
    for path, run in groupby(findings, key=lambda finding: finding.file):
        screen.draw((shown(here(root, path, world.cwd)), "bold"), wrap=False)
        for finding in run:
            kind = (f"{finding.severity:<8}", _COLOURS[finding.severity])
            head = (f"{finding.line:>6}  ", "dim")
            rule, text = (finding.rule, "bold"), f"  {shown_line(finding.message)}"
            screen.draw(head, kind, rule, text, wrap=False)
            screen.draw((f"{'':<8}{shown_line(finding.remedy)}", "dim"), wrap=False)
    if not findings:
        screen.draw(("All is well.", "green"))

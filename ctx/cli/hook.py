"""``ctx hook``: what puts ctx in front of an agent. What a hook runs is in ``ctx/hooks``."""

import sys
from typing import Annotated

import typer

from ctx.app.options import HookOptions, PacketOptions
from ctx.app.settings import load, set_for_user
from ctx.cli.options import taking
from ctx.errors import UsageError
from ctx.hooks import install as installing
from ctx.hooks import places, reminder, runner
from ctx.hooks import status as status_of_hooks
from ctx.hooks.call import Call
from ctx.hooks.places import Options
from ctx.hosts import GIT, all_hooks
from ctx.streams import answers, complain
from ctx.world import World

_HOSTS = all_hooks()
_NAMES = ", ".join(f"{each.name} ({each.note})" if each.note else each.name for each in _HOSTS)
_LOCALS = [each.name for each in _HOSTS if any(at.scope == "local" for at in each.places)]
_TOOL = typer.Argument(metavar="TOOL", help=f"{_NAMES} or {GIT}.")
_LOCAL = typer.Option("--local", help=f"In this project, for you alone ({', '.join(_LOCALS)}).")


@taking("dir", "json")
def install(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    tool: Annotated[str, _TOOL],
    *,
    project: bool = False,
    local: Annotated[bool, _LOCAL] = False,
    global_: bool = False,
    dry_run: bool = False,
    no_capture: bool = False,
    json: bool = False,
) -> int:
    """Install hooks of ctx in the settings of an agent; all else stays, to the byte.

    Without --global or --local in the settings of the project. A copy of the settings before is
    kept (`ctx cache` shows where). Sessions are stored only where your own setting `capture` is on
    or titles; on a terminal ctx asks once. For git: a reminder of decisions that nobody wrote down.
    Exit codes: 0 installed, also where it was, 2 usage or no project, 6 settings that cannot be
    read or written: then nothing was changed.
    """
    scope = _scope(project=project, local=local, global_=global_)
    asked = Options(tool, scope, options.dir or "", dry_run, json, captures=not no_capture)
    world = World()
    code = installing.install(asked, world)
    if not (dry_run or json or no_capture) and world.at_terminal() and answers():
        _ask_for_capture(tool, world)
    return code


@taking("dir", "json")
def uninstall(  # noqa: PLR0913 - as above
    options: PacketOptions,
    tool: Annotated[str, _TOOL],
    *,
    project: bool = False,
    local: Annotated[bool, _LOCAL] = False,
    global_: bool = False,
    dry_run: bool = False,
    json: bool = False,
) -> int:
    """Uninstall the hooks: the settings are as they were, to the byte.

    If they were changed since, only the hooks of ctx are removed. Exit codes:
    0 done, also where there were none, 2 usage, 6 settings that cannot be read or written.
    """
    scope = _scope(project=project, local=local, global_=global_)
    asked = Options(tool, scope, options.dir or "", dry_run=dry_run, as_json=json)
    return installing.uninstall(asked, World())


@taking("dir", "json")
def status(options: PacketOptions, *, json: bool = False) -> int:
    """Show which agents call ctx, from which settings, the last outcome, and what to do.

    Exit codes: 0 success, 2 usage, 4 --dir names no context directory.
    """
    return status_of_hooks.run(options.dir or "", World(), as_json=json)


@taking("dir", "budget", "context-length", "deadline", "cooldown")
def run(
    options: HookOptions,
    tool: Annotated[str, _TOOL],
    event: str,
) -> int:
    """Answer the event of a hook: JSON on standard input, the packet on standard output.

    Installed hooks call this. It never fails its host: an error prints nothing and adds a line to
    hook.log (`ctx cache` shows where). Exit code: 0.
    """
    if places.is_git(tool):
        return reminder.run(event, options.dir or "", World())
    return runner.run(Call(tool, event, options), World())


def _ask_for_capture(tool: str, world: World) -> None:
    known = load("", world, PacketOptions())
    if places.is_git(tool) or not places.tool_named(tool).captures:
        return
    if known.origins["capture"] != "default":
        return
    complain(
        "may hooks store your sessions, in your state directory, secrets redacted, for you alone? "
        "[y]es, [t]itles of what you asked, [N]o"
    )
    answer = sys.stdin.readline().strip().lower()[:1]
    value = {"y": "on", "t": "titles"}.get(answer, "off")
    complain(f'{set_for_user("capture", value, world)}: capture = "{value}"')


def _scope(**asked: bool) -> str:
    chosen = [name.removesuffix("_") for name, is_asked in asked.items() if is_asked]
    if len(chosen) > 1:
        raise UsageError(f"--{' and --'.join(chosen)}: choose one")
    return chosen[0] if chosen else ""

"""Install and uninstall hooks in the settings of a host."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

from ctx.app.find import find
from ctx.config.layers import bounded
from ctx.edit.json_splice import ScanError, scan
from ctx.edit.links import ALL
from ctx.errors import OK, CtxError, UsageError
from ctx.hooks import git, places
from ctx.hooks.answer import keep
from ctx.hooks.places import Outcome, report
from ctx.hooks.settings import hooks_in
from ctx.hooks.settings_file import Change, File, carry_out, holding, look, to_install, to_uninstall
from ctx.hosts.here import Contents, Here
from ctx.repository import main_checkout
from ctx.streams import complain
from ctx.text.names import shown as escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.hooks.places import Options, Settings
    from ctx.hosts.host import Hooks
    from ctx.model import JsonObject
    from ctx.world import World


_ANY = File("", links=ALL)
_NEAREST = ("local", "project", "global")  # scopes, in order of precedence
EXAMPLE = ""  # the prompt of the line that shows what an agent gets


def install(options: Options, world: World) -> int:
    """Put the hooks of a tool in, or show what would be changed; return the exit code."""
    if places.is_git(options.tool):
        return git.install(options, world)
    tool = places.tool_named(options.tool)
    settings = _chosen(tool, options, world)
    program = places.program(settings.place.scope, world)
    wanted = settings.wanted(program, captures=options.captures)
    plan = to_install(wanted, settings.shown)
    change = look(settings.file, plan) if options.dry_run else carry_out(settings.file, plan)
    lines = _installed(settings, change, options, world)
    if not options.dry_run and settings.place.scope != "global":
        places.trust(options.dir, world)
        with suppress(CtxError, OSError):  # `ctx agent` names what is wrong with the files
            keep(tool, find(options.dir, world), world)
    report("install", [_outcome(settings, change)], lines, options)
    named, is_own = world.named(places.PLAIN)
    if program == places.PLAIN and not is_own:
        complain(
            f"`ctx` is another program on the PATH of this shell, {escaped(named)}, and the hook "
            "would run that: put the folder of this one first"
            if named
            else "`ctx` is not on the PATH of this shell: the hook stays silent where a tool does "
            "not find it"
        )
    return OK


def uninstall(options: Options, world: World) -> int:
    """Take the hooks of a tool out again, or show what would be changed; return the exit code."""
    if places.is_git(options.tool):
        return git.uninstall(options, world)
    tool = places.tool_named(options.tool)
    every = places.places(tool, places.project(options.dir, world), world)
    here = tuple(one.place.scope for one in every if one.place.scope != "global")
    scopes = (options.scope,) if options.scope else here or ("global",)
    outcomes, lines = list[Outcome](), list[str]()
    for settings in every:
        if settings.place.scope in scopes:
            plan = to_uninstall(settings.wanted(places.PLAIN), settings.shown)
            change = (look if options.dry_run else carry_out)(settings.file, plan)
            outcomes.append(_outcome(settings, change))
            lines += _uninstalled(settings, change, options)
    if not outcomes:
        raise _no_place(tool, options)
    others = (one for one in every if one.place.scope not in scopes)
    left = [one for one in others if holding(one.file, tool.name, one.shown)]
    if not any(one.change.changes for one in outcomes):
        names = " or ".join(one.shown for one in outcomes)
        lines.append(f"no hooks of ctx for {tool.title} in {names}")
    lines += [
        f"still in {one.shown}: ctx hook uninstall {tool.name} --{one.place.scope}" for one in left
    ]
    report("uninstall", outcomes, lines, options)
    return OK


def _chosen(tool: Hooks, options: Options, world: World) -> Settings:
    every = places.places(tool, places.project(options.dir, world), world)
    scope = options.scope or "project"
    for settings in every:
        if settings.place.scope == scope:
            return settings
    raise _no_place(tool, options)


def _no_place(tool: Hooks, options: Options) -> UsageError:
    scopes = [place.scope for place in tool.places]
    if options.scope and options.scope not in scopes:
        return UsageError(
            f"--{options.scope}: {tool.title} has no such settings",
            f"it has --{' and --'.join(scopes)}",
        )
    return UsageError(
        "no project here: neither a context directory nor a repository",
        "`ctx init` makes one; --global is for all projects",
    )


def _outcome(settings: Settings, change: Change) -> Outcome:
    hooks = hooks_in(change.after, settings.tool.name, settings.shown) if change.after else []
    by_hand = tuple(hook.event for hook in hooks if not hook.own)
    name, scope = settings.tool.name, settings.place.scope
    return Outcome(name, scope, settings.file, settings.shown, change, by_hand)


def _installed(settings: Settings, change: Change, options: Options, world: World) -> Iterator[str]:
    tool, outcome = settings.tool, _outcome(settings, change)
    if options.dry_run:
        yield from outcome.diff()
    if not change.changes:
        yield f"{settings.shown}: {tool.title} calls ctx already; nothing to do"
    elif not options.dry_run:
        every = (*tool.events, *tool.others, *(tool.captures if options.captures else ()))
        events = [event for event in every if event not in outcome.by_hand]
        yield f"{settings.shown}: {tool.title} asks ctx at {', '.join(events)}"
    for event in outcome.by_hand:
        yield f"  {event}: a hook of your own runs ctx there; it is left as it is"
    folder = places.project(options.dir, world)
    off = switched_off(places.places(tool, folder, world), folder, world)
    for line in (*off, *places.not_run(tool, [settings.place], folder, world)):
        yield f"  ! {line}"
    if not options.dry_run:
        yield f"next: {tool.next_step}"
        asked = json.dumps({"prompt": EXAMPLE})
        program = places.program("local", world)  # typed here, where the name may lead nowhere
        yield (
            f"see what it gets: echo {shlex.quote(asked)} | "
            f"{program} hook run {tool.name} {tool.events[-1]} --cooldown 0"
        )


def _uninstalled(settings: Settings, change: Change, options: Options) -> Iterator[str]:
    outcome = _outcome(settings, change)
    if options.dry_run:
        yield from outcome.diff()
    elif change.changes and change.after is None:
        yield f"{settings.shown}: removed; ctx had made it"
    elif change.changes:
        yield f"{settings.shown}: without the hooks of ctx; all else is left as it is"
    for event in outcome.by_hand:
        yield f"{settings.shown}: {event}: a hook of your own runs ctx there; it is left as it is"


def switched_off(every: Sequence[Settings], folder: str, world: World) -> list[str]:
    """Return why hooks of a tool are not run in ``folder``; ``every`` are its places there."""
    nearest = sorted(every, key=lambda one: _NEAREST.index(one.place.scope))
    project = os.path.realpath(folder) if folder else ""
    main = main_checkout(project) if project else ""
    here = Here(project, main if main != project else "", world.home, world.environ, _read)
    return every[0].tool.switched_off([_contents(one) for one in nearest], here) if every else []


def _read(path: str, like: File = _ANY) -> JsonObject:
    """Return what a file of JSON or TOML holds; empty where it cannot be read."""
    try:
        data = look(like._replace(path=path), lambda data: Change(data, data)).before
        text = (data or b"").decode("utf-8-sig")
        if path.endswith(".toml"):
            return bounded(text)
        node = scan(text)
    except (CtxError, ScanError, ValueError, RecursionError):
        return {}
    return node.value if node and isinstance(node.value, dict) else {}


def _contents(settings: Settings) -> Contents:
    """Return what settings hold; nothing where they cannot be read, which is reported elsewhere."""

    def beside(name: str) -> Contents:
        path = os.path.join(os.path.dirname(settings.file.path), name)
        return Contents(f"{settings.shown.rpartition('/')[0]}/{name}", _read(path, settings.file))

    path = settings.file.path
    data = _read(path, settings.file)
    return Contents(settings.shown, data, beside, os.path.realpath(path), settings.place.scope)

"""``ctx hook install`` and ``uninstall``: hooks of ctx in the settings of a tool."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from ctx.cli.hook import where
from ctx.cli.hook.switches import switched_off
from ctx.cli.shown import safe, safe_json
from ctx.cli.world import complain, write_out
from ctx.errors import OK, UsageError
from ctx.hooks.settings import hooks_in
from ctx.hooks.settings_file import carry_out, installing, look, uninstalling
from ctx.read.files import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.cli.hook.where import Options, Settings
    from ctx.cli.world import World
    from ctx.hooks.host import Tool
    from ctx.hooks.settings_file import Change

EXAMPLE = "what did we decide?"
"""The prompt of the line that shows what an agent gets."""


class _Done(NamedTuple):
    """What became of one file of settings."""

    settings: Settings
    change: Change
    by_hand: tuple[str, ...]
    """Events whose hook a person wrote, which is left."""


def install(options: Options, world: World) -> int:
    """Put the hooks of a tool in, or show what would be changed; return the exit code."""
    if where.is_git(options.tool):
        from ctx.cli.hook import git

        return git.install(options, world)
    tool = where.tool_named(options.tool)
    if not options.dry_run:
        where.make_store(options.dir, world)
    settings = _chosen(tool, options, world)
    program = where.program(settings.place.scope, world)
    plan = installing(settings.wanted(program), settings.shown)
    change = look(settings.file, plan) if options.dry_run else carry_out(settings.file, plan)
    done = _Done(settings, change, _by_hand(settings, change.after))
    _say("install", [done], _installed(done, options, world), options)
    if program == where.PLAIN and not where.on_path(world):
        complain(
            "`ctx` is not on the PATH of this shell, or is another program: the hook stays "
            "silent where a tool does not find it"
        )
    return OK


def uninstall(options: Options, world: World) -> int:
    """Take the hooks of a tool out again, or show what would be changed; return the exit code."""
    if where.is_git(options.tool):
        from ctx.cli.hook import git

        return git.uninstall(options, world)
    tool = where.tool_named(options.tool)
    every = where.places(tool, where.project(options.dir, world), world)
    scopes = (options.scope,) if options.scope else _usual(every)
    done = []
    for settings in every:
        if settings.place.scope in scopes:
            plan = uninstalling(settings.wanted(where.PLAIN), settings.shown)
            change = (look if options.dry_run else carry_out)(settings.file, plan)
            done.append(_Done(settings, change, _by_hand(settings, change.after)))
    if not done:
        raise _no_place(tool, options, every)
    left = [one for one in every if one.place.scope not in scopes and _has(one)]
    lines = [line for one in done for line in _uninstalled(one, options)]
    if not any(one.change.changes for one in done):
        lines.append(f"no hooks of ctx for {tool.title} in {' or '.join(map(_named, done))}")
    lines += [
        f"still in {one.shown}: ctx hook uninstall {tool.name} --{one.place.scope}" for one in left
    ]
    _say("uninstall", done, lines, options)
    return OK


# --- which settings -----------------------------------------------------------------------


def _chosen(tool: Tool, options: Options, world: World) -> Settings:
    every = where.places(tool, where.project(options.dir, world), world)
    scope = options.scope or "project"
    for settings in every:
        if settings.place.scope == scope:
            return settings
    raise _no_place(tool, options, every)


def _no_place(tool: Tool, options: Options, every: Sequence[Settings]) -> UsageError:
    scopes = [place.scope for place in tool.places]
    if options.scope and options.scope not in scopes:
        return UsageError(
            f"--{options.scope}: {tool.title} has no such settings",
            f"it has --{' and --'.join(scopes)}",
        )
    del every
    return UsageError(
        "no project here: neither a context directory nor a repository",
        "`ctx init` makes one; --global is for all projects",
    )


def _usual(every: Sequence[Settings]) -> tuple[str, ...]:
    """Return the scopes of this project, or that of all where there is none."""
    here = tuple(one.place.scope for one in every if one.place.scope != "global")
    return here or ("global",)


def _by_hand(settings: Settings, data: bytes | None) -> tuple[str, ...]:
    hooks = hooks_in(data, settings.tool.name, settings.shown) if data is not None else []
    return tuple(hook.event for hook in hooks if not hook.own)


def _has(settings: Settings) -> bool:
    from ctx.hooks.settings_file import holding

    return bool(holding(settings.file, settings.tool.name, settings.shown))


# --- what is said -------------------------------------------------------------------------


def _installed(done: _Done, options: Options, world: World) -> Iterator[str]:
    settings, change = done.settings, done.change
    tool = settings.tool
    if options.dry_run:
        yield from _diff(done)
    if not change.changes:
        yield f"{settings.shown}: {tool.title} asks ctx already; nothing to do"
    elif not options.dry_run:
        events = [event for event in tool.events if event not in done.by_hand]
        yield f"{settings.shown}: {tool.title} asks ctx at {' and '.join(events)}"
        if change.keep is not None:
            yield (
                f"  kept as it was{_beside(settings)} (`ctx hook uninstall {tool.name}` "
                "puts it back)"
            )
        elif change.before is not None:
            yield (
                "  no copy is kept: there is no folder for one; "
                f"`ctx hook uninstall {tool.name}` takes out what was put in"
            )
    for event in done.by_hand:
        yield f"  {event}: a hook of your own runs ctx there; it is left as it is"
    for line in switched_off(where.places(tool, where.project(options.dir, world), world)):
        yield f"  ! {line}"
    if not options.dry_run:
        yield f"next: {tool.next_step}"
        asked = json.dumps({"prompt": EXAMPLE})
        program = where.program("local", world)  # typed here, where the name may lead nowhere
        yield (
            f"see what it gets: echo {where.quoted(asked)} | "
            f"{program} hook run {tool.name} {tool.events[-1]} --cooldown 0"
        )


def _uninstalled(done: _Done, options: Options) -> Iterator[str]:
    settings, change = done.settings, done.change
    if options.dry_run:
        yield from _diff(done)
    elif change.changes and change.after is None:
        yield f"{settings.shown}: removed; ctx had made it"
    elif change.changes and change.drop:
        yield f"{settings.shown}: is again what it was before ctx"
    elif change.changes:
        yield f"{settings.shown}: without the hooks of ctx; all else is left as it is"
    for event in done.by_hand:
        yield f"{settings.shown}: {event}: a hook of your own runs ctx there; it is left as it is"
    if not (options.dry_run or change.drop) and os.path.lexists(settings.file.kept):
        yield f"  what it was before ctx is still kept{_beside(settings)}"


def _beside(settings: Settings) -> str:
    """Return where a copy is, as a message names it: of a project's it is in ctx's own folder."""
    return ", see `ctx cache`" if settings.file.store else f": {settings.kept}"


def _diff(done: _Done) -> Iterator[str]:
    return where.diff(done.change, done.settings.shown)


def _named(done: _Done) -> str:
    return done.settings.shown


def _say(
    command: str, done: Sequence[_Done], lines: Iterator[str] | list[str], options: Options,
) -> None:  # fmt: skip
    if options.as_json:
        text = safe_json(json.dumps(_object(command, done, options), indent=1) + "\n")
    else:
        text = safe("".join(f"{line}\n" for line in lines))
    write_out(text.encode("utf-8", "replace"))


def _object(command: str, done: Sequence[_Done], options: Options) -> dict[str, object]:
    return {
        "command": command,
        "dry_run": options.dry_run,
        "files": [
            {
                "tool": one.settings.tool.name,
                "scope": one.settings.place.scope,
                "path": shown(one.settings.file.path),
                "changed": one.change.changes,
                "exists": one.change.after is not None,
                "kept": shown(one.settings.file.kept) if one.change.keep is not None else None,
                "left_by_hand": list(one.by_hand),
                "diff": list(_diff(one)) if options.dry_run else None,
            }
            for one in done
        ],
    }

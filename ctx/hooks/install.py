"""Install and uninstall hooks in the settings of a host."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from ctx.config import bounded
from ctx.edit.json_splice import ScanError, scan
from ctx.errors import OK, CtxError, UsageError
from ctx.hooks import places
from ctx.hooks.settings import hooks_in
from ctx.hooks.settings_file import Change, File, carry_out, installing, look, uninstalling
from ctx.read.files import shown
from ctx.streams import complain, safe, safe_json, write_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ctx.hooks.places import Options, Settings
    from ctx.hooks.protocol import Tool
    from ctx.world import World


_NEAREST = ("local", "project", "global")
"""Scopes, in the order in which settings count before others."""


def switched_off(every: Sequence[Settings]) -> list[str]:
    """Return why hooks of a tool are not run, and what to do; ``every`` are its places here."""
    nearest = sorted(every, key=lambda one: _NEAREST.index(one.place.scope))
    looks = {"claude": _claude, "gemini": _gemini, "codex": _codex}
    name = every[0].tool.name if every else ""
    return list(looks[name](nearest)) if name in looks else []


def _claude(nearest: Sequence[Settings]) -> Iterator[str]:
    for settings in nearest:
        value = _of(settings).get("disableAllHooks")
        if isinstance(value, bool):  # the nearest that says so counts
            if value:
                yield (
                    f"{settings.shown}: disableAllHooks is true: no hooks are run; "
                    "set it to false, or take it out"
                )
            return


def _gemini(nearest: Sequence[Settings]) -> Iterator[str]:
    every = [(settings, _settings_object(_of(settings).get("hooksConfig"))) for settings in nearest]
    for settings, config in every:
        value = config.get("enabled")
        if isinstance(value, bool):
            if not value:
                yield (
                    f"{settings.shown}: hooksConfig.enabled is false: no hooks are run; "
                    "set it to true, or take it out"
                )
            break
    for settings, config in every:
        names = config.get("disabled")
        if isinstance(names, list) and any(map(_is_own, names)):
            yield (
                f"{settings.shown}: hooksConfig.disabled names the hooks of ctx: they are not "
                "run; take them out of that list, or `/hooks enable ctx`"
            )


def _is_own(name: object) -> bool:
    """Whether Gemini CLI calls hooks of ctx by ``name``: by their own, or by their command."""
    return isinstance(name, str) and (name == "ctx" or " hook run gemini " in name)


def _codex(nearest: Sequence[Settings]) -> Iterator[str]:
    every = [(settings, *_toml_beside(settings)) for settings in nearest]
    for _, file, config in every:
        features = _settings_object(config.get("features"))
        said = [name for name in ("hooks", "codex_hooks") if isinstance(features.get(name), bool)]
        if said:
            if not features[said[0]]:
                yield (
                    f"{file}: features.{said[0]} is false: no hooks are run; "
                    "set it to true, or take it out"
                )
            break
    for settings, file, config in every:
        hooks = _settings_object(config.get("hooks"))
        # What is no list is no event: Codex keeps there which hooks are trusted.
        if any(isinstance(one, list) for one in hooks.values()) and _of(settings).get("hooks"):
            yield (
                f"{settings.shown} and [hooks] in {file} both hold hooks: Codex runs both, and "
                "warns at each start; move those of config.toml to hooks.json"
            )


# --- what the files say -------------------------------------------------------------------


def _of(settings: Settings) -> Mapping[str, object]:
    """Return what settings say; nothing where they cannot be read, which is said elsewhere."""
    try:
        node = scan(_text(settings.file))
    except (CtxError, ScanError, UnicodeDecodeError):
        return {}
    return _settings_object(node.value if node else None)


def _toml_beside(settings: Settings) -> tuple[str, Mapping[str, object]]:
    """Return the ``config.toml`` beside settings, as messages name it, and what it says."""
    path = os.path.join(os.path.dirname(settings.file.path), "config.toml")
    shown = settings.shown.rpartition("/")[0] + "/config.toml"
    try:
        return shown, bounded(_text(settings.file._replace(path=path, kept="")))
    except (CtxError, ValueError, RecursionError):
        return shown, {}  # Codex says what is wrong with its own file


def _text(file: File) -> str:
    data = look(file, lambda data, _kept: Change(data, data)).before
    return (data or b"").decode("utf-8-sig")


def _settings_object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


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
    if places.is_git(options.tool):
        from ctx.hooks import git

        return git.install(options, world)
    tool = places.tool_named(options.tool)
    if not options.dry_run:
        places.make_store(options.dir, world)
    settings = _chosen(tool, options, world)
    program = places.program(settings.place.scope, world)
    plan = installing(settings.wanted(program), settings.shown)
    change = look(settings.file, plan) if options.dry_run else carry_out(settings.file, plan)
    done = _Done(settings, change, _by_hand(settings, change.after))
    _say("install", [done], _installed(done, options, world), options)
    if program == places.PLAIN and not places.on_path(world):
        complain(
            "`ctx` is not on the PATH of this shell, or is another program: the hook stays "
            "silent where a tool does not find it"
        )
    return OK


def uninstall(options: Options, world: World) -> int:
    """Take the hooks of a tool out again, or show what would be changed; return the exit code."""
    if places.is_git(options.tool):
        from ctx.hooks import git

        return git.uninstall(options, world)
    tool = places.tool_named(options.tool)
    every = places.places(tool, places.project(options.dir, world), world)
    scopes = (options.scope,) if options.scope else _usual(every)
    done = []
    for settings in every:
        if settings.place.scope in scopes:
            plan = uninstalling(settings.wanted(places.PLAIN), settings.shown)
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
    every = places.places(tool, places.project(options.dir, world), world)
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
    for line in switched_off(places.places(tool, places.project(options.dir, world), world)):
        yield f"  ! {line}"
    if not options.dry_run:
        yield f"next: {tool.next_step}"
        asked = json.dumps({"prompt": EXAMPLE})
        program = places.program("local", world)  # typed here, where the name may lead nowhere
        yield (
            f"see what it gets: echo {places.quoted(asked)} | "
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
    return places.diff(done.change, done.settings.shown)


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

"""Where the hooks of a tool are here, by what command they find ctx, and what was done there."""

from __future__ import annotations

import difflib
import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.find import NAME as CONTEXT
from ctx.app.find import find, upwards
from ctx.app.links import links_of
from ctx.edit.links import ALL
from ctx.errors import NoDirectoryError, UsageError
from ctx.hooks.settings import Wanted
from ctx.hooks.settings_file import File
from ctx.hosts import GIT, NAMES, aliases, hooks_of
from ctx.repository import git_dir
from ctx.streams import write_json, write_lines
from ctx.text.names import shown as escaped
from ctx.text.nearest import meant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.hooks.settings_file import Change
    from ctx.hosts.host import Hooks, Place
    from ctx.model import JsonObject
    from ctx.world import World

PLAIN = "ctx"  # how a command calls ctx where the host finds it by its name


class Settings(NamedTuple):
    """The settings of a tool at one of its places, here."""

    tool: Hooks
    place: Place
    file: File
    shown: str  # the path as messages name it: from the project, or with ``~``

    def wanted(self, program: str, *, captures: bool = True) -> Wanted:
        """Return what they hold so that ``program`` is run; ``captures`` is for storing turns."""
        tool = self.tool
        entries: list[tuple[str, JsonObject]] = []
        for event in (*tool.events, *tool.others, *(tool.captures if captures else ())):
            matcher = tool.others.get(event)
            command = f"{program} hook run {tool.name} {event}"
            # Where there is no ctx, or it breaks, it ends with code 0: no host is stopped for it.
            entry = tool.entry(f"{command}; exit 0", command)
            entries.append((event, {"matcher": matcher, **entry} if matcher else entry))
        return Wanted(tool.name, tuple(entries), tool.needed)


def tool_named(name: str) -> Hooks:
    """Return the agent called ``name``. Raises UsageError for another name."""
    found = hooks_of(name.lower())
    if found is None:
        hint = meant(name, [*NAMES, GIT], aliases())
        raise UsageError(f"{name!r} is no tool with hooks", hint)
    return found


def is_git(name: str) -> bool:
    """Whether ``name`` is git, whose hook is no agent's."""
    return name.lower() == GIT


def project(named: str, world: World) -> str:
    """Return the folder of the context directory or repository here; empty for none."""
    try:
        root = find(named, world)
    except NoDirectoryError:
        if named:
            raise
        top = list(upwards(world.cwd, world.home))[-1:]
        return top[0] if top and git_dir(top[0]) else ""
    return os.path.dirname(root)


def places(host: Hooks, root: str, world: World) -> list[Settings]:
    """Return the places of a tool's settings that there are here; without ``root`` global ones."""
    found = (place for place in host.places if root or place.scope == "global")
    return [settings(host, place, root, world) for place in found]


def not_run(tool: Hooks, asking: Iterable[Place], root: str, world: World) -> Iterator[str]:
    """Yield that the hooks of the places ``asking`` are not run here, and what to do."""
    asks = [place for place in asking if place.scope != "global"]
    below = root and os.path.realpath(world.cwd) != os.path.realpath(root)
    if asks and below and all(place.reach == "here" for place in asks):
        yield (
            f"{asks[0].path}: {tool.title} runs these hooks only where it is started in"
            f" {escaped(from_home(root, world))}, and not in this folder;"
            f" ctx hook install {tool.name} --global is for all folders"
        )


def settings(host: Hooks, place: Place, root: str, world: World) -> Settings:
    """Return the settings of a tool at ``place``."""
    made = place.path.count("/")
    if place.scope == "global":
        base, path = world.home, place.path
        elsewhere = world.environ.get(place.variable, "") if place.variable else ""
        if elsewhere:
            base, path = os.path.join(world.cwd, elsewhere), path.partition("/")[2]
        file = File(os.path.join(base, *path.split("/")), links=ALL, made=made)
        shown = file.path if elsewhere else from_home(file.path, world)
    else:
        path = os.path.join(root, *place.path.split("/"))
        file = File(path, links_of(root, world), made)
        shown = place.path
    return Settings(host, place, file, shown.replace(os.sep, "/"))


def trust(named: str, world: World) -> None:
    """Note that the user trusts the project here: who installs hooks in it means that."""
    world.store(os.path.join(project(named, world), CONTEXT), make=True).trust()


def from_home(path: str, world: World) -> str:
    """Return ``path`` with ``~`` for the home folder that holds it."""
    home = os.path.relpath(path, world.home)
    return path if home.startswith("..") else f"~/{home}"


def program(scope: str, world: World) -> str:
    """Return what calls ctx in a command for ``scope``.

    In a project, which is shared, its name. For one person alone, where the name leads to
    another program or to none, the path of this one, quoted for a shell.
    """
    if scope == "project" or sys.platform == "win32" or world.named(PLAIN)[1]:
        return PLAIN
    script = os.path.abspath(sys.argv[0])
    if os.path.basename(script) == PLAIN and os.access(script, os.X_OK):
        return shlex.quote(script)
    beside = os.path.join(os.path.dirname(sys.executable), PLAIN)
    if os.access(beside, os.X_OK):
        return shlex.quote(beside)
    return f"{shlex.quote(sys.executable)} -m ctx"


def finds(called: str, world: World) -> bool:
    """Whether a host that has this environment finds ``called``, a program as commands write it."""
    try:
        words = shlex.split(called)
    except ValueError:
        return False
    return bool(words) and shutil.which(words[0], path=world.environ.get("PATH", "")) is not None


class Options(NamedTuple):
    """What the commands were given, as typed."""

    tool: str
    scope: str = ""  # ``project``, ``local`` or ``global``; empty for the usual one
    dir: str = ""
    dry_run: bool = False
    as_json: bool = False
    captures: bool = True  # whether the hooks that store sessions are installed


class Outcome(NamedTuple):
    """What a command did to one file, or would do."""

    tool: str
    scope: str
    file: File
    shown: str  # the file as messages name it
    change: Change
    by_hand: tuple[str, ...] = ()  # events whose hook a person wrote, which is left

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff."""
        old, new = (
            [] if data is None else data.decode("utf-8", "replace").splitlines(keepends=True)
            for data in (self.change.before, self.change.after)
        )
        before = "/dev/null" if self.change.before is None else f"a/{self.shown}"
        after = "/dev/null" if self.change.after is None else f"b/{self.shown}"
        for line in difflib.unified_diff(old, new, before, after):
            yield line.rstrip("\r\n")
            if not line.endswith(("\n", "\r")):
                yield "\\ No newline at end of file"


def report(
    command: str, outcomes: Sequence[Outcome], lines: Iterable[str], options: Options
) -> None:
    """Write what ``command`` did, as ``lines`` or as JSON."""
    if not options.as_json:
        write_lines(lines)
        return
    files = [
        {
            "tool": outcome.tool,
            "scope": outcome.scope,
            "path": escaped(outcome.file.path),
            "changed": outcome.change.changes,
            "exists": outcome.change.after is not None,
            "left_by_hand": outcome.by_hand,
            "diff": list(outcome.diff()) if options.dry_run else None,
        }
        for outcome in outcomes
    ]
    written = {"command": command, "dry_run": options.dry_run, "files": files}
    write_json(written, ascii_only=True)

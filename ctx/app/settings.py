"""The settings of a run, from the files where people keep them."""

import os
import stat
from collections.abc import Mapping

from ctx.app.build import build
from ctx.app.options import PacketOptions
from ctx.config import BY_NAME, SETTINGS, Resolved, Settings, resolve
from ctx.errors import FileError, SettingsError
from ctx.repository import User
from ctx.store import look
from ctx.typed import NamedTuple
from ctx.world import World

_USER = os.path.join(".config", "ctx", "config.toml")
_PROJECT = "config.toml"
_MOST_BYTES = 1024 * 1024  # of a file of settings; more than anybody writes


class Loaded(NamedTuple):
    """Settings, where each came from, and the files that were looked at."""

    settings: Settings
    origins: Mapping[str, str]
    seen: Mapping[str, tuple[int, ...]]  # stat signatures of the files; empty for a missing one


def load(root: str, world: World, options: PacketOptions) -> Loaded:
    """Return the settings for ``root``: user's file, project's, variables, then options.

    Without a directory (``root`` is empty) there is no project's file.
    """
    paths = [("~/.config/ctx/config.toml", os.path.join(world.home, _USER))]
    if root:
        paths.append((f"{os.path.basename(root)}/config.toml", os.path.join(root, _PROJECT)))
    seen = {path: look(path) for _, path in paths}
    given = {name: value for name, value in options.given().items() if name in BY_NAME}
    files: list[tuple[str, str]] = []
    for shown, path in paths:
        if not seen[path]:
            continue
        if (
            shown != paths[0][0]
            and os.path.islink(path)
            and not os.path.realpath(path).startswith(os.path.join(os.path.realpath(root), ""))
            and not resolve(files, world.environ, given).settings.allow_links
        ):
            raise FileError(
                f"{shown}: is a link out of the context directory; not read",
                "put a file there, or set allow_links = true in ~/.config/ctx/config.toml",
            )
        text = _text(shown, path)
        if shown == paths[0][0]:  # which widens what may be read and run
            what, remedy = User(world.environ, world.home).refuses(path, os.path.dirname(path))
            if what:
                raise FileError(what, remedy)
        files.append((shown, text))
    resolved = resolve(files, world.environ, given)
    if root:
        _check_project(resolved, paths[-1][0], paths[0][0])
    return Loaded(resolved.settings, resolved.origins, seen)


def set_for_user(name: str, value: str, world: World) -> str:
    """Set a setting that is not set yet in the user's file; return its path; or FileError."""
    from ctx.edit.change import Target, change  # not for who reads settings
    from ctx.edit.lines import Lines
    from ctx.edit.links import ALL

    target = Target(world.home, _USER, "", ALL)
    # Before the first table: what follows one belongs to it.
    change(target, lambda old: Lines(old or b"").inserted(0, [f'{name} = "{value}"']))
    return target.path


def store_mark(settings: Settings) -> str:
    """Return what a store is marked by: redacted texts and others never meet in one."""
    return f"{build()}, secrets shown" if settings.allow_secrets else build()


def _check_project(resolved: Resolved, project: str, user: str) -> None:
    """Raise SettingsError for what a project's own file sets and may not."""
    for setting in SETTINGS:
        if resolved.origins[setting.name] != project:
            continue
        right = setting.project
        if right.allows(getattr(resolved.settings, setting.name), resolved.settings):
            continue
        only = f" to anything but {right.values}" if right.values else ""
        way = f"set it in {user} or {setting.variable}"
        if right.limit:
            limit = getattr(resolved.settings, right.limit)
            way = f"{right.limit} is {limit:,}; {user} or {BY_NAME[right.limit].variable} sets it"
        raise SettingsError(f"{project}: a project cannot set {setting.name}{only}", way)


def _text(shown: str, path: str) -> str:
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise FileError(f"{shown}: is not a regular file", "put the settings into one")
        if status.st_size > _MOST_BYTES:
            raise FileError(f"{shown}: {status.st_size:,} bytes are too many for settings")
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise FileError(f"{shown}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{shown}: is not UTF-8 text", "save it as UTF-8") from error

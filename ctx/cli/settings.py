"""The settings of a run, from the files where people keep them."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from ctx.cli.world import World
from ctx.config import SETTINGS, Resolved, Settings, resolve
from ctx.errors import FileError, SettingsError
from ctx.store.settled import look

_USER = os.path.join(".config", "ctx", "config.toml")
_PROJECT = "config.toml"
_NOT_SETTINGS = frozenset(
    {
        "allow_overshoot",
        "as_of",
        "context_length",
        "delta",
        "explain",
        "figures",
        "focus",
        "hash_ids",
        "log_json",
        "query",
        "threshold_tokens",
        "used_tokens",
    }
)
"""Options that speak of one call."""


class Loaded(NamedTuple):
    """Settings, where each came from, and the files that were looked at."""

    settings: Settings
    origins: Mapping[str, str]
    seen: Mapping[str, tuple[int, ...]]
    """Stat signatures of the settings files; empty for one that is not there."""


def load(root: str, world: World, flags: Mapping[str, object]) -> Loaded:
    """Return the settings for the directory ``root``: user's file, project's, variables, flags.

    Without a directory (``root`` empty) there is no project to ask.
    """
    paths = [("~/.config/ctx/config.toml", os.path.join(world.home, _USER))]
    if root:
        paths.append((f"{os.path.basename(root)}/config.toml", os.path.join(root, _PROJECT)))
    seen = {path: look(path) for _, path in paths}
    files = [(shown, _text(shown, path)) for shown, path in paths if seen[path]]
    given = {name: value for name, value in flags.items() if name not in _NOT_SETTINGS}
    resolved = resolve(files, world.environ, given)
    if root:
        _check_project(resolved, paths[-1][0], paths[0][0])
    return Loaded(resolved.settings, resolved.origins, seen)


def _check_project(resolved: Resolved, project: str, user: str) -> None:
    """Raise SettingsError for what a project's own file sets and may not."""
    for setting in SETTINGS:
        if resolved.origins[setting.name] != project:
            continue
        value = getattr(resolved.settings, setting.name)
        if not setting.in_project:
            what = setting.name
        elif setting.harmless and value not in setting.harmless:
            what = f"{setting.name} to more than {' or '.join(setting.harmless)}"
        else:
            continue
        raise SettingsError(
            f"{project}: a project cannot set {what} for itself",
            f"set it in {user} or {setting.variable}",
        )


def _text(shown: str, path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise FileError(f"{shown}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{shown}: is not UTF-8 text", "save it as UTF-8") from error

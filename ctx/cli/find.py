"""Finding the context directory."""

from __future__ import annotations

import os

from ctx.errors import NoDirectoryError

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.cli.world import World

NAME = ".context"


def find(named: str, world: World) -> str:
    """Return the absolute path of the context directory.

    ``named`` (from ``--dir``) or ``CTX_DIR`` name it outright, itself or the project that
    holds it; else it is ``.context`` in the working directory or its nearest ancestor, up
    to the repository's root or the home directory. Raises NoDirectoryError.
    """
    origin = "--dir" if named else "CTX_DIR"
    named = named or world.environ.get("CTX_DIR", "")
    if named:
        path = os.path.join(world.cwd, os.path.expanduser(named))
        if not os.path.isabs(path):
            raise NoDirectoryError(f"{origin}: {named}: the working directory is gone")
        return _named(path, origin)
    for folder in upwards(world.cwd, world.home):
        place = os.path.join(folder, NAME)
        if os.path.isdir(place):
            return place
    raise NoDirectoryError(
        f"no {NAME}/ in {world.cwd or 'the working directory'} or above it",
        "`ctx init` makes one, --dir names one",
    )


def _named(path: str, origin: str) -> str:
    path = os.path.abspath(path)
    inside = os.path.join(path, NAME)
    if os.path.basename(path) != NAME and os.path.isdir(inside):
        return inside
    if os.path.isdir(path):
        if os.path.basename(path) == NAME or _holds_context(path):
            return path
        what = f"has no {NAME}/ and none of its files"
    else:
        what = "is a file" if os.path.exists(path) else "is not there"
    raise NoDirectoryError(f"{origin}: {path} {what}", "name a directory, or make one: `ctx init`")


_FILES = frozenset({"constitution", "tasks", "conventions", "decisions", "learnings"})
"""What a directory holds, as files or folders, that serves as one under another name."""


def _holds_context(path: str) -> bool:
    try:
        return any(name.lower().removesuffix(".md") in _FILES for name in os.listdir(path))
    except OSError:
        return True  # it is there, and who reads it will say what is wrong


def upwards(folder: str, home: str) -> Iterator[str]:
    """Yield ``folder`` and those above it, up to the repository's root or the home directory."""
    while folder:
        yield folder
        parent = os.path.dirname(folder)
        if folder in (home, parent) or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = parent

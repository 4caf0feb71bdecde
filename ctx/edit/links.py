"""Where a write may go: links that came with a project do not lead it elsewhere."""

import os
from collections.abc import Callable
from typing import NamedTuple

from ctx.errors import FileError
from ctx.repository import top_of

Follow = Callable[[str, str], bool]
"""Whether a link is followed: takes its place and where it leads, with no link on the way."""


class Links(NamedTuple):
    """Which links a writer follows."""

    follow: Follow
    in_git: bool = False  # whether the file may be below a ``.git``, as git's own hooks are


STRICT = Links(lambda place, _leads: top_of(os.path.dirname(place))[1] is None)
"""For who writes without a word about links: of a repository none is followed, as it brought it."""
NONE = Links(lambda _place, _leads: False)  # for what is ctx's own, and never behind a link
ALL = Links(lambda _place, _leads: True)  # for the user's own files: nobody else put links there


def real(path: str, links: Links) -> str:
    """Return ``path`` without links; FileError where one is not followed, or it is in ``.git``."""
    target = os.path.realpath(path)
    if target != os.path.abspath(path):
        for place in _on_the_way(path):
            leads = os.path.realpath(place)
            if not links.follow(place, leads):
                raise FileError(
                    f"{path}: not followed: the link {place} leads to {leads}",
                    "put a file or folder in its place; links are followed to what git tracks in "
                    "the same work tree, or without git to what is inside the project",
                )
    if not links.in_git and ".git" in target.lower().split(os.sep):
        raise FileError(
            f"{path}: cannot be written: {target} belongs to git", "name a place outside of .git"
        )
    return target


def make_folder(path: str, links: Links) -> None:
    """Make the folder ``path`` and those above it; FileError as ``real``, or where it fails."""
    target = real(path, links)
    try:
        os.makedirs(target, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path}: cannot be created: {error.strerror or error}") from error


def _on_the_way(path: str) -> list[str]:
    """Return the links that the system follows to ``path``, each where it is."""
    found = dict[str, None]()
    waiting = [os.path.join(os.path.realpath(os.curdir), path)]
    while waiting:
        folder, name = os.path.split(path := waiting.pop())
        if folder == path:
            continue
        waiting.append(folder)
        place = os.path.join(os.path.realpath(folder), name)
        if os.path.islink(place) and place not in found:
            found[place] = None
            waiting.append(os.path.join(os.path.dirname(place), os.readlink(place)))
    return [*found]

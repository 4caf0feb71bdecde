"""Which links of a project are followed where something is written."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from ctx.app.find import repository, within
from ctx.app.focus import asked
from ctx.edit.links import Links

if TYPE_CHECKING:
    from ctx.world import World


def links_of(project: str, world: World, *, allow: bool = False) -> Links:
    """Return what a writer in the folder ``project`` follows: nothing that leads elsewhere.

    A link in a repository is followed to what git tracks in the same work tree; one in a project
    without git to what is inside; any other is the user's own, and so is every one where the user
    has said that links are followed (``allow``). A repository of the home directory itself is none
    that was cloned, and where git is not installed a work tree is a project without it.
    """

    def follow(place: str, leads: str) -> bool:
        folder = os.path.dirname(place)
        top = repository(folder)
        if not os.path.lexists(os.path.join(top, ".git")) or top == os.path.realpath(world.home):
            top, by_git = os.path.realpath(project), False
            if allow or not within(folder, top):
                return True
        else:
            by_git = shutil.which("git", path=world.environ.get("PATH", "")) is not None
        if not by_git or not within(leads, top):
            return allow or within(leads, top)
        name = os.path.relpath(leads, top)
        question = ("--literal-pathspecs", "ls-files", "--error-unmatch", "--", name)
        return not isinstance(asked(top, world, question), str)

    return Links(follow, out=allow)

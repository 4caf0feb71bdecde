"""Which links of a project are followed where something is written."""

import os
import shutil

from ctx.app.find import within
from ctx.app.focus import asked
from ctx.edit.links import Links
from ctx.repository import top_of
from ctx.world import World


def links_of(project: str, world: World, *, allow: bool = False) -> Links:
    """Return what a writer in the folder ``project`` follows: nothing that leads elsewhere.

    A link in a repository is followed to what git tracks in the same work tree; one in a project
    without git to what is inside; any other is the user's own, and so is every one where the user
    has said that links are followed (``allow``). A repository of the home directory itself is none
    that was cloned, and where git is not installed a work tree is a project without it.
    """

    def follow(place: str, leads: str) -> bool:
        top, git = top_of(os.path.dirname(place))
        if git is None or top == os.path.realpath(world.home):
            top = os.path.realpath(project)
            return allow or within(leads, top) or not within(place, top)
        if not within(leads, top):
            return allow
        question = ("--literal-pathspecs", "ls-files", "--error-unmatch", "--", leads)
        has_git = shutil.which("git", path=world.environ.get("PATH", ""))
        return not (has_git and isinstance(asked(top, world, question), str))

    return Links(follow)

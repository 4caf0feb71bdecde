"""``ctx trust``: let hooks send what this project's files hold."""

import os

from ctx.app.find import NAME, find, obeyed, repository
from ctx.app.options import PacketOptions
from ctx.cli.options import taking
from ctx.cli.terminal import write_answer
from ctx.errors import FileError, NoDirectoryError
from ctx.model import JsonObject
from ctx.repository import git_dir
from ctx.text.names import masked, shown
from ctx.world import World


@taking("dir", "json")
def trust(
    options: PacketOptions,
    *,
    revoke: bool = False,
    json: bool = False,
) -> None:
    """Trust this project: hooks may send what its files hold.

    Without it, as in a fresh clone, hooks send only what the host would load anyway, and a
    repository inside another project is left out of its packets. It holds for this repository,
    by an id that no clone has, without git for this folder; another one at the same path needs
    it again. It is kept in your state directory, never in the repository. `ctx init`,
    `ctx hook install` and commands that write into the project give it as well. Exit codes: 0
    done, 2 usage, 4 nothing here that could be read, or another user's, 6 a state directory that
    cannot be written.
    """
    world = World()
    root = _root(options.dir or "", world)
    store = world.store(root, make=True)
    if not store.trust(given=not revoke):
        raise FileError("the state directory cannot be written", "CTX_STATE_DIR names another one")
    what = "repository" if store.id else "folder"
    done: JsonObject = {"directory": masked(root), "trusted": not revoke, "what": what}
    line = f"{'no longer trusted' if revoke else 'trusted'}: {shown(root)}"
    lines = [f"{line} (the {what} {shown(store.top)})"]
    write_answer({**done, "path": masked(store.top)}, lines, as_json=json)


def _root(named: str, world: World) -> str:
    """Return the context directory here, or where a repository without one would have it."""
    try:
        return find(named, world)
    except NoDirectoryError:
        top = repository(os.path.abspath(os.path.join(world.cwd, os.path.expanduser(named))))
        # A submodule may hold nothing but rules for the project around it.
        if not git_dir(top) or os.path.isdir(os.path.join(top, NAME)):
            raise
        return obeyed(os.path.join(top, NAME), world)

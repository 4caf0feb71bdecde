"""``ctx trust``: let hooks send what this project's files hold."""

from typing import Annotated

import typer

from ctx.app.find import find
from ctx.app.options import PacketOptions
from ctx.cli.options import taking
from ctx.errors import OK, FileError
from ctx.streams import write_json, write_lines
from ctx.text.names import masked, shown
from ctx.world import World


@taking("dir", "json")
def trust(
    options: PacketOptions,
    *,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the trust back.")] = False,
    json: bool = False,
) -> int:
    """Trust this project: hooks may send what its files hold.

    Without it, as in a fresh clone, hooks send only what the host would load anyway. It is kept
    in your state directory, never in the repository. `ctx init`, `ctx hook install` and commands
    that write into the project give it as well. Exit codes: 0 done, 2 usage, 4 nothing here
    that could be read, 6 a state directory that cannot be written.
    """
    world = World()
    root = find(options.dir or "", world)
    if not world.store(root, make=True).trust(given=not revoke):
        raise FileError("the state directory cannot be written", "CTX_STATE_DIR names another one")
    if json:
        write_json({"directory": masked(root), "trusted": not revoke})
    else:
        write_lines([f"{'no longer trusted' if revoke else 'trusted'}: {shown(root)}"])
    return OK

"""``ctx init``: a context directory here."""

import os

from ctx.app.find import NAME, find_any
from ctx.app.init import beside, run
from ctx.app.links import links_of
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.streams import write_out
from ctx.world import World


def init(
    *,
    minimal: bool = False,
) -> None:
    """Create a context directory here, or the files that it lacks; overwrites nothing.

    Files of other tools that packets are made from as well, such as AGENTS.md, are listed, and
    stay where they are: nothing is copied.

    Exit codes: 0 created, also if it was there, 2 usage, 6 a place that cannot be written.
    """
    world = World()
    above = _above(world)
    workspace = Workspace(PacketOptions(), world, root=os.path.join(world.cwd, NAME))
    for line in run(world.cwd, minimal=minimal, links=links_of(world.cwd, world)):
        _write_line(line)
    for line in beside(workspace):
        _write_line(line)
    workspace.store.trust()
    if above:
        _write_line(f"note: {above} is no longer found from here; this one is")


def _above(world: World) -> str:
    """Return the context directory that calls from here have found so far, if not here."""
    if not world.cwd or os.path.isdir(os.path.join(world.cwd, NAME)):
        return ""
    root = find_any(world)
    return root if os.path.dirname(root) != world.cwd else ""


def _write_line(line: str) -> None:
    write_out(f"{line}\n".encode("utf-8", "backslashreplace"))

"""``ctx session tail``: the last turns of a session, as a packet for it would say them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ctx.app.packet import make
from ctx.app.session_state import named, state_of
from ctx.app.workspace import Workspace
from ctx.cli.session.show import say
from ctx.errors import DEGRADED, OK, FileError
from ctx.read.files import RefusedError
from ctx.read.transcripts import stored
from ctx.streams import complain

if TYPE_CHECKING:
    from ctx.app.options import PacketOptions
    from ctx.world import World


def run(root: str, session: str, given: PacketOptions, world: World, *, as_json: bool) -> int:
    """Print the tail that a packet within the budget holds; return the exit code.

    Where the base, the last ``tail_turns`` turns, does not fit beside the rules, it is cut
    bundle by bundle and standard error says so; under ``strict`` that is exit code 5. A
    packet that is degraded only because its rules pass their share is not.
    """
    try:
        state = state_of(root, world)
        name = named(state, session)
        asked = given.replace(session=stored.identity(state, name))
        workspace = Workspace(asked, world, root=root)
        packet = make(workspace)
        said = {
            one.entry.line
            for section in packet.selection.sections
            if section.name == "tail"
            for one in section.included
        }
        turns = (one for one in stored.turns(state, name) if one.line in said)
        say(turns, as_json=as_json)
        degraded = packet.selection.degraded
        short = degraded and len(said) < _base(state, name, workspace.settings.tail_turns)
    except RefusedError as error:
        raise FileError(str(error)) from error
    if degraded:
        complain(f"degraded: {degraded}")
    return DEGRADED if workspace.settings.strict and short else OK


def _base(state: str, name: str, most: int) -> int:
    """Return how many of a session's turns a packet must say: at most ``most``."""
    return sum(1 for _ in islice(stored.turns(state, name), most))

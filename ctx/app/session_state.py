"""Where the sessions of a context directory are kept, and what lies in the repository instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.errors import FileError
from ctx.read.sessions import FOLDER
from ctx.read.transcripts import stored
from ctx.store.places import places_of, prepare, state_home

if TYPE_CHECKING:
    from ctx.world import World


def state_of(root: str, world: World, *, make: bool = False) -> str:
    """Return the folder that the sessions of the directory ``root`` lie below, made if asked to.

    Raises FileError where there can be none.
    """
    state = (prepare if make else places_of)(root, world.environ, world.home).state
    if not state:
        home = state_home(world.environ, world.home) or "the state directory"
        raise FileError(
            f"{home}: sessions cannot be kept there: it cannot be made, or is not yours alone",
            "CTX_STATE_DIR names another place",
        )
    return state


def foreign(root: str) -> str:
    """Return a line on the sessions that lie in the repository itself; empty where none do."""
    try:
        count = len(stored.foreign(root))
    except OSError:
        return ""
    if not count:
        return ""
    return (
        f"{root}/{FOLDER}: {count:,} {'file lies' if count == 1 else 'files lie'} in the "
        "repository, and so may be anybody's: quoted at most (`ctx session import "
        "--from-repository` moves what older versions of ctx kept there for you)"
    )

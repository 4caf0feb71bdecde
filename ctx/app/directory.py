"""A directory as entries, for commands that look at it without making a packet."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ctx.app import walk
from ctx.app.packet import request_of, with_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx.app.settings import Loaded
    from ctx.model import Context
    from ctx.world import World

_Answer = TypeVar("_Answer")


def in_directory(
    look: Callable[[Context], _Answer],
    root: str,
    loaded: Loaded,
    world: World,
    *,
    archive: bool = False,
) -> _Answer:
    """Return what ``look`` makes of the context directory ``root`` as it is now.

    Bodies of entries can be read while ``look`` runs, and not later. It may be called again
    where the store turns out to be damaged. Raises FileError where the directory cannot be listed.
    """
    request = request_of({}, loaded.settings, root, world)._replace(ranker="brackets")
    places = world.prepare(root)

    return with_store(
        lambda shelf, _: look(walk.directory(request, shelf, archive=archive, whole=True)),
        loaded.settings,
        request,
        places,
        world,
    )

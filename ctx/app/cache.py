"""What ctx keeps for a context directory: where, how much, and how it is cleared."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.find import find
from ctx.errors import NoDirectoryError
from ctx.store import Store, cache_home, open_store, state_home
from ctx.store.sweep import MOST_CACHE, clear, folders, size

if TYPE_CHECKING:
    from ctx.world import World


class Options(NamedTuple):
    """What the command was given."""

    dir: str
    clear: bool
    everything: bool
    state: bool


class Kept(NamedTuple):
    """What is kept of one kind."""

    kind: str
    home: str
    own: str
    """The folder of this directory; empty for none."""
    own_bytes: int
    all_bytes: int
    directories: int


def here(options: Options, world: World) -> tuple[str, Store]:
    """Return the context directory and its folders, empty where all are meant and none is here."""
    try:
        root = find(options.dir, world)
    except NoDirectoryError:
        if options.dir or (options.clear and not options.everything):
            raise
        return "", Store()
    return root, open_store(root, world.environ, world.home, make=True)


def sizes(store: Store, world: World) -> tuple[Kept, Kept]:
    """Return what is kept of each kind."""
    return (
        _of("cache", cache_home(world.environ, world.home), store.cache, store),
        _of("state", state_home(world.environ, world.home), store.state, store),
    )


def _of(kind: str, home: str, own: str, store: Store) -> Kept:
    if store.real and not own:
        home = ""  # it could not be made, or is not this user's alone
    every = folders(home)
    total = sum(one.bytes for one in every)
    return Kept(kind, home, own, size(own) if own else 0, total, len(every))


def clear_kept(kept: Kept, options: Options) -> int:
    """Clear what is kept, here or everywhere; return the bytes that are free now."""
    if options.everything:
        return sum(clear(folder.path) for folder in folders(kept.home))
    return clear(kept.own) if kept.own and os.path.isdir(kept.own) else 0


def as_object(root: str, kept: tuple[Kept, Kept]) -> dict[str, object]:
    """Return what is kept as JSON has it."""
    return {
        "directory": root or None,
        **{one.kind: {"path": one.own or None, "bytes": one.own_bytes} for one in kept},
        "all": {
            one.kind: {
                "path": one.home or None, "bytes": one.all_bytes, "directories": one.directories,
            }
            for one in kept
        },
        "most_cache_bytes": MOST_CACHE,
    }  # fmt: skip

"""What ctx keeps for a context directory: where, how much, and how it is cleared and indexed."""

import os
from typing import NamedTuple

from ctx.app.find import find
from ctx.errors import FileError, NoDirectoryError
from ctx.model import JsonObject
from ctx.store import Store, cache_home, open_store, state_home
from ctx.store.sweep import MOST_CACHE, clear, folders, size
from ctx.world import World

NOWHERE = "nothing can be kept: there is no cache directory that is this user's alone"


class Kept(NamedTuple):
    """What is kept of one kind."""

    kind: str
    home: str
    own: str  # the folder of this directory; empty for none
    own_bytes: int
    all_bytes: int
    directories: int


def here(named: str, world: World, *, needed: bool) -> tuple[str, Store]:
    """Return the context directory (``--dir`` may name it) and its folders; empty unless needed."""
    try:
        root = find(named, world)
    except NoDirectoryError:
        if named or needed:
            raise
        return "", Store()
    return root, open_store(root, world.environ, world.home, make=True)


def sizes(store: Store, world: World) -> tuple[Kept, Kept]:
    """Return what is kept of each kind."""

    def size_of(kind: str, home: str, own: str) -> Kept:
        if store.real and not own:
            home = ""  # it could not be made, or is not this user's alone
        every = folders(home)
        total = sum(folder.bytes for folder in every)
        return Kept(kind, home, own, size(own) if own else 0, total, len(every))

    return (
        size_of("cache", cache_home(world.environ, world.home), store.cache),
        size_of("state", state_home(world.environ, world.home), store.state),
    )


def clear_kept(kept: Kept, *, everything: bool) -> int:
    """Clear what is kept, here or everywhere; return the bytes that are free now."""
    if everything:
        return sum(clear(folder.path) for folder in folders(kept.home))
    return clear(kept.own) if kept.own and os.path.isdir(kept.own) else 0


def as_json(root: str, kinds: tuple[Kept, Kept]) -> JsonObject:
    """Return what is kept as JSON has it."""
    return {
        "directory": root or None,
        **{kept.kind: {"path": kept.own or None, "bytes": kept.own_bytes} for kept in kinds},
        "all": {
            kept.kind: {
                "path": kept.home or None,
                "bytes": kept.all_bytes,
                "directories": kept.directories,
            }
            for kept in kinds
        },
        "most_cache_bytes": MOST_CACHE,
    }


class Indexed(NamedTuple):
    """How far a directory is indexed."""

    root: str
    entries: int
    words: int  # entries whose words are indexed as they are now
    embedder: str
    vectors: int  # entries that have a vector of the embedder's model
    bytes: int  # what all of it takes


def check_writable(store: Store) -> None:
    """Raise FileError if the index could not be written to ``store``."""
    if not os.access(store.cache, os.W_OK):
        raise FileError(f"{store.cache}: cannot be written, so nothing can be kept there")
    for path in store.index_files():
        if os.path.isdir(path) and not os.path.islink(path):
            raise FileError(f"{path}: is a directory where a file belongs", "remove it")

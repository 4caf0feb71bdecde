"""How far the words and vectors of a directory are indexed, and where they are kept."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import FileError

if TYPE_CHECKING:
    from ctx.store import Store

NOWHERE = "nothing can be kept: there is no cache directory that is this user's alone"


class Status(NamedTuple):
    """How far the index is."""

    root: str
    entries: int
    words: int
    """Entries whose words are indexed as they are now."""
    embedder: str
    vectors: int
    """Entries that have a vector of the embedder's model."""
    bytes: int
    """What all of it takes."""


def check_writable(store: Store) -> None:
    """Raise FileError if the index could not be written to ``store``."""
    if not os.access(store.cache, os.W_OK):
        raise FileError(f"{store.cache}: cannot be written, so nothing can be kept there")
    for path in store.index_files():
        if os.path.isdir(path) and not os.path.islink(path):
            raise FileError(f"{path}: is a directory where a file belongs", "remove it")

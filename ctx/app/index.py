"""How far the words and vectors of a directory are indexed, and where they are kept."""

from __future__ import annotations

import os
from typing import NamedTuple

from ctx.errors import FileError
from ctx.store import parse_cache, vectors
from ctx.store import words as lexicon

NOWHERE = "nothing can be kept: there is no cache directory that is this user's alone"


FILES = (parse_cache.NAME, lexicon.NAME, vectors.NAME)


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


def check_writable(store: str) -> None:
    """Raise FileError where nothing could be kept in ``store``."""
    if not os.access(store, os.W_OK):
        raise FileError(f"{store}: cannot be written, so nothing can be kept there")
    for name in FILES:
        path = os.path.join(store, name)
        if os.path.isdir(path) and not os.path.islink(path):
            raise FileError(f"{path}: is a directory where a file belongs", "remove it")

"""Benchmarks: each is a program of its own, and keeps what ctx remembers in a folder of its own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_KEPT = tempfile.TemporaryDirectory(prefix="ctx-bench-")
os.environ["CTX_CACHE_DIR"] = str(Path(_KEPT.name, "cache"))
os.environ["CTX_STATE_DIR"] = str(Path(_KEPT.name, "state"))


def cache(root: Path) -> Path:
    """Return the folder of what can be rebuilt for the context directory ``root``."""
    from ctx.store.places import places_of

    return Path(places_of(str(root), os.environ, "").cache)


def sessions_of(root: Path) -> Path:
    """Return the folder of the sessions of the context directory ``root``, made."""
    from ctx.store.places import prepare

    folder = Path(prepare(str(root), os.environ, "").state, "sessions")
    folder.mkdir(exist_ok=True)
    return folder

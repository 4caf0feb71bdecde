"""Where ctx keeps what it remembers of a context directory, for tests that look there."""

from __future__ import annotations

import os
from pathlib import Path

from ctx.store.places import places_of


def cache(root: Path | str) -> Path:
    """Return the folder of what can be rebuilt for the context directory ``root``."""
    return Path(places_of(str(root), os.environ, os.environ["HOME"]).cache)


def state(root: Path | str) -> Path:
    """Return the folder of what sessions were sent for the context directory ``root``."""
    return Path(places_of(str(root), os.environ, os.environ["HOME"]).state)


def keeping() -> dict[str, str]:
    """Return the variables by which a world that is made by hand keeps things where tests do."""
    names = ("LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    return {name: os.environ[name] for name in names if name in os.environ}

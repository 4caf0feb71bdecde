"""Where ctx keeps what it remembers of a context directory, for tests that look there."""

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

from ctx.store import Store, open_store
from ctx.store.places import places_of

GIT_FILES = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/objects/info/packs": "",
    ".git/refs/heads/.keep": "",
}
"""The files by which git, and ctx, take a folder for a repository."""


def make_repository(top: Path | str) -> None:
    """Make the folder ``top``, if need be, and what makes it a repository, without git."""
    for name, text in GIT_FILES.items():
        path = Path(top) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def cache(root: Path | str) -> Path:
    """Return the folder of what can be rebuilt for the context directory ``root``."""
    return Path(places_of(str(root), os.environ, os.environ["HOME"]).cache)


def state(root: Path | str) -> Path:
    """Return the folder of what sessions were sent for the context directory ``root``."""
    return Path(places_of(str(root), os.environ, os.environ["HOME"]).state)


def opened_store(root: Path | str) -> Store:
    """Return what is kept for the context directory ``root``."""
    return open_store(str(root), os.environ, os.environ["HOME"], make=True)


def trust(root: Path | str) -> None:
    """Trust the project of the context directory ``root``, as its user does."""
    assert opened_store(root).trust()


def keeping() -> dict[str, str]:
    """Return the variables by which a world that is made by hand keeps things where tests do."""
    names = ("LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    return {name: os.environ[name] for name in names if name in os.environ}


def opened(path: Path) -> Iterator[bytes]:
    """Yield what a database holds compressed, opened."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            with contextlib.suppress(sqlite3.Error):
                for row in database.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - our own
                    yield from (part for value in row for part in _parts(value))


def _parts(value: object) -> Iterator[bytes]:
    if isinstance(value, bytes):
        for packed in (value, value[1:]):
            with contextlib.suppress(zlib.error):
                yield zlib.decompress(packed)

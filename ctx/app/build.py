"""Which program this is: what it remembered is not for another one to answer from."""

from __future__ import annotations

import os

from ctx import __file__ as _here
from ctx import __version__
from ctx.digest import blake2b

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx.app.options import PacketOptions
    from ctx.world import World

_INSTALLED = ("site-packages", "dist-packages")  # folders of released packages; others are edited
_known: list[str] = []


def build() -> str:
    """Return the release, and in a checkout or an editable install a digest of its sources."""
    if not _known:
        package = os.path.dirname(os.path.abspath(_here))
        edited = os.path.basename(os.path.dirname(package)) not in _INSTALLED
        _known.append(f"{__version__} {sources(package)}" if edited else __version__)
    return _known[0]


def sources(folder: str) -> str:
    """Return a digest of names, sizes and times of all modules and data below ``folder``."""
    seen: list[tuple[str, int, int]] = []
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as found:
                for entry in found:
                    name = entry.name
                    if not name.endswith(".py") and entry.is_dir(follow_symlinks=False):
                        if name != "__pycache__":
                            folders.append(entry.path)
                        continue
                    status = entry.stat()
                    seen.append((entry.path, status.st_size, status.st_mtime_ns))
        except OSError:
            continue  # an archive, or going away
    seen.sort()
    return blake2b(repr(seen).encode(), digest_size=8).hexdigest()


QUERY_BYTES = 1024 * 1024  # read of a query on standard input; the rest would be no question
QUERY_CHARS = 16 * 1024
"""Characters of a query that are searched for, of a long paste the first: a few thousand words, of
which the ranker counts a thousand. A hook has to read them several times before its deadline."""


def in_focus(
    options: PacketOptions, root: str, world: World, warn: Callable[[str], None]
) -> PacketOptions:
    """Return ``options`` with the files in focus as they are now; ``warn`` gets git's failure."""
    if options.focus is None:
        return options
    from ctx.app.focus import paths

    return options.replace(focus=paths(options.focus, root, world, warn))


def key_of(options: PacketOptions, root: str, world: World, *more: object) -> str:
    """Return all that an answer depends on apart from files, as one text, with ``more``."""
    # ``--no-strict`` is an answer, against a setting; any other switch is on or was not named.
    given = sorted(
        (name, value)
        for name, value in options.given().items()
        if value is not False or name == "strict"
    )
    # The key of an embedding server changes no packet, and is kept nowhere.
    settings = sorted(
        item
        for item in world.environ.items()
        if item[0].startswith("CTX_") and not item[0].endswith("_KEY")
    )
    return repr((build(), root, world.cwd, world.today, world.home, given, settings, more))

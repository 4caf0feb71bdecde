"""Which program this is: what it remembered is not for another one to answer from."""

from __future__ import annotations

import os

from ctx import __file__ as _here
from ctx import __version__
from ctx.digest import blake2b

_INSTALLED = ("site-packages", "dist-packages")
"""Folders in which a package is as it was released; everywhere else it may be edited."""
_known: list[str] = []


def build() -> str:
    """Return the release, and in a checkout or an editable install a digest of its sources.

    As they were when this was asked first: what runs since then are those.
    """
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

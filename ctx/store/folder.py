"""The folder of everything disposable: ``.ctx`` inside the context directory."""

from __future__ import annotations

import os

NAME = ".ctx"
_IGNORE = b"# Made by ctx, rebuilt when missing: nothing here is worth keeping.\n*\n"


def prepare(root: str) -> str:
    """Return the store's folder below ``root``, made if need be; empty where there can be none.

    A link is not followed: a directory from elsewhere must not make ctx write outside it.
    """
    folder = os.path.join(root, NAME)
    if os.path.islink(folder):
        return ""
    if os.path.isdir(folder):
        return folder
    try:
        os.mkdir(folder)
        with open(os.path.join(folder, ".gitignore"), "xb") as file:
            file.write(_IGNORE)
    except FileExistsError:
        return folder if os.path.isdir(folder) else ""  # another process was first, or a file
    except OSError:
        # Read-only or full: packets are made without a store. A folder that lost only its
        # .gitignore still serves.
        return folder if os.path.isdir(folder) else ""
    return folder


def replace(path: str, data: bytes) -> bool:
    """Put ``data`` at ``path`` in one step; return whether that was possible.

    Without fsync: what a power cut leaves is recognised by its checksum and made anew.
    """
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        _remove(temporary)
        return False
    return True


def prune(folder: str, keep: int) -> None:
    """Remove all but the ``keep`` newest files of ``folder``."""
    try:
        with os.scandir(folder) as found:
            files = sorted((entry.stat().st_mtime_ns, entry.path) for entry in found)
    except OSError:
        return  # another process is clearing up, or nothing can be read: next time
    for _, path in files[: max(0, len(files) - keep)]:
        _remove(path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # gone already, or not ours to remove; either way nothing depends on it

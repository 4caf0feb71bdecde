"""The folder of everything disposable: ``.ctx`` inside the context directory.

It holds what files and sessions say, so it is for its owner alone.
"""

from __future__ import annotations

import os
import stat
from _thread import get_ident  # built in: `threading` would cost every hook its start

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from typing import BinaryIO

NAME = ".ctx"
MOST_BYTES = 64 * 1024 * 1024
"""Larger files are not kept, and not read where something else made them."""
_IGNORE = b"# Made by ctx, rebuilt when missing: nothing here is worth keeping.\n*\n"


def prepare(root: str) -> str:
    """Return the store's folder below ``root``, made if need be; empty where there can be none.

    A link is not followed: a directory from elsewhere must not make ctx write outside it.
    """
    folder = os.path.join(root, NAME)
    if os.path.islink(folder):
        return ""
    if not _made(folder):
        return ""
    try:
        # Each time: a process may have died between making the folder and this.
        with _created(os.path.join(folder, ".gitignore"), os.O_EXCL) as file:
            file.write(_IGNORE)
    except OSError:
        return folder  # it is there, as a rule; a read-only or full folder serves without it
    return folder


def below(store: str, name: str) -> str:
    """Return the folder ``name`` of the store, made if need be; empty where there can be none.

    Neither may be a link, as in ``prepare``; the store itself is not made here.
    """
    folder = os.path.join(store, name)
    if os.path.islink(store) or os.path.islink(folder) or not _made(folder):
        return ""
    return folder


def _made(folder: str) -> bool:
    """Make ``folder`` unless it is there; return whether it is there then."""
    try:
        os.mkdir(folder, 0o700)
    except OSError:
        if not os.path.isdir(folder):
            return False  # a file, or all is read-only or full
        _close_to_others(folder)
    return True


def _close_to_others(folder: str) -> None:
    """Take ``folder`` and its files, made by an earlier release, from everybody else."""
    try:
        if not narrow(folder, os.stat(folder)):
            return
        with os.scandir(folder) as found:
            for entry in found:
                if entry.is_file(follow_symlinks=False):
                    narrow(entry.path, entry.stat(follow_symlinks=False))
    except OSError:
        return  # somebody else's: it is for them to close


def narrow(path: str, status: os.stat_result) -> bool:
    """Take ``path`` from everybody but its owner; return whether others had a share in it."""
    if not status.st_mode & 0o077 or os.name != "posix":
        return False
    os.chmod(path, status.st_mode & 0o700)
    return True


def _created(path: str, flags: int) -> BinaryIO:
    """Open ``path`` to write, made for its owner alone."""
    flags |= os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
    return open(os.open(path, flags, 0o600), "wb")


def contents(path: str) -> bytes | None:
    """Return what the store's file ``path`` holds, None where there is nothing to read.

    Only of a regular file of a sane size: anything else would be waited for, or fill memory.
    """
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            return None
        with open(path, "rb") as file:
            return file.read(MOST_BYTES)
    except OSError:
        return None


def replace(path: str, data: bytes) -> bool:
    """Put ``data`` at ``path`` in one step; return whether that was possible.

    Without fsync: what a power cut leaves is recognised by its checksum and made anew.
    """
    if len(data) > MOST_BYTES:
        return False
    # Of this thread alone: a server answers two calls at once.
    temporary = f"{path}.{os.getpid()}-{get_ident()}.tmp"
    try:
        with _created(temporary, os.O_TRUNC) as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        remove(temporary)
        return False
    return True


def prune(folder: str, keep: int) -> None:
    """Remove all but the ``keep`` newest files of ``folder``."""
    try:
        with os.scandir(folder) as found:
            files = sorted(
                (entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in found
            )
    except OSError:
        return  # another process is clearing up, or nothing can be read: next time
    for _, path in files[: max(0, len(files) - keep)]:
        remove(path)


def remove(path: str) -> None:
    """Remove a file of the store; where that is not possible it stays."""
    try:
        os.unlink(path)
    except OSError:
        return  # gone already, or not ours to remove; either way nothing depends on it

"""Find and open the files of a context directory, and decode their text."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


def decode(path: str, data: bytes) -> tuple[str, list[str]]:
    """Return the text of ``data``, and what a person should know of how it was read."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
        return text, [f"{path}:1: is UTF-16; read as such, better saved as UTF-8"]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        before = data[: error.start]
        # As in ``blocks.normalise``: a carriage return alone ends a line, too.
        line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
        return data.decode("utf-8", "replace"), [
            f"{path}:{line}: not valid UTF-8; bytes that cannot be read are shown as \ufffd"
        ]


_TRIES = 3


class Limits(NamedTuple):
    """What may be opened."""

    max_bytes: int
    """Larger files are left unread."""
    allow_links: bool
    """Whether a symbolic link may lead out of the context directory."""
    project: str = ""
    """The folder that links of authored documents beside the context directory may not leave."""
    allow_secrets: bool = False
    """Whether secrets are read as they are, instead of held back."""


class RefusedError(Exception):
    """Why a file is left unread; the text is a warning for the user."""

    def __init__(self, path: str, why: str) -> None:
        """Say that the file at ``path`` is left unread, and ``why``."""
        super().__init__(f"{shown(path)}: {why}")


class Opened(NamedTuple):
    """A file's bytes, and the signature under which they were read."""

    data: bytes
    signature: tuple[int, ...]


def names(folder: str, ending: str = ".md") -> list[str]:
    """Return the names with this ``ending`` in ``folder``, sorted; none where it is missing.

    Raises OSError where the folder is there and cannot be read.
    """
    try:
        found = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    # By code point: the order must not depend on a machine's locale or file system.
    return sorted(name for name in found if name.lower().endswith(ending) and name[0] != ".")


def folders(folder: str) -> tuple[list[str], list[str]]:
    """Return the names of the folders in ``folder``, and of links to some: sorted, none hidden."""
    try:
        with os.scandir(folder) as found:
            every = [entry for entry in found if entry.name[0] != "." and entry.is_dir()]
            links = {entry.name for entry in every if entry.is_symlink()}
    except OSError:
        return [], []  # missing; of one that cannot be read ``names`` tells
    return sorted(entry.name for entry in every if entry.name not in links), sorted(links)


def below(root: str, closed: frozenset[str] = frozenset()) -> Iterator[tuple[str, bool]]:
    """Yield all below ``root``, told from there, as it is found, and whether it is a folder.

    Links to folders are folders, and not looked into, nor are those called as one of ``closed``,
    nor what cannot be listed. However deep, and however many.
    """
    waiting = [""]
    while waiting:
        base = waiting.pop()
        try:
            with os.scandir(os.path.join(root, base)) as found:
                for entry in found:
                    is_folder = _is_folder(entry)
                    path = f"{base}{entry.name}"
                    if is_folder and entry.name not in closed and not entry.is_symlink():
                        waiting.append(f"{path}/")
                    yield path, is_folder
        except OSError:
            continue


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link that leads to itself


def shown(path: str) -> str:
    """Return a path as packets and messages name it: no secret, nothing a terminal would obey."""
    line = on_one_line(path)
    if not _may_hold_secret(line):
        return line
    from ctx.text.secrets import mask_path  # patterns that most paths can do without

    return mask_path(line)


def on_one_line(text: str) -> str:
    """Return ``text`` with what ends a line, or what a terminal would obey, written out."""
    if text.isascii() and text.isprintable():
        return text
    from ctx.text.visible import visible_name  # only for what is out of the ordinary

    return visible_name(text)


_SIGNS = str.maketrans(dict.fromkeys("/._- ", " "))
_LONG_NAME = 12
_SECRET_NAMES = ("token", "secret", "pass", "pwd", "key", "credential", "auth")


def _may_hold_secret(path: str) -> bool:
    lower = path.lower()
    return (
        any(name in lower for name in _SECRET_NAMES)
        or any(sign in path for sign in "=:@")
        or any(len(word) >= _LONG_NAME for word in path.translate(_SIGNS).split())
    )


def place(root: str, path: str) -> str:
    """Return where ``path`` lies, told from ``root``; ``..`` is what a person reads it as.

    A directory that is a link has its project beside the link, not beside what it leads to.
    """
    full = os.path.join(root, path)
    return os.path.normpath(full) if path.startswith("../") else full


def signature(status: os.stat_result) -> tuple[int, ...]:
    """Return what tells a changed file from an unchanged one without reading it.

    Size, times of content and of inode, and the inode: an edit that keeps size and
    modification time still moves the inode's time.
    """
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def look(root: str, path: str) -> tuple[int, ...]:
    """Return the signature that ``path`` has now; empty where it cannot be seen.

    Of a link that leads nowhere it is the link's own.
    """
    full = place(root, path)
    for see in (os.stat, os.lstat):
        try:
            return signature(see(full))
        except OSError:
            continue
    return ()  # absence is what was seen


def inspect(root: str, path: str, limits: Limits) -> os.stat_result:
    """Return the status of ``path`` below ``root``, or raise RefusedError."""
    full = place(root, path)
    try:
        status = os.stat(full)
        outside = not limits.allow_links and _leads_out(_home(root, path, limits), full)
    except OSError as error:
        raise RefusedError(path, f"cannot be read: {error.strerror}") from error
    if stat.S_ISDIR(status.st_mode):
        raise RefusedError(path, "is a directory, not a file; left out")
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(path, "is not a regular file; left out")
    if outside:
        raise RefusedError(
            path,
            f"is a link out of the {'project' if path.startswith('../') else 'context directory'}; "
            "left out "
            "(allow_links = true in ~/.config/ctx/config.toml reads it)",
        )
    if status.st_size > limits.max_bytes:
        raise RefusedError(
            path,
            f"{status.st_size:,} bytes are over the limit of {limits.max_bytes:,}; "
            "left out (max_file_mb in ~/.config/ctx/config.toml raises it)",
        )
    return status


def check_folder(root: str, path: str, limits: Limits) -> None:
    """Raise RefusedError where the folder ``path`` below ``root`` is a link out of it."""
    full = place(root, path)
    if limits.allow_links or not (os.path.islink(full) or os.path.islink(os.path.dirname(full))):
        return
    real, base = (os.path.join(os.path.realpath(one), "") for one in (full, root))
    if not real.startswith(base):
        raise RefusedError(
            f"{path}/",
            "is a link out of the context directory; left out "
            "(allow_links = true in ~/.config/ctx/config.toml reads it)",
        )


def _home(root: str, path: str, limits: Limits) -> str:
    """Return the folder that ``path`` must lie in."""
    return limits.project if limits.project and path.startswith("../") else root


def _leads_out(root: str, full: str) -> bool:
    real, base = os.path.realpath(full), os.path.realpath(root)
    return not real.startswith(base.rstrip(os.sep) + os.sep)


def load(root: str, path: str, limits: Limits) -> Opened:
    """Read ``path`` below ``root`` whole, or raise RefusedError.

    A file that is being written while it is read is read again, a few times at most.
    """
    full = place(root, path)
    try:
        before, opened = _read(full, limits.max_bytes)
        for _ in range(_TRIES):
            if before == opened.signature:
                break
            before, opened = _read(full, limits.max_bytes)
    except OSError as error:
        raise RefusedError(path, f"cannot be read: {error.strerror}") from error
    if len(opened.data) > limits.max_bytes:
        raise RefusedError(path, f"grew over the limit of {limits.max_bytes:,} bytes; left out")
    return opened


def _read(full: str, most: int) -> tuple[tuple[int, ...], Opened]:
    """Return the signature before reading, and what was read with the signature after."""
    with opened(full) as file:
        before = signature(os.fstat(file.fileno()))
        data = file.read(most + 1)
        return before, Opened(data, signature(os.fstat(file.fileno())))


def opened(full: str) -> BinaryIO:
    """Open a file to read its bytes; not to wait on a pipe that took its place meanwhile."""
    handle = os.open(full, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    return open(handle, "rb")


_BINARY = getattr(os, "O_BINARY", 0)

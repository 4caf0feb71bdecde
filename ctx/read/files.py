"""Find, look at, open and decode the files of a context directory and its project."""

import os
import stat
from collections.abc import Callable, Iterator

from ctx.digest import blake2b
from ctx.text.names import shown
from ctx.typed import BinaryIO, NamedTuple

_TRIES = 3
_ALLOWED = "left out (allow_links = true in ~/.config/ctx/config.toml reads it)"
_HOME = "context directory"
_BINARY = getattr(os, "O_BINARY", 0)


def decode(path: str, data: bytes) -> tuple[str, list[str]]:
    """Return the text of ``data``, and warnings about how it was read."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
        return text, [f"{path}:1: is UTF-16; read as such, better saved as UTF-8"]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        before = data[: error.start]
        # As in ``blocks.normalise``, a carriage return alone ends a line, too.
        line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
        return data.decode("utf-8", "replace"), [
            f"{path}:{line}: not valid UTF-8; bytes that cannot be read are shown as \ufffd"
        ]


def digest_of(data: bytes, *, redact_secrets: bool) -> bytes:
    """Return a digest of a file's bytes, and of whether its secrets are redacted."""
    return blake2b(data, digest_size=32, person=b"" if redact_secrets else b"as it is").digest()


class Limits(NamedTuple):
    """What may be opened."""

    max_bytes: int  # larger files are left unread
    allow_links: bool  # whether a symbolic link may lead out of the context directory
    project: str = ""  # folder that links of documents beside the directory may not leave
    allow_secrets: bool = False  # whether secrets are read as they are, instead of redacted
    refuses: Callable[[str, int], str] | None = None
    """Returns why what is in a folder, a real path, and has an owner is left out; else nothing."""


class RefusedError(Exception):
    """Why a file is left unread; the text is a warning for the user."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{shown(path)}: {why}")


class Opened(NamedTuple):
    """A file's bytes, and the signature under which they were read."""

    data: bytes
    signature: tuple[int, ...]


def names(folder: str, ending: str = ".md") -> list[str]:
    """Return sorted names with this ``ending``, none for no folder; OSError if it is unreadable."""
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
        return [], []  # missing; ``names`` raises for one that cannot be read
    return sorted(entry.name for entry in every if entry.name not in links), sorted(links)


def below(root: str, closed: frozenset[str] = frozenset()) -> Iterator[tuple[str, bool]]:
    """Yield each path below ``root``, and whether it is a folder; no links, no ``closed`` names."""
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


def place(root: str, path: str) -> str:
    """Return where ``path`` lies: the project of a link is beside it, not beside its target."""
    full = os.path.join(root, path)
    return os.path.normpath(full) if path.startswith("../") else full


def signature(status: os.stat_result) -> tuple[int, ...]:
    """Return what differs between a changed file and an unchanged one, without reading it.

    Size, times and inode: an edit that keeps size and time still moves the inode's time.
    """
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def look(root: str, path: str) -> tuple[int, ...]:
    """Return the signature of ``path``, or of a link to nowhere; empty where there is nothing."""
    full = place(root, path)
    for status in (os.stat, os.lstat):
        try:
            return signature(status(full))
        except OSError:
            continue
    return ()


def inspect(root: str, path: str, limits: Limits) -> os.stat_result:
    """Return the status of ``path`` below ``root``, or raise RefusedError."""
    full = place(root, path)
    try:
        status = os.stat(full)
    except OSError as error:
        raise RefusedError(path, f"cannot be read: {error.strerror}") from error
    real = os.path.realpath(full)
    if limits.refuses and (why := limits.refuses(os.path.dirname(real), status.st_uid)):
        raise RefusedError(path, why)
    if stat.S_ISDIR(status.st_mode):
        raise RefusedError(path, "is a directory, not a file; left out")
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(path, "is not a regular file; left out")
    if why := _outside(root, path, real, limits):
        raise RefusedError(path, why)
    if status.st_size > limits.max_bytes:
        why = f"{status.st_size:,} bytes are over the limit of {limits.max_bytes:,}"
        hint = "max_file_mb in ~/.config/ctx/config.toml raises it"
        raise RefusedError(path, f"{why}; left out ({hint})")
    return status


def is_own(status: os.stat_result) -> bool:
    """Return whether only the user, or the system, may write to a file or folder."""
    if os.name != "posix":
        return True
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & stat.S_IWOTH


def check_folder(root: str, path: str, limits: Limits) -> None:
    """Raise RefusedError where the folder ``path`` below ``root`` is a link out of it."""
    full = place(root, path)
    real = os.path.realpath(full)
    if limits.refuses and (why := limits.refuses(real, 0)):
        raise RefusedError(f"{path}/", why)
    is_link = os.path.islink(full) or os.path.islink(os.path.dirname(full))
    if is_link and (why := _outside(root, path, real, limits)):
        raise RefusedError(f"{path}/", why)


def _outside(root: str, path: str, real: str, limits: Limits) -> str:
    """Return why ``path``, which leads to ``real``, is left out; empty where links may do so."""
    name, home = ("project", limits.project or root) if path[:3] == "../" else (_HOME, root)
    is_in = os.path.join(real, "").startswith(os.path.join(os.path.realpath(home), ""))
    return "" if limits.allow_links or is_in else f"is a link out of the {name}; {_ALLOWED}"


def load(root: str, path: str, limits: Limits) -> Opened:
    """Read a file whole, again while it is being written; RefusedError where that fails."""
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


def checked(root: str, path: str, limits: Limits) -> bytes:
    """Return the bytes of ``path`` below ``root`` if it may be read, else raise RefusedError."""
    inspect(root, path, limits)
    return load(root, path, limits).data


def _read(full: str, most: int) -> tuple[tuple[int, ...], Opened]:
    """Return the signature before reading, and what was read with the signature after."""
    with opened(full) as file:
        before = signature(os.fstat(file.fileno()))
        data = file.read(most + 1)
        return before, Opened(data, signature(os.fstat(file.fileno())))


def opened(full: str) -> BinaryIO:
    """Open a file to read its bytes, without waiting on a pipe that replaced it meanwhile."""
    handle = os.open(full, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    return open(handle, "rb")


class Existing:
    """Looks paths up in a project, each once, and remembers what it saw."""

    def __init__(self, root: str, project: str) -> None:
        """Look below ``project`` and below the context directory ``root``, nowhere else."""
        self._folders = tuple(dict.fromkeys(filter(None, (project, root))))
        self._known: dict[str, bool] = {}
        self.seen: dict[str, tuple[int, ...]] = {}  # stat signatures by path; empty for nothing

    def __call__(self, path: str) -> bool:
        """Return whether ``path`` exists in the project or ``root``, and leads out of neither."""
        if path not in self._known:
            self._known[path] = _can_exist(path) and any(
                self._is_in(folder, path) for folder in self._folders
            )
        return self._known[path]

    def _is_in(self, folder: str, path: str) -> bool:
        full = os.path.normpath(os.path.join(folder, path))
        if full not in self.seen:
            self.seen[full] = look("", full)
        if not self.seen[full] or full == os.path.normpath(folder):
            return bool(self.seen[full])
        # No link on the way may lead out of the folder; ``full`` may be a link itself.
        base = os.path.join(os.path.realpath(folder), "")
        return os.path.join(os.path.realpath(os.path.dirname(full)), "").startswith(base)


def _can_exist(path: str) -> bool:
    if "\0" in path or os.path.isabs(path) or ".." in path.split("/"):
        return False
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False  # a lone surrogate, as transcripts may hold it
    return True

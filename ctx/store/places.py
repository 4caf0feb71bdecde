"""Where ctx stores what belongs to a context directory: outside the repository, for its user alone.

A repository from elsewhere may bring any file, so nothing in it is trusted as ctx's own. What can
be rebuilt is in the user's cache directory, what sessions received in the user's state directory,
both below a random id that is in git's common directory: a clone does not have it, all worktrees
share it and a move keeps it. Without git a digest of the real path replaces it.

This module is on the path of every hook: it imports next to nothing, and starts no process unless
something belongs to another user.
"""

from __future__ import annotations

import os
import sys

from ctx.digest import blake2b
from ctx.repository import User, common_dir, text_of, top_of
from ctx.store.folder import contents, is_private, make, narrow, remove, rename, replace

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Mapping

ID = "ctx-id"  # the file in git's common directory that holds the id of a repository
WHERE = "where"  # the file in a folder of the cache or the state with the real paths it belongs to
_NAME = ".context"
MOST_PATHS = 64  # paths in such a file: those of worktrees, and of moves
_DIGITS = 32
_HEX = frozenset(b"0123456789abcdef")
_POSIX = os.name == "posix"


class Places:
    """The folders of one context directory, which may not exist yet; empty for none."""

    __slots__ = ("cache", "id", "real", "shared", "state", "top")

    def __init__(self, cache: str = "", state: str = "", real: str = "", shared: str = "") -> None:
        """Note the folders; ``shared`` is the state of the repository's root."""
        self.cache = cache
        self.state = state
        self.real = real
        self.shared = shared or state
        self.id = ""  # of the repository; empty where it has none
        self.top = beside(real)  # the folder that is trusted: the main work tree of the repository

    def marks(self) -> list[str]:
        """Return by what the trusted folder is known: the repository's id, path, identity."""
        return [self.id, self.top, _identity(self.top)]


def cache_home(environ: Mapping[str, str], home: str, system: str = sys.platform) -> str:
    """Return the cache directory, ``CTX_CACHE_DIR`` or the system's; empty if not the user's."""
    folders = {"win32": "ctx\\Cache", "darwin": "Library/Caches"}
    return _home_of("CACHE", folders.get(system, ".cache"), environ, home, system)


def state_home(environ: Mapping[str, str], home: str, system: str = sys.platform) -> str:
    """Return the user's state directory for ctx; as ``cache_home``, with ``CTX_STATE_DIR``."""
    folders = {"win32": "ctx", "darwin": "Library/Application Support"}
    return _home_of("STATE", folders.get(system, ".local/state"), environ, home, system)


def _home_of(name: str, folder: str, environ: Mapping[str, str], home: str, system: str) -> str:
    """Return the directory that ``CTX_name_DIR`` names, else the usual one of the system."""
    if named := _named(f"CTX_{name}_DIR", environ):
        return named
    if system == "win32":
        base = environ.get("LOCALAPPDATA") or (f"{home}\\AppData\\Local" if home else "")
        return f"{base}\\{folder}" if base else ""
    base = _named(f"XDG_{name}_HOME", environ)
    if not base and _is_home(home):
        base = f"{home.rstrip('/')}/{folder}"
    return f"{base.rstrip('/')}/ctx" if base else ""


def _named(variable: str, environ: Mapping[str, str]) -> str:
    """Return the directory in a variable, which must be absolute by the specification."""
    path = environ.get(variable, "")
    return path if os.path.isabs(path) else ""


def _is_home(home: str) -> bool:
    """Whether ``home`` is this user's own: with sudo it may be somebody else's."""
    if not os.path.isabs(home) or home == "/":
        return False
    try:
        return not _POSIX or os.stat(home).st_uid == os.geteuid()
    except OSError:
        return False


def places_of(root: str, environ: Mapping[str, str], home: str) -> Places:
    """Return the folders of ``root``, which may not exist; empty where none can be the user's."""
    homes = _homes(environ, home)
    return _found(homes, _real(root), User(environ, home))[0] if any(homes) else Places()


def prepare(root: str, environ: Mapping[str, str], home: str) -> Places:
    """Return the folders of ``root``, made if need be; empty where they are not the user's alone.

    A repository without an id gets one, and a copy another one while its original exists.
    """
    homes = _homes(environ, home)
    if not any(homes):
        return Places()
    real, user = _real(root), User(environ, home)
    found, repository, taken = _found(homes, real, user)
    if repository and (name := repository.new_id(taken)):
        by_path, found = found, repository.places(homes, name, real)
        for old, new in ((by_path.cache, found.cache), (by_path.state, found.state)):
            if new and not os.path.lexists(new):
                rename(old, new)  # the repository has an id now
    around = repository or _Repository.around(real, user)
    # The repository's own must not go with the package that was used first.
    top = f"{real.removesuffix(around.inside)}{os.sep}{_NAME}" if around else real
    for name in ("cache", "state", "shared"):
        folder = getattr(found, name)
        if not (folder and make(os.path.dirname(folder)) and make(folder)):
            setattr(found, name, "")
            continue
        try:
            narrow(folder, os.stat(folder))
            _note(folder, top if folder == found.shared != found.state else real)
        except OSError:
            continue  # read-only: it can still be read
    return found


def _real(root: str) -> str:
    """Return the real path of ``root``, in the case that it has on the disk.

    A link that leads to another repository, or without git out of its folder, is not followed: its
    target is another project's, with an id and a trust of its own.
    """
    real = os.path.realpath(root)
    if os.path.islink(root):
        folder, name = os.path.split(os.path.abspath(root))
        folder = os.path.realpath(folder)
        tree = top_of(folder)
        is_in = tree[1] or real.startswith(os.path.join(folder, ""))
        if tree != top_of(real) or not is_in:
            real = os.path.join(folder, name)
    if sys.platform == "darwin":  # Windows has it already, others tell cases apart
        import fcntl

        there = real if os.path.exists(real) else os.path.dirname(real)
        try:
            folder = os.open(there, os.O_RDONLY)
            try:
                path = fcntl.fcntl(folder, fcntl.F_GETPATH, bytes(1024))
            finally:
                os.close(folder)
        except OSError:
            return real
        return os.fsdecode(path.rstrip(b"\0")) + real[len(there) :]
    return real


def _found(homes: tuple[str, str], real: str, user: User) -> tuple[Places, _Repository | None, str]:
    """Return the folders of ``real``; its repository and an id that is another's, if any."""
    repository, name = _Repository.around(real, user), ""
    if repository and (name := repository.id()):
        found = repository.places(homes, name, real)
        if not _is_taken(found, repository, user):
            return found, None, ""
    # No id looks like such a name.
    by_path = f"path-{_digest(real, _DIGITS // 2)}"
    return _places(homes, (by_path, by_path, by_path), real), repository, name


def beside(root: str) -> str:
    """Return the folder that a context directory is in, or itself where it has another name."""
    return os.path.dirname(root) if os.path.basename(root) == _NAME else root


_GENERATION = 0x80087601  # FS_IOC_GETVERSION of Linux, where ``long`` has 64 bits


def _identity(folder: str) -> str:
    """Return what no other folder has that comes to be at the same path; empty for none.

    Of a removed folder the next one may get the inode, but neither its birth nor its generation.
    """
    try:
        status = os.stat(folder)
    except OSError:
        return ""
    born = getattr(status, "st_birthtime", 0)
    if sys.platform == "linux":
        import fcntl

        try:
            file = os.open(folder, os.O_RDONLY)
            try:
                born = int.from_bytes(fcntl.ioctl(file, _GENERATION, bytes(8))[:4], sys.byteorder)
            finally:
                os.close(file)
        except OSError:
            pass  # a file system that counts none: most of these give no inode twice
    return f"{status.st_dev} {status.st_ino} {born}"


def _homes(environ: Mapping[str, str], home: str) -> tuple[str, str]:
    return cache_home(environ, home), state_home(environ, home)


def _places(homes: tuple[str, str], names: tuple[str, str, str], real: str) -> Places:
    cache, state, shared = (
        os.path.join(base, name)
        if base
        and is_private(base, absent=True)
        and is_private(os.path.join(base, name), absent=True)
        else ""
        for base, name in zip((*homes, homes[1]), names, strict=True)
    )
    return Places(cache, state, real, shared)


def _digest(text: str, size: int = 8) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def paths_of(folder: str) -> list[str]:
    """Return the real paths of the context directories that ``folder`` belongs to."""
    return [path for path, _ in _owners(folder)]


def belongs(folder: str) -> bool:
    """Whether a directory that ``folder`` belongs to exists, or its disk may come back."""
    return any(_exists(path) or _device(path) != device for path, device in _owners(folder))


def _exists(path: str) -> bool:
    """Whether there is a context directory, or the project in which one can be made."""
    return os.path.isdir(path) or os.path.isdir(beside(path))


def _owners(folder: str) -> list[tuple[str, str]]:
    text = (contents(os.path.join(folder, WHERE)) or b"").decode("utf-8", "surrogatepass")
    parts = (line.partition(" ") for line in text.split("\0"))
    return [(path, device) for device, _, path in parts if path]


def _device(path: str) -> str:
    """Return the device of ``path``, or of the nearest folder above it that exists."""
    while True:
        try:
            return str(os.stat(path).st_dev)
        except OSError:
            above = os.path.dirname(path)
        if above == path:
            return ""
        path = above


def _note(folder: str, real: str) -> None:
    """Record in ``folder`` that it belongs to ``real``, and that it is used today."""
    owners, path = _owners(folder), os.path.join(folder, WHERE)
    own = real, _device(real)
    if own in owners:
        os.utime(path)
        return
    kept = [*(owner for owner in owners if owner[0] != real), own][-MOST_PATHS:]
    text = "\0".join(f"{device} {name}" for name, device in kept)
    replace(path, text.encode("utf-8", "surrogatepass"))


def _is_same(one: str, other: str) -> bool:
    """Whether two paths lead to one folder, as those that differ in case do on some systems."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return one == other


def _is_taken(found: Places, repository: _Repository, user: User) -> bool:
    """Whether another repository that still exists has the id of ``repository``, its copy."""
    folder = found.state or found.cache
    if not folder:
        return False
    paths = paths_of(folder)
    if found.real in paths:  # a copy may be at its former path
        paths = paths[paths.index(found.real) + 1 :]
    others = (_Repository.around(path, user) for path in paths if _exists(path))
    return any(
        other and not _is_same(other.common, repository.common) and other.id() == found.id
        for other in others
    )


class _Repository:
    __slots__ = ("common", "inside", "worktree")

    def __init__(self, common: str, worktree: str, inside: str) -> None:
        self.common = common  # Git's common directory, a real path
        self.worktree = worktree  # git's name for a linked worktree; empty for the main one
        self.inside = inside  # the path of the context directory in the worktree

    @staticmethod
    def around(real: str, user: User) -> _Repository | None:
        """Return the user's repository around ``real``; a ``.git`` must lead back here."""
        top, git = top_of(os.path.dirname(real) if os.path.islink(real) else real)
        file = os.path.join(top, ".git")
        if not git or os.path.islink(file):
            return None
        found = (git, "") if os.path.isdir(file) else _linked(top, git)
        if found is None or not user.owns(top, top, file, git):
            return None
        return _Repository(*found, real[len(top) :])

    def id(self) -> str:
        data = (contents(os.path.join(self.common, ID), private=False) or b"").strip()
        return data.decode() if len(data) == _DIGITS and _HEX.issuperset(data) else ""

    def new_id(self, taken: str) -> str:
        """Make an id where there is none, or only ``taken``; return the valid one, or nothing."""
        path = os.path.join(self.common, ID)
        temporary = f"{path}.{os.urandom(8).hex()}.tmp"
        if not replace(temporary, os.urandom(_DIGITS // 2).hex().encode() + b"\n"):
            return ""
        try:
            if os.path.lexists(path) and self.id() == taken:
                os.replace(temporary, path)
            else:
                os.link(temporary, path)
        except FileExistsError:
            pass  # another process was first
        except OSError:
            rename(temporary, path)  # a file system without links
        remove(temporary)
        name = self.id()
        return name if name != taken else ""

    def places(self, homes: tuple[str, str], name: str, real: str) -> Places:
        """Return the folders of ``real``; the cache is a worktree's own, the state is shared."""
        folders = f"{self.worktree}\0{self.inside}", f"\0{self.inside}", f"\0{os.sep}{_NAME}"
        cache, state, shared = (f"{name}-{_digest(folder)}" for folder in folders)
        found = _places(homes, (cache, state, shared), real)
        found.id, found.top = name, self.common.removesuffix(f"{os.sep}.git")
        return found


def _linked(top: str, git: str) -> tuple[str, str] | None:
    """Return common directory and worktree of a ``.git`` file that leads to ``git``, and back."""
    folder = os.path.realpath(git)
    common = os.path.realpath(common_dir(folder))
    if back := text_of(os.path.join(folder, "gitdir")).strip():
        is_ours = os.path.dirname(folder) == os.path.join(common, "worktrees")
        is_back = is_ours and _is_same(os.path.join(folder, back), os.path.join(top, ".git"))
        return (common, os.path.basename(folder)) if is_back else None
    pairs = (line.partition("=") for line in text_of(os.path.join(folder, "config")).splitlines())
    trees = [value.strip().strip('"') for key, _, value in pairs if key.strip() == "worktree"]
    is_back = any(_is_same(os.path.join(folder, tree), top) for tree in trees)  # of a submodule
    return (folder, "") if is_back else None

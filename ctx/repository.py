"""What git takes for a repository, whether it is the user's, and which files around are left out.

As git decides it, but without a process, since each hook asks: git itself is asked only which
directories of other users are safe. Variables such as ``GIT_DIR``, which send git elsewhere, do not
count.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_POSIX = os.name == "posix"
_MOST_BYTES = 1024 * 1024  # of a file of git; larger ones are not read
_DIGITS = 40  # hexadecimal digits that the name of a commit begins with, by SHA-1 and SHA-256
_HEX = frozenset(b"0123456789abcdefABCDEF")
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_SAFE = "safe.directory"
_WAIT = 5.0  # seconds for git to tell its settings
_OTHERS = "belongs to another user"
_REMEDY = "`git config --global --add safe.directory {}` lets it be read"


def git_dir(folder: str) -> str | None:
    """Return the git directory of the work tree whose top is ``folder``; None if it is no top.

    Empty for a ``.git`` file that leads to none: git takes that for a fault, and looks no further.
    """
    path = os.path.join(folder, ".git")
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(mode):
        return path if stat.S_ISDIR(mode) and _is_git_dir(path) else None
    word, _, target = text_of(path).rstrip("\r\n").partition(": ")
    found = os.path.join(folder, target)
    return found if word == "gitdir" and target and _is_git_dir(found) else ""


def common_dir(git: str) -> str:
    """Return what all work trees of the git directory ``git`` share, as git does."""
    return os.path.join(git, text_of(os.path.join(git, "commondir")).rstrip("\r\n"))


def main_checkout(folder: str) -> str:
    """Return the real path of the work tree whose git directory that at ``folder`` shares.

    The folder itself where it is no top of a work tree.
    """
    git = git_dir(folder)
    return os.path.dirname(os.path.realpath(common_dir(git))) if git else folder


def top_of(folder: str) -> tuple[str, str | None]:
    """Return the top of the work tree that ``folder`` is in, and its ``git_dir``.

    Without one it is the root of the file system, and None.
    """
    while (git := git_dir(folder)) is None and (above := os.path.dirname(folder)) != folder:
        folder = above
    return folder, git


def _is_git_dir(path: str) -> bool:
    common = common_dir(path)
    return _is_head(os.path.join(path, "HEAD")) and all(
        os.access(os.path.join(common, name), os.X_OK) for name in ("objects", "refs")
    )


def _is_head(path: str) -> bool:
    try:
        return os.readlink(path).startswith("refs/")
    except (OSError, ValueError):
        data = _data(path, 255)
    if data.startswith(b"ref:"):
        return data[4:].lstrip().startswith(b"refs/")
    return len(data) >= _DIGITS and _HEX.issuperset(data[:_DIGITS])


def text_of(path: str) -> str:
    """Return the text of a file of git; empty where there is none, or it cannot be a path."""
    data = _data(path, _MOST_BYTES)
    return "" if b"\0" in data else data.decode("utf-8", "surrogateescape")


def _data(path: str, most: int) -> bytes:
    try:
        file = os.open(path, _READ)
    except (OSError, ValueError):
        return b""
    try:
        return os.read(file, most)
    except OSError:
        return b""
    finally:
        os.close(file)


class User:
    """Whose files are obeyed: by the rules of ``safe.directory``, in git's documentation."""

    __slots__ = ("_environ", "_home", "_listed")

    def __init__(self, environ: Mapping[str, str], home: str) -> None:
        """Take the environment, which may name the files of git's settings, and the home."""
        self._environ = environ
        self._home = home
        self._listed: list[str] | None = None

    @property
    def ids(self) -> frozenset[int]:
        """The owners whose files are the user's: who came by sudo has those of before, too."""
        own = os.geteuid()
        before = self._environ.get("SUDO_UID", "") if own == 0 else ""
        return frozenset({own, int(before)} if before.isdecimal() else {own})

    def owns(self, top: str, *paths: str) -> bool:
        """Whether git works in the tree ``top``: all ``paths`` are the user's, or it is listed."""
        try:
            is_own = not _POSIX or {os.lstat(path).st_uid for path in paths} <= self.ids
        except OSError:
            is_own = False
        return is_own or self.lists(top)

    def refuses(self, path: str, folder: str) -> tuple[str, str]:
        """Return what is wrong and what to try where ``path`` is another user's; empty if not.

        It may be the system's, or ``folder``, around it, be listed, or the repository there.
        """
        if not _POSIX or os.stat(path).st_uid in (0, *self.ids):
            return "", ""
        top, git = top_of(folder)
        top = folder if git is None else top
        return ("", "") if self.lists(top) else (f"{path}: {_OTHERS}", _REMEDY.format(top))

    def lists(self, top: str) -> bool:
        """Whether the user's or the system's settings of git list ``top`` in ``safe.directory``."""
        real, found = os.path.realpath(top), False
        for value in self._values():
            path = os.path.expanduser(value) if value[:2] != "~/" else self._home + value[1:]
            if os.path.isabs(path):
                known, is_all = os.path.realpath(path.removesuffix("/*")), path.endswith("/*")
                found |= real.startswith(os.path.join(known, "")) if is_all else known == real
            else:
                found = value == "*" or (found and bool(value))  # an empty one takes all back
        return found

    def _values(self) -> list[str]:
        """Return the values of ``safe.directory`` in git's order, but for those of a repository."""
        if self._listed is None:
            import subprocess  # where something belongs to another user alone

            command = ("git", "config", "-z", "--show-scope", "--get-all", _SAFE)
            # Where git is sent elsewhere, it would not look at the user's settings alone.
            environ = {**self._environ, "HOME": self._home, "GIT_DIR": os.devnull}
            try:
                found = subprocess.run(  # noqa: S603 - the git that the person uses
                    command, cwd=os.sep, env=environ, capture_output=True, check=True, timeout=_WAIT
                ).stdout
            except (OSError, ValueError, subprocess.SubprocessError):
                found = b""  # there is no git, or it refuses the settings: nothing is listed
            fields = found.decode("utf-8", "surrogateescape").split("\0")
            pairs = zip(fields[::2], fields[1::2], strict=False)
            self._listed = [value for scope, value in pairs if scope not in ("local", "worktree")]
        return self._listed


class Surroundings:
    """Which files of a project are left out: another user's, and those of other repositories."""

    def __init__(self, project: str, root: str, user: User, trusts: Callable[[str], bool]) -> None:
        """Look around the context directory ``root``; ``trusts`` is asked of each repository."""
        self._project = project
        git = git_dir(project)
        self._common = git and os.path.realpath(common_dir(git))
        is_safe = git and user.owns(project, project, os.path.join(project, ".git"), git)
        # In a repository that git works in, it does not look at the owner of each file, either.
        self._ids = None if not _POSIX or is_safe or user.lists(project) else {0, *user.ids}
        self._trusts = trusts
        self._top = os.path.join(os.path.realpath(project), "")
        self._inside = {self._top[:-1]: "", os.path.realpath(root): ""}
        self.looked: list[str] = []  # paths by which it was decided: who keeps an answer notes them

    def why(self, folder: str, owner: int = 0) -> str:
        """Return why what lies in the real path ``folder`` is left out; empty if it is read."""
        if self._ids and owner not in self._ids:
            return f"{_OTHERS}; left out ({_REMEDY.format(self._project)})"
        return self._of(folder) if folder.startswith(self._top) else ""

    def _of(self, folder: str) -> str:
        why = self._inside.get(folder)
        if why is None:
            why = self._of(os.path.dirname(folder))
            self.looked.append(os.path.join(folder, ".git"))
            if not why and (git := git_dir(folder)) is not None:
                name = os.path.relpath(folder, self._top).replace(os.sep, "/")
                if git and self._common == os.path.realpath(common_dir(git)):
                    why = f"{name}/ is another work tree of this repository; left out"
                elif not self._trusts(folder):
                    why = f"{name}/ is a repository of its own; left out (`ctx trust` there)"
            self._inside[folder] = why
        return why

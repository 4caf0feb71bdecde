"""What git takes for a repository, whether it is the user's, and which files around are left out.

As git decides it, but without a process, since each hook asks; variables such as ``GIT_DIR``, which
send git elsewhere, do not count.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_POSIX = os.name == "posix"
_MOST_BYTES = 1024 * 1024  # of a file of git; larger ones are not read
_DIGITS = 40  # hexadecimal digits that the name of a commit begins with, by SHA-1 and SHA-256
_HEX = frozenset(b"0123456789abcdefABCDEF")
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
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

    __slots__ = ("_environ", "_home")

    def __init__(self, environ: Mapping[str, str], home: str) -> None:
        """Take the environment, which may name the files of git's settings, and the home."""
        self._environ = environ
        self._home = home

    @property
    def ids(self) -> frozenset[int]:
        """The owners whose files are the user's: who came by sudo has those of before, too."""
        own = os.geteuid()
        before = self._environ.get("SUDO_UID", "") if own == 0 else ""
        return frozenset({own, int(before)} if before.isdecimal() else {own})

    def owns(self, top: str, *paths: str) -> bool:
        """Whether git works in the tree ``top``: all ``paths`` are the user's, or it is listed."""
        return not _POSIX or {*map(_owner, paths)} <= self.ids or self.lists(top)

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
            if not value:
                found = False
            elif value == "*":
                found = True
            elif os.path.isabs(path):
                known = os.path.realpath(path.removesuffix("/*"))
                is_below = path.endswith("/*") and real.startswith(os.path.join(known, ""))
                found = found or is_below or (known == real and not path.endswith("/*"))
        return found

    def _values(self) -> Iterator[str]:
        """Yield the values of ``safe.directory`` in git's order; files that include others do."""
        environ = self._environ
        usual = environ.get("XDG_CONFIG_HOME") or os.path.join(self._home, ".config")
        files = [os.path.join(usual, "git", "config"), os.path.join(self._home, ".gitconfig")]
        if "GIT_CONFIG_GLOBAL" in environ:
            files = [environ["GIT_CONFIG_GLOBAL"]]
        if environ.get("GIT_CONFIG_NOSYSTEM", "").lower() not in ("1", "true", "yes", "on"):
            files.insert(0, environ.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig"))
        for path in files:
            yield from _listed(path, self._home)
        count = environ.get("GIT_CONFIG_COUNT", "")
        for number in range(min(int(count), 1_000) if count.isdecimal() else 0):
            if environ.get(f"GIT_CONFIG_KEY_{number}", "").lower() == "safe.directory":
                yield environ.get(f"GIT_CONFIG_VALUE_{number}", "")


def _listed(path: str, home: str, deep: int = 5) -> Iterator[str]:
    """Yield the values of ``safe.directory`` in a file of git's settings, and in what it includes.

    It is read where something belongs to another user alone.
    """
    import re

    pair_at = re.compile(r'\s*([A-Za-z][\w-]*)\s*=\s*((?:[^"#;\\]|\\.|"(?:[^"\\]|\\.)*")*)').match
    section = ""
    for line in text_of(path).replace("\\\n", "").splitlines():
        head = re.match(r'\s*\[\s*([\w.-]+)(\s+"[^]]*")?\s*\]', line)
        if head:
            section = head[1].lower() + (head[2] or "")
        pair = pair_at(line, head.end() if head else 0)
        if pair is None:
            continue
        value = re.sub(r'\\(.)|"', lambda mark: mark[1] or "", pair[2].strip())
        name = f"{section}.{pair[1].lower()}"
        if name == "safe.directory":
            yield value
        elif name == "include.path" and deep:
            value = home + value[1:] if value[:2] == "~/" else value
            yield from _listed(os.path.join(os.path.dirname(path), value), home, deep - 1)


def _owner(path: str) -> int:
    try:
        return os.lstat(path).st_uid
    except OSError:
        return -1


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

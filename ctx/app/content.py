"""How large the files below some paths are: the content that a strategy is asked for.

Sizes are those the file system tells; no file is read but ``.gitignore``. What git would ignore
by those files, ``.git`` itself, and symbolic links are left out.
"""

import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from ctx.app.find import upwards
from ctx.errors import FileError
from ctx.repository import git_dir
from ctx.text.ignored import Rules
from ctx.text.names import shown

_IGNORE = ".gitignore"
_MOST_RULES = 64 * 1024 * 1024  # bytes of a ``.gitignore``; git, too, leaves out one over 100 MiB
_NAMED = 5  # what cannot be read and is named; of more only the number is given
_Placed = tuple[int, Rules]  # how many characters of a path come before what rules are about


class Measured(NamedTuple):
    """What there is below some paths."""

    bytes: int
    files: int
    warnings: tuple[str, ...] = ()  # what could not be read, and so is not counted


def measure(paths: Sequence[str], cwd: str, home: str) -> Measured:
    """Return how much the files at and below ``paths`` hold, each counted once.

    Paths are relative to ``cwd``. What is named is counted even where a ``.gitignore`` or a link
    would leave it out; below it those of its repository hold, too, looked for as far up as
    ``home``. Raises FileError where a path is not there or is neither a file nor a folder.
    """
    named = {_real(path, cwd): path for path in paths}
    walk = _Walk(frozenset(named))
    for real, path in named.items():
        walk.measure(real, path, home)
    more = walk.unread - len(walk.warnings)
    rest = (f"{more:,} more files or folders cannot be read",) if more else ()
    return Measured(walk.bytes, walk.files, (*walk.warnings, *rest))


def _real(path: str, cwd: str) -> str:
    try:
        if path and (os.path.isabs(path) or cwd):
            return os.path.realpath(os.path.join(cwd, path), strict=True)
        reason = "there is no such file or folder"
    except FileNotFoundError:
        reason = "there is no such file or folder"
    except (OSError, ValueError) as error:  # ValueError: no path holds a NUL
        reason = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    raise FileError(f"{path!r}: {reason}", "--path names files or folders")


class _Walk:
    def __init__(self, named: frozenset[str]) -> None:
        self._named = named  # what is measured on its own, and so not again below another
        self.bytes = 0
        self.files = 0
        self.unread = 0
        self.warnings: list[str] = []

    def measure(self, real: str, path: str, home: str) -> None:
        """Add what is at and below ``real``, which was named as ``path``."""
        try:
            status = os.stat(real)
        except OSError as error:
            self._warn(path, error)
            return
        if stat.S_ISDIR(status.st_mode):
            self._folder(real, self._above(real, home))
        elif stat.S_ISREG(status.st_mode):
            self._add(real, status.st_size)
        else:
            raise FileError(f"{path!r}: is neither a file nor a folder", "--chars gives a size")

    def _above(self, folder: str, home: str) -> list[_Placed]:
        """Return the rules of the repository that ``folder`` is in, outermost first."""
        above = list(upwards(folder, home))
        if not git_dir(above[-1]):
            return []
        return [rules for place in reversed(above[1:]) for rules in self._rules(place)]

    def _folder(self, top: str, rules: list[_Placed]) -> None:
        """Add what is below ``top``; folders wait in a list, since they may be nested deeply."""
        waiting = [(top, rules)]
        while waiting:
            folder, rules = waiting.pop()
            entries = self._list(folder)
            if any(entry.name == _IGNORE for entry in entries):
                rules = [*rules, *self._rules(folder)]
            below = []
            for entry in entries:
                try:
                    if self._entry(entry, rules):
                        below.append(entry.path)
                except OSError as error:
                    self._warn(entry.path, error)
            waiting.extend((path, rules) for path in reversed(below))

    def _list(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._warn(folder, error)
            return []

    def _entry(self, entry: os.DirEntry[str], rules: list[_Placed]) -> bool:
        if entry.path in self._named or entry.name == ".git":
            return False
        is_folder = entry.is_dir(follow_symlinks=False)
        # The nearest .gitignore that speaks of it decides.
        verdicts = (
            each.verdict(entry.path[start:].replace(os.sep, "/"), is_folder=is_folder)
            for start, each in reversed(rules)
        )
        if next((verdict for verdict in verdicts if verdict is not None), False):
            return False
        if entry.is_file(follow_symlinks=False):
            self._add(entry.path, entry.stat(follow_symlinks=False).st_size)
        return is_folder

    def _add(self, path: str, size: int) -> None:
        if os.access(path, os.R_OK):
            self.bytes += size
            self.files += 1
        else:
            self._warn(path, PermissionError(0, "permission denied"))

    def _warn(self, path: str, error: OSError) -> None:
        why = f"{shown(path)}: cannot be read: {(error.strerror or '').lower()}"
        if why in self.warnings:
            return  # a .gitignore, as what it is and as a file
        self.unread += 1
        if len(self.warnings) < _NAMED:
            self.warnings.append(why)

    def _rules(self, folder: str) -> list[_Placed]:
        """Return what the ``.gitignore`` of a folder says; git follows no links there either."""
        path = os.path.join(folder, _IGNORE)
        try:
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode) and status.st_size > _MOST_RULES:
                self._warn(path, OSError(0, "too large to find what is ignored"))
            elif stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    return [(len(os.path.join(folder, "")), Rules(file.read()))]
        except FileNotFoundError:
            pass  # most folders have none
        except OSError as error:
            self._warn(path, error)
        return []

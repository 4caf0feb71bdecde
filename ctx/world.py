"""The world around the program: environment, working directory, clock, standard streams.

Nothing else in ctx looks at these; everything below is given what it needs.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.store import Store


class World:
    """One look at the world, so that a whole run sees the same time and place."""

    __slots__ = ("cwd", "environ", "home", "now_ns", "today")

    def __init__(self) -> None:
        """Look around."""
        self.environ: Mapping[str, str] = os.environ
        try:
            self.cwd = os.getcwd()
        except OSError:
            self.cwd = ""  # the directory was removed under the shell
        self.home = os.path.expanduser("~")
        self.now_ns = time.time_ns()
        self.today = day(self.now_ns)
        """The local date: ages are counted in the days that people live by."""

    @property
    def keeps(self) -> bool:
        """Whether anything may be kept between runs: not with ``CTX_NO_CACHE``."""
        return not self.environ.get("CTX_NO_CACHE")

    def store(self, root: str, *, make: bool = False) -> Store:
        """Return what is kept for the context directory ``root``; its folders are made if ``make``.

        Nothing is, unless the world ``keeps`` things, and where there can be no folders.
        """
        from ctx.store import Store, open_store  # not for ``ctx --version``

        if not self.keeps:
            return Store()
        store = open_store(root, self.environ, self.home, make=make)
        if make:
            store.sweep(self.now_ns / 1e9)
        return store

    def named(self, name: str = "ctx") -> tuple[str, bool]:
        """Return what ``name`` leads to on the PATH, if to anything, and whether it is this one.

        A shim of pyenv and the like counts as this program: where it leads cannot be seen.
        """
        from shutil import which  # only where hooks are installed or a person looks

        found = which(name, path=self.environ.get("PATH", "")) or ""
        folder = os.path.dirname(sys.executable)
        own = {folder, os.path.realpath(folder), os.path.dirname(os.path.realpath(sys.argv[0]))}
        leads = {os.path.dirname(found), os.path.dirname(os.path.realpath(found))}
        is_shim = os.path.basename(os.path.dirname(found)) == "shims"
        return found, bool(found and (is_shim or leads & own))

    def draws(self) -> bool:
        """Whether standard output is a terminal that can be drawn on, in any script."""
        if not self.at_terminal():
            return False
        able = (sys.stdout.encoding or "").lower().startswith("utf")
        return able and self.environ.get("TERM") != "dumb"

    def at_terminal(self) -> bool:
        """Whether standard output is a terminal, which obeys what it is shown."""
        return sys.stdout is not None and sys.stdout.isatty()


def day(now_ns: int) -> str:
    """Return the local date of a moment, given in nanoseconds since 1970."""
    return time.strftime("%Y-%m-%d", time.localtime(now_ns / 1e9))


def single_thread() -> None:
    """Let numpy start one thread: that takes half the time, and texts and questions are short."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

"""The world around the program: environment, working directory, clock, standard streams.

Nothing else in ctx looks at these; everything below is given what it needs.
"""

from __future__ import annotations

import os
import sys
import time

from ctx import __version__
from ctx.errors import FileError

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.store.places import Places


class World:
    """One look at the world, so that a whole run sees the same time and place."""

    __slots__ = ("cwd", "environ", "home", "now_ns", "today")

    def __init__(self) -> None:
        """Look around."""
        self.environ: Mapping[str, str] = os.environ
        self.cwd = _cwd()
        self.home = os.path.expanduser("~")
        self.now_ns = time.time_ns()
        self.today = day(self.now_ns)
        """The local date: ages are counted in the days that people live by."""

    def places(self, root: str) -> Places:
        """Return the folders of what is kept for the context directory ``root``; makes nothing.

        Both are empty with ``CTX_NO_CACHE``, as where there can be none.
        """
        from ctx.store.places import Places, places_of

        if self.environ.get("CTX_NO_CACHE"):
            return Places()
        return places_of(root, self.environ, self.home)

    def prepare(self, root: str) -> Places:
        """Return the same, made if need be."""
        from ctx.store.places import Places, prepare

        if self.environ.get("CTX_NO_CACHE"):
            return Places()
        from ctx.store.sweep import MOST_CACHE, sweep

        found = prepare(root, self.environ, self.home)
        sweep(os.path.dirname(found.cache), self.now_ns / 1e9, MOST_CACHE, found.cache)
        sweep(os.path.dirname(found.state), self.now_ns / 1e9, used=found.state)
        return found

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


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # the directory was removed under the shell


def write_out(data: bytes) -> None:
    """Write ``data`` to standard output, all of it, as it is.

    Raises BrokenPipeError where nobody reads it, FileError where it cannot be written.
    """
    if sys.stdout is None:
        raise FileError("standard output: cannot be written: it is closed")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        silence()
        raise
    except OSError as error:
        silence()
        raise FileError(f"standard output: cannot be written: {error.strerror}") from error


def silence() -> None:
    """Point standard output nowhere, so that the interpreter's last flush does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def write_err(data: bytes) -> None:
    """Write ``data`` to standard error; a closed one is not worth failing for."""
    try:
        sys.stderr.flush()
        sys.stderr.buffer.write(data)
        sys.stderr.buffer.flush()
    except (OSError, AttributeError):
        return


def complain(text: str, details: tuple[str, ...] = ()) -> None:
    """Say one line on standard error, under the program's name, and a line for each detail."""
    from ctx.text.visible import visible  # only where something is said

    lines = (
        f"ctx: {' '.join(text.split())}",
        *(f"  {' '.join(one.splitlines())}" for one in details),
    )
    write_err(visible("".join(f"{line}\n" for line in lines)).encode())


def read_in(limit: int) -> bytes:
    """Read at most ``limit`` bytes of standard input; none where it is closed."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read(limit)


def report_of(error: Exception) -> str:
    """Return what a user can report of a bug that ended in ``error``, as one line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "?"
    if trace is not None:
        code = trace.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} in {code.co_name}"
    return (
        f"a bug: {type(error).__name__}: {error} ({place}; ctx {__version__}, "
        f"Python {sys.version.split()[0]}, {sys.platform}). Please report this line and the "
        "command; CTX_DEBUG=1 shows the traceback."
    )

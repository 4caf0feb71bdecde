"""Standard streams: what the commands, MCP and hooks write, and the bytes that they read."""

from __future__ import annotations

import os
import sys

from ctx import __version__
from ctx.errors import FileError

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterable


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


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output, with what a terminal obeys or hides written out."""
    write_out(safe("".join(f"{line}\n" for line in lines)).encode("utf-8", "replace"))


def write_json(value: object, *, ascii_only: bool = False) -> None:
    """Write ``value`` to standard output as indented JSON, escaping what a terminal obeys."""
    from json import dumps

    text = safe(dumps(value, ensure_ascii=ascii_only, indent=1), json=True)
    write_out(f"{text}\n".encode("utf-8", "replace"))


def silence(descriptor: int = 1) -> None:
    """Point standard output, or error, nowhere: the interpreter's last flush must not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def write_err(data: bytes) -> None:
    """Write ``data`` to standard error; a closed one is not worth failing for."""
    try:
        sys.stderr.flush()
        sys.stderr.buffer.write(data)
        sys.stderr.buffer.flush()
    except OSError:
        silence(2)
    except AttributeError:
        return


def complain(text: str, details: tuple[str, ...] = ()) -> None:
    """Write one line to standard error, under the program's name, and a line for each detail."""
    lines = (
        f"ctx: {' '.join(text.split())}",
        *(f"  {' '.join(detail.splitlines())}" for detail in details),
    )
    write_err(safe("".join(f"{line}\n" for line in lines)).encode())


def prompt(text: str) -> None:
    """Write to standard error for who is asked: others wrote it, so nothing in it is obeyed."""
    write_err(safe(text).encode("utf-8", "backslashreplace"))


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


def safe(text: str, *, json: bool = False) -> str:
    """Return ``text`` with what a terminal obeys or hides written out, or escaped in ``json``."""
    from ctx.text.visible import visible, visible_json  # patterns: not for a packet from the cache

    return visible_json(text) if json else visible(text)


def answers() -> bool:
    """Return whether somebody can be asked: who types, and sees what is asked."""
    streams = (sys.stdin, sys.stderr)
    return all(stream is not None and stream.isatty() for stream in streams)


def counted(count: int, noun: str) -> str:
    """Return a number and its noun, in the plural if need be: ``1 entry``, ``2,000 entries``."""
    many = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"

"""What stands behind a scheme's name in the setting ``summariser``: addresses and commands.

No message quotes either: people put keys into them, and messages end up in logs.
"""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from ctx.errors import UsageError
from ctx.llm import server as net
from ctx.llm.deadline import Client
from ctx.model import SummaryError

if TYPE_CHECKING:
    from collections.abc import Mapping

CLIENT = Client(
    setting="summariser",
    seconds="summary_seconds",
    key="CTX_SUMMARISER_KEY",
    endpoint="/chat/completions",
    purpose="chat",
    example="llama3.2",
    error=SummaryError,
)
"""How writers ask."""

_FORM = "write command:PROGRAM ARGUMENTS, such as command:llm -m llama3.2"


def address(argument: str) -> net.Address:
    """Return the model and address in ``MODEL@URL``; UsageError where it cannot be meant."""
    return net.address(argument, CLIENT)


def key(place: net.Address, environ: Mapping[str, str]) -> str:
    """Return the key for an address, empty where there is none; SummaryError for a bad one."""
    return net.key(place, environ, CLIENT)


def words(argument: str, environ: Mapping[str, str] | None = None) -> list[str]:
    """Return program and arguments in ``command:PROGRAM ARGUMENTS``, split as a shell does.

    No shell is asked: variables, patterns and pipes mean nothing. ``~/`` before the program is
    resolved where ``environ`` is given. Raises UsageError for a command that cannot be, and for
    a relative path: a repository from elsewhere must not bring the program that is run in it.
    """
    if not argument.isprintable():
        raise UsageError("summariser: the command holds characters that cannot be printed", _FORM)
    try:
        found = split(argument, windows=os.name == "nt")
    except ValueError:
        raise UsageError("summariser: the command lacks the end of a quote", _FORM) from None
    program, *arguments = found or [""]
    if not program:
        raise UsageError("summariser: the command names no program", _FORM)
    if program.startswith("~/"):
        program = _at_home(program[2:], environ)
    if os.path.dirname(program) and not os.path.isabs(program):
        raise UsageError(
            "summariser: the path of the program is relative",
            "write the whole path, or the name of a program that is installed",
        )
    return [program, *arguments]


def split(argument: str, *, windows: bool) -> list[str]:
    r"""Return the words of a command; ValueError for a quote that is not closed.

    On Windows ``\`` stands between folders and does not quote.
    """
    import shlex

    reader = shlex.shlex(argument, posix=True)
    reader.whitespace_split = True
    reader.commenters = ""
    if windows:
        reader.escape = ""
    return list(reader)


def _at_home(path: str, environ: Mapping[str, str] | None) -> str:
    if environ is None:
        return os.path.join(os.path.abspath(os.sep), path)
    return os.path.join(environ.get("HOME") or environ.get("USERPROFILE") or "", path)

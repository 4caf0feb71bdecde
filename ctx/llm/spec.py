"""What the settings ``embedder`` and ``summariser`` may hold behind the name of a scheme.

No message quotes an address or a command: people put passwords and keys into them, and messages
end up in logs.
"""

from __future__ import annotations

import os
import re
import shlex
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ctx.errors import UsageError, install
from ctx.llm.server import Client
from ctx.model import EmbeddingError, SummaryError

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP = "ctx.embedders"
"""The group of entry points by which other packages add embedders."""
EMBEDDING = Client(
    setting="embedder",
    seconds="embed_seconds",
    key="CTX_EMBEDDER_KEY",
    endpoint="/embeddings",
    purpose="embeddings",
    example="nomic-embed-text",
    error=EmbeddingError,
)
SUMMARY = Client(
    setting="summariser",
    seconds="summary_seconds",
    key="CTX_SUMMARISER_KEY",
    endpoint="/chat/completions",
    purpose="chat",
    example="llama3.2",
    error=SummaryError,
)

_NAME = re.compile(r"[a-zA-Z][\w.-]{0,63}", re.ASCII)
_COMMAND = "write command:PROGRAM ARGUMENTS, such as command:llm -m llama3.2"


def is_name(text: str) -> bool:
    """Return whether ``text`` could be the name of a scheme or of an entry point."""
    return _NAME.fullmatch(text) is not None


def directory(argument: str, environ: Mapping[str, str] | None = None) -> str:
    """Return the path in ``local:PATH``, with ``~/`` resolved where ``environ`` is given.

    Raises UsageError for a relative path: it would mean another place in every folder.
    """
    path = _from_home(argument, environ)
    if not os.path.isabs(path) or not argument.isprintable():
        raise UsageError(
            "embedder: 'local:' needs the whole path of a directory",
            "write local:/home/me/models/all-MiniLM-L6-v2 or local:~/models/…",
        )
    return os.path.normpath(path)


def words(argument: str, environ: Mapping[str, str] | None = None) -> list[str]:
    """Return program and arguments in ``command:PROGRAM ARGUMENTS``, split as a shell does.

    No shell is asked: variables, patterns and pipes mean nothing. ``~/`` before the program is
    resolved where ``environ`` is given. Raises UsageError for a command that cannot be, and for
    a relative path: a repository from elsewhere must not bring the program that is run in it.
    """
    if not argument.isprintable():
        message = "summariser: the command holds characters that cannot be printed"
        raise UsageError(message, _COMMAND)
    try:
        found = split(argument, windows=os.name == "nt")
    except ValueError:
        raise UsageError("summariser: the command lacks the end of a quote", _COMMAND) from None
    program, *arguments = found or [""]
    if not program:
        raise UsageError("summariser: the command names no program", _COMMAND)
    program = _from_home(program, environ)
    if os.path.dirname(program) and not os.path.isabs(program):
        raise UsageError(
            "summariser: the path of the program is relative",
            "write the whole path, or the name of a program that is installed",
        )
    return [program, *arguments]


def split(argument: str, *, windows: bool) -> list[str]:
    r"""Return the words of a command; ValueError for a quote that is not closed.

    On Windows ``\`` separates folders and does not quote.
    """
    reader = shlex.shlex(argument, posix=True)
    reader.whitespace_split = True
    reader.commenters = ""
    if windows:
        reader.escape = ""
    return list(reader)


def _from_home(path: str, environ: Mapping[str, str] | None) -> str:
    """Return ``path`` with ``~/`` resolved; below the root where no ``environ`` is given."""
    if not path.startswith("~/"):
        return path
    if environ is None:
        return os.path.join(os.path.abspath(os.sep), path[2:])
    return os.path.join(environ.get("HOME") or environ.get("USERPROFILE") or "", path[2:])


def loader(package: str, name: str, extra: str, client: Client) -> Any:  # noqa: ANN401 - of its room
    """Return the function ``load`` of the module ``ctx.llm.package.name``.

    Raises the client's error where a library is missing, which the ``extra`` brings.
    """
    try:
        return import_module(f"ctx.llm.{package}.{name}").load
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "ctx":
            raise
        raise client.error(
            f"{client.setting} {name}: {error.name or 'a library'} is not installed, or broken:"
            f" {install(extra)}"
        ) from error

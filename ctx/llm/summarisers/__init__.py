"""Writers of summaries: one scheme a file, one protocol, a registry.

Nothing heavy is imported here, nor by ``check``: settings are read at every start.
"""

# No `from __future__ import annotations`: NamedTuple compiles every annotation that is text.

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import UsageError, install
from ctx.llm.summarisers import spec as said
from ctx.model import SummaryError

if TYPE_CHECKING:
    from ctx.model import Writer

__all__ = ["EXTRACTIVE", "SCHEMES", "Scheme", "check", "writer"]

EXTRACTIVE = "extractive"
"""The setting that asks for no writer: summaries are made of sentences that were said."""


class Scheme(NamedTuple):
    """One kind of writer."""

    form: str
    """How the setting is written."""
    extra: str
    """The extra of ctx-packet that brings the libraries it needs; empty where it needs none."""
    check: Callable[[str], object]
    """Raises UsageError for an argument that cannot be."""


SCHEMES = {
    "command": Scheme("command:PROGRAM ARGUMENTS", "", said.words),
    "openai": Scheme("openai:MODEL@URL", "http", said.address),
}
"""The registry: a scheme is a module of this package that has a function ``load``, which takes
``(argument, environ, seconds)``."""


def check(spec: str) -> None:
    """Raise UsageError where the setting ``summariser`` cannot be meant so.

    Looks at no file, no network and no installed program. The message never holds what stands
    behind the scheme's name, where a password might be.
    """
    name, colon, argument = spec.partition(":")
    if name == EXTRACTIVE and not colon:
        return
    scheme = SCHEMES.get(name)
    if scheme is None:
        forms = ", ".join([EXTRACTIVE, *(one.form for one in SCHEMES.values())])
        raise UsageError("summariser: this names no summariser", f"one of {forms}")
    scheme.check(argument)


def writer(spec: str, environ: Mapping[str, str], seconds: float) -> "Writer | None":
    """Return the writer of the setting ``spec``, None for ``extractive``.

    ``environ`` is looked at for a key and the home directory, and a command is given all of
    it. ``seconds``, over 0, is the most that one call of ``ask`` may take. Raises UsageError
    for a setting that is malformed or names nothing, SummaryError where a library is missing
    or a key cannot be one.
    """
    check(spec)
    name, _, argument = spec.partition(":")
    if name == EXTRACTIVE:
        return None
    from importlib import import_module  # only the backend that is asked for

    try:
        load = import_module(f"ctx.llm.summarisers.{name}").load
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "ctx":
            raise
        raise SummaryError(
            f"summariser {name}: {error.name or 'a library'} is not installed, or broken:"
            f" {install(SCHEMES[name].extra)}"
        ) from error
    made: Writer = load(argument, environ, seconds)
    return made

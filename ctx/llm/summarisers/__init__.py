"""Writers of summaries: one scheme a file, one protocol, a registry.

Nothing heavy is imported here, nor by ``check``: settings are read at every start.
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import UsageError
from ctx.llm.server import address
from ctx.llm.spec import SUMMARY, loader, words

if TYPE_CHECKING:
    from ctx.model import Writer

EXTRACTIVE = "extractive"
"""The setting that asks for no writer: summaries are made of sentences of the turns."""


class Scheme(NamedTuple):
    """One kind of writer."""

    form: str
    """How the setting is written."""
    extra: str
    """The extra of ctx-packet that brings the libraries it needs; empty where it needs none."""
    check: Callable[[str], object]
    """Raises UsageError for an argument that cannot be."""


SCHEMES = {
    "command": Scheme("command:PROGRAM ARGUMENTS", "", words),
    "openai": Scheme("openai:MODEL@URL", "http", partial(address, client=SUMMARY)),
}
"""The registry: a scheme is a module of this package that has a function ``load``, which takes
``(argument, environ, seconds)``."""


def check(spec: str) -> None:
    """Raise UsageError for a value that the setting ``summariser`` cannot have.

    Looks at no file, no network and no installed program. The message never holds what follows
    the name of the scheme, where a password might be.
    """
    name, colon, argument = spec.partition(":")
    if name == EXTRACTIVE and not colon:
        return
    scheme = SCHEMES.get(name)
    if scheme is None:
        forms = ", ".join([EXTRACTIVE, *(scheme.form for scheme in SCHEMES.values())])
        raise UsageError("summariser: this names no summariser", f"one of {forms}")
    scheme.check(argument)


def writer(spec: str, environ: Mapping[str, str], seconds: float) -> "Writer | None":
    """Return the writer of the setting ``spec``, None for ``extractive``.

    Of ``environ`` only a key and the home directory are used; a command gets all of it.
    ``seconds``, over 0, is the most that one call of ``ask`` may take. Raises UsageError for a
    setting that is malformed or names nothing, SummaryError where a library is missing or a key
    cannot be one.
    """
    check(spec)
    name, _, argument = spec.partition(":")
    if name == EXTRACTIVE:
        return None
    load = loader("summarisers", name, SCHEMES[name].extra, SUMMARY)
    made: Writer = load(argument, environ, seconds)
    return made

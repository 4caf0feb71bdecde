"""Embedding backends: one scheme a file, one protocol, a registry.

Nothing heavy is imported here, nor by ``check``: settings are read at every start.
"""

# No `from __future__ import annotations`: NamedTuple compiles every annotation that is text.

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import UsageError, install
from ctx.llm.embedders import spec as said
from ctx.model import EmbeddingError

if TYPE_CHECKING:
    from ctx.model import Embedder

__all__ = ["NONE", "SCHEMES", "Scheme", "check", "embedder", "schemes"]

NONE = "none"
"""The setting that asks for no embedder."""


class Scheme(NamedTuple):
    """One kind of embedder that comes with ctx."""

    form: str
    """How the setting is written."""
    extra: str
    """The extra of ctx-packet that brings the libraries it needs."""
    check: Callable[[str], object] | None
    """Raises UsageError for an argument that cannot be; None where the scheme takes none."""

    @property
    def takes_argument(self) -> bool:
        """Whether ``:ARGUMENT`` follows the name."""
        return self.check is not None


SCHEMES = {
    "static": Scheme("static", "embed", None),
    "openai": Scheme("openai:MODEL@URL", "http", said.address),
    "local": Scheme("local:PATH", "local", said.directory),
}
"""The registry: a scheme is a module of this package that has a function ``load``, which takes
``(argument, environ, seconds)``, or nothing where the scheme has no argument."""


def check(spec: str) -> None:
    """Raise UsageError where the setting ``embedder`` cannot be meant so.

    Looks at no file, no network and no installed package: whether there is an embedder of
    another package by that name, ``embedder`` finds out. The message never holds what stands
    behind the scheme's name, where a password might be.
    """
    name, colon, argument = spec.partition(":")
    if name == NONE and not colon:
        return
    scheme = SCHEMES.get(name)
    if scheme is None:
        if name == NONE or not said.is_name(name):
            raise UsageError("embedder: this names no embedder", _remedy())
    elif scheme.check is None:
        if colon:
            raise UsageError(f"embedder: {name!r} takes no argument", _remedy())
    else:
        scheme.check(argument)


def embedder(spec: str, environ: Mapping[str, str], seconds: float) -> "Embedder | None":
    """Return the embedder of the setting ``spec``, None for ``none``.

    ``environ`` is looked at for a key and the home directory only. ``seconds``, over 0, is the
    most that one call of ``embed`` may take in all. Raises UsageError for a setting that is
    malformed or names nothing, EmbeddingError where a library or a model is missing or broken.
    """
    check(spec)
    name, _, argument = spec.partition(":")
    if name == NONE:
        return None
    if name in SCHEMES:
        return _own(name, argument, environ, seconds)
    from ctx.llm.embedders import plugins  # importlib.metadata costs two starts

    found = plugins.find(name)
    if found is None:
        raise UsageError(f"embedder: there is no embedder {name!r}", _remedy(schemes()))
    return plugins.load(found, argument, seconds)


def schemes() -> tuple[str, ...]:
    """Return how each embedder that exists here is written, those of other packages last."""
    from ctx.llm.embedders import plugins

    return (*_forms(), *(f"{name}[:ARGUMENT]" for name in plugins.names()))


def _own(name: str, argument: str, environ: Mapping[str, str], seconds: float) -> "Embedder":
    from importlib import import_module  # only the backend that is asked for

    scheme = SCHEMES[name]
    try:
        load = import_module(f"ctx.llm.embedders.{name}").load
        made: Embedder = load(argument, environ, seconds) if scheme.takes_argument else load()
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "ctx":
            raise
        raise EmbeddingError(
            f"embedder {name}: {error.name or 'a library'} is not installed, or broken:"
            f" {install(scheme.extra)}"
        ) from error
    return made


def _forms() -> tuple[str, ...]:
    return (NONE, *(scheme.form for scheme in SCHEMES.values()))


def _remedy(forms: tuple[str, ...] = ()) -> str:
    return "one of " + ", ".join(forms or _forms())

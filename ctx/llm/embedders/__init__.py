"""Embedding backends: one scheme a file, one protocol, a registry.

Nothing heavy is imported here, nor by ``check``: settings are read at every start.
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import UsageError
from ctx.llm.server import address
from ctx.llm.spec import EMBEDDING, directory, is_name, loader

if TYPE_CHECKING:
    from ctx.model import Embedder

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
    "openai": Scheme("openai:MODEL@URL", "http", partial(address, client=EMBEDDING)),
    "local": Scheme("local:PATH", "local", directory),
}
"""The registry: a scheme is a module of this package that has a function ``load``, which takes
``(argument, environ, seconds)``, or nothing where the scheme has no argument."""
_FORMS = (NONE, *(scheme.form for scheme in SCHEMES.values()))


def check(spec: str) -> None:
    """Raise UsageError for a value that the setting ``embedder`` cannot have.

    Looks at no file, no network and no installed package: ``embedder`` looks for an embedder of
    another package by that name. The message never holds what follows the name of the scheme,
    where a password might be.
    """
    name, colon, argument = spec.partition(":")
    if name == NONE and not colon:
        return
    scheme = SCHEMES.get(name)
    if scheme is None:
        if name == NONE or not is_name(name):
            raise UsageError("embedder: this names no embedder", _one_of(_FORMS))
    elif scheme.check is None:
        if colon:
            raise UsageError(f"embedder: {name!r} takes no argument", _one_of(_FORMS))
    else:
        scheme.check(argument)


def embedder(spec: str, environ: Mapping[str, str], seconds: float) -> "Embedder | None":
    """Return the embedder of the setting ``spec``, None for ``none``.

    Of ``environ`` only a key and the home directory are used. ``seconds``, over 0, is the most
    that one call of ``embed`` may take in all. Raises UsageError for a setting that is malformed
    or names nothing, EmbeddingError where a library or a model is missing or broken.
    """
    check(spec)
    name, _, argument = spec.partition(":")
    if name == NONE:
        return None
    if name in SCHEMES:
        scheme = SCHEMES[name]
        load = loader("embedders", name, scheme.extra, EMBEDDING)
        made: Embedder = load(argument, environ, seconds) if scheme.takes_argument else load()
        return made
    from ctx.llm.embedders import plugins  # importlib.metadata costs two starts

    entry = plugins.find(name)
    if entry is None:
        raise UsageError(f"embedder: there is no embedder {name!r}", _one_of(schemes()))
    return plugins.load(entry, argument, seconds)


def schemes() -> tuple[str, ...]:
    """Return how each embedder that exists here is written, those of other packages last."""
    from ctx.llm.embedders import plugins  # as above

    return (*_FORMS, *(f"{name}[:ARGUMENT]" for name in plugins.names()))


def _one_of(forms: tuple[str, ...]) -> str:
    return "one of " + ", ".join(forms)

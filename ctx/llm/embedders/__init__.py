"""Embedding backends: one scheme a file, one protocol, a registry; nothing heavy is imported."""

from collections.abc import Mapping
from functools import partial

from ctx.errors import UsageError
from ctx.llm.spec import EMBEDDING, Registry, Scheme, address, directory, one_of
from ctx.model import Embedder

NONE = "none"  # the setting that asks for no embedder
REGISTRY = Registry[Embedder](
    EMBEDDING,
    __name__,
    NONE,
    {
        "static": Scheme("static", "embed", None),
        "openai": Scheme("openai:MODEL@URL", "http", partial(address, client=EMBEDDING)),
        "local": Scheme("local:PATH", "local", directory),
    },
    others=True,
)
SCHEMES = REGISTRY.schemes
check = REGISTRY.check


def embedder(spec: str, environ: Mapping[str, str], seconds: float) -> "Embedder | None":
    """Return the embedder of the setting ``spec``, None for ``none``.

    ``seconds``, over 0, limit one call of ``embed``. Raises UsageError for a setting that is
    malformed or names nothing, EmbeddingError for a missing library or a broken model.
    """
    name, _, argument = spec.partition(":")
    if name in (NONE, *SCHEMES):
        return REGISTRY.load(spec, environ, seconds)
    check(spec)
    from ctx.llm.embedders import plugins  # importlib.metadata costs two starts

    if (entry := plugins.find(name)) is None:
        raise UsageError(f"embedder: there is no embedder {name!r}", one_of(schemes()))
    return plugins.load(entry, argument, seconds)


def schemes() -> tuple[str, ...]:
    """Return how each embedder that exists here is written, those of other packages last."""
    from ctx.llm.embedders import plugins  # as above

    return (*REGISTRY.forms, *(f"{name}[:ARGUMENT]" for name in plugins.names()))

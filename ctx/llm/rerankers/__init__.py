"""Rerankers: one scheme a file, one protocol, a registry; nothing heavy is imported."""

from collections.abc import Mapping
from functools import partial

from ctx.llm.spec import RERANKING, Registry, Scheme, directory
from ctx.model import Reranker

NONE = "none"  # the setting that asks for no reranker
REGISTRY = Registry(
    RERANKING,
    __name__,
    NONE,
    {"local": Scheme("local:PATH", "local", partial(directory, setting=RERANKING.setting))},
)


def reranker(spec: str, environ: Mapping[str, str], seconds: float) -> "Reranker | None":
    """Return the reranker of the setting ``spec``, None for ``none``.

    ``seconds``, over 0, limit one call of ``scores``. Raises UsageError for a wrong setting,
    RerankError where a library or a model is missing or broken.
    """
    made: Reranker | None = REGISTRY.load(spec, environ, seconds)
    return made

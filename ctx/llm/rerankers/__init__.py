"""Rerankers: one scheme a file, one protocol, a registry; nothing heavy is imported."""

from functools import partial

from ctx.llm.spec import RERANKING, Registry, Scheme, directory
from ctx.model import Reranker

NONE = "none"  # the setting that asks for no reranker
REGISTRY = Registry[Reranker](
    RERANKING,
    __name__,
    NONE,
    {"local": Scheme("local:PATH", "local", partial(directory, setting=RERANKING.setting))},
)
reranker = REGISTRY.load
"""Returns the reranker of a setting, None for ``none``. Raises UsageError for a wrong setting,
RerankError where a library or a model is missing or broken."""

"""Models whose first components are a coarser vector (Matryoshka representation learning).

Of a model that is not trained so, the first components say little: a cascade over them would
lose results. So a model is taken for nested only when its authors say that it is.
"""

from __future__ import annotations

import re

_NESTED = (
    r"text-embedding-3-(small|large)",  # OpenAI: the parameter `dimensions` cuts and rescales
    r"gemini-embedding",  # Google: `output_dimensionality`, likewise
    r"embeddinggemma",  # model card: trained for 768, 512, 256, 128
    r"nomic-embed-text(-v1\.5|-v2|:v1\.5|:latest|:137m|$)",  # v1.5 and v2, which Ollama calls so
    r"mxbai-embed-(large|xsmall|2d)",  # model cards: "Matryoshka and binary quantization"
    r"snowflake-arctic-embed(2|-m-v1\.5|-[ml]-v2)",  # model cards: 256 components suffice
    r"qwen3-embedding",  # model card: "MRL support: yes"
    r"jina-embeddings-v[345]",  # model cards: matryoshka_dimensions
)
_ANY = re.compile("|".join(_NESTED))


def is_nested(model: str) -> bool:
    """Return whether the authors of ``model`` trained it so; names may carry owner and tag."""
    return _ANY.search(model.lower()) is not None

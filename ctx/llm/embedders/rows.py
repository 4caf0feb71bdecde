"""Rows of vectors as servers and models return them, checked and normalised."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ctx.model import EmbeddingError
from ctx.text import encodable

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
TOLERANCE = 1e-2  # by how much a unit vector's length may differ: half precision, by 1e-3


def is_nested(model: str) -> bool:
    """Whether a model, by its name, has vectors whose beginnings are vectors."""
    return _ANY.search(model.lower()) is not None


def beside_blanks(
    texts: Sequence[str], dim: int, work: Callable[[list[str]], npt.NDArray[np.float32]]
) -> npt.NDArray[np.float32]:
    """Return a row for each text: zeros for a blank one, ``dim`` of them if all are blank."""
    places = [place for place, text in enumerate(texts) if text.strip()]
    if not places:
        return np.zeros((len(texts), dim), np.float32)
    found = work([encodable(texts[place]) for place in places])
    matrix = np.zeros((len(texts), found.shape[1]), np.float32)
    matrix[places] = found
    return matrix


def numbers(values: object, count: int, dim: int, who: str) -> npt.NDArray[np.float64]:
    """Return ``values`` as [count, dim] finite numbers; a ``dim`` of 0 allows any.

    Raises EmbeddingError, which names the embedder ``who``.
    """
    try:
        found = np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        raise EmbeddingError(f"{who}: returned vectors of different lengths") from None
    if found.dtype.kind not in "fiu":
        raise EmbeddingError(
            f"{who}: returned something other than vectors of numbers, or of one length"
        )
    if found.ndim != 2 or found.shape[0] != count or not found.shape[1]:  # noqa: PLR2004 - a matrix
        shape = " x ".join(map(str, found.shape)) or "single"
        raise EmbeddingError(f"{who}: returned {shape} numbers for {count} texts")
    if dim and found.shape[1] != dim:
        raise EmbeddingError(
            f"{who}: returned vectors of {found.shape[1]} numbers, and of {dim} before:"
            " another model answers by this name; rebuild the index"
        )
    wide = found.astype(np.float64)
    if not np.isfinite(wide).all():
        raise EmbeddingError(f"{who}: returned numbers that are not finite: the model is broken")
    return wide


def lengths(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the length of each row; infinite where its square is beyond a float."""
    with np.errstate(over="ignore", under="ignore"):
        found: npt.NDArray[np.float64] = np.sqrt(np.square(rows).sum(axis=1))
    return found


def unit(rows: npt.NDArray[np.float64], who: str) -> npt.NDArray[np.float32]:
    """Return rows of unit length, zeros as they are; EmbeddingError for no float, or only zeros."""
    size = lengths(rows)
    if not np.isfinite(size).all():
        raise EmbeddingError(f"{who}: returned numbers beyond all measure: the model is broken")
    if len(size) > 1 and not size.any():
        raise EmbeddingError(f"{who}: returned nothing but zeros: the model is broken")
    scaled = np.divide(rows, size[:, None], out=np.zeros_like(rows), where=size[:, None] > 0)
    return scaled.astype(np.float32)

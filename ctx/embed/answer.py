"""The vectors in the answer of an OpenAI-compatible server.

No message quotes an answer: servers repeat the texts they were sent, and some the key.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING

import numpy as np

from ctx.embed.spec import CLIENT
from ctx.model import EmbeddingError
from ctx.net.answer import parsed

if TYPE_CHECKING:
    import numpy.typing as npt

    from ctx.net.http import Answer


def vectors(answer: Answer, count: int, who: str) -> list[object]:
    """Return the vectors of ``count`` texts in the order of the texts, unchecked.

    Raises EmbeddingError where the answer is no answer, or half of one.
    """
    items = _items(answer, who)
    if len(items) != count:
        raise EmbeddingError(f"{who}: answered {len(items)} of {count} texts")
    ordered: dict[int, object] = {}
    for item in items:
        said = item if isinstance(item, dict) else {}
        index = said.get("index")
        # bool is an int to Python.
        if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < count:
            ordered[index] = _vector(said.get("embedding"), who)
    if len(ordered) != count:
        raise EmbeddingError(f"{who}: the answer does not say which vector is of which text")
    return [ordered[index] for index in range(count)]


def _items(answer: Answer, who: str) -> list[object]:
    said = parsed(answer, who, CLIENT)
    items = said.get("data") if isinstance(said, dict) else None
    if not isinstance(items, list):
        raise EmbeddingError(
            f"{who}: the answer holds no vectors: is this an address for embeddings?"
        )
    return items


def _vector(value: object, who: str) -> object:
    """Return the numbers of one vector: as they are, or unpacked from base64."""
    if not isinstance(value, str):
        return value
    return _unpacked(value, who)


def _unpacked(value: str, who: str) -> npt.NDArray[np.float32]:
    """Return what the ``encoding_format`` base64 holds: float32, little end first."""
    try:
        return np.frombuffer(binascii.a2b_base64(value, strict_mode=True), dtype="<f4")
    except ValueError:
        raise EmbeddingError(f"{who}: returned something other than vectors") from None

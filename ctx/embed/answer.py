"""What an OpenAI-compatible server's answers mean.

No message quotes an answer: servers repeat the texts they were sent, and some the key.
"""

from __future__ import annotations

import binascii
import json
import re
from http import HTTPStatus
from typing import TYPE_CHECKING

import numpy as np

from ctx.model import EmbeddingError

if TYPE_CHECKING:
    import numpy.typing as npt

    from ctx.embed.http import Answer
    from ctx.embed.spec import Address

_SIZE = re.compile(
    rb"too (large|long|many|big)|exceed|context (length|size|window)|batch size"
    rb"|maximum (allowed|batch|context|input|length|number)|(larger|less|longer|more) than",
    re.IGNORECASE,
)
_OF_TEXT = re.compile(rb"token|context|physical batch", re.IGNORECASE)
_SPENT = re.compile(rb"insufficient_quota|billing", re.IGNORECASE)
_LOOKED_AT = 2000
"""Bytes of a refusal that are searched: it says what is wrong before it repeats the input."""

_SIZE_STATUS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
_AGAIN = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)


def is_size(answer: Answer) -> bool:
    """Return whether the request was refused for its size: too many texts, or too long ones.

    Servers agree on no status: OpenAI says 400, TEI 413 or 422, llama.cpp 500.
    """
    if answer.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return True
    server = answer.status == HTTPStatus.INTERNAL_SERVER_ERROR
    if not server and answer.status not in _SIZE_STATUS:
        return False
    return _SIZE.search(answer.body, 0, _LOOKED_AT) is not None


def is_of_text(answer: Answer) -> bool:
    """Return whether a refusal for size speaks of a text's length, not of how many there are."""
    return _OF_TEXT.search(answer.body, 0, _LOOKED_AT) is not None


def is_passing(answer: Answer) -> bool:
    """Return whether the same request might be answered a moment later."""
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS and _SPENT.search(answer.body, 0, _LOOKED_AT):
        return False
    unable = answer.status in {HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.HTTP_VERSION_NOT_SUPPORTED}
    return answer.status in _AGAIN or (answer.status >= 500 and not unable)  # noqa: PLR2004


def refusal(answer: Answer, place: Address, *, has_key: bool) -> str:
    """Return what is wrong and what to try, for a status that is not 200."""
    status = answer.status
    if 300 <= status < 400:  # noqa: PLR2004 - redirects
        return f"redirects elsewhere ({status}), which is not followed: name the final address"
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            why = "does not take the key" if has_key else "wants a key"
            return f"{why} ({status}): set the variable CTX_EMBEDDER_KEY"
        case HTTPStatus.NOT_FOUND | HTTPStatus.METHOD_NOT_ALLOWED:
            return (
                f"has no such model or path ({status}): check both;"
                f" a model of Ollama is fetched by 'ollama pull {place.model}'"
            )
        case HTTPStatus.TOO_MANY_REQUESTS:
            return f"takes no more requests ({status}): the quota is used up, or try later"
        case _ if status >= 500:  # noqa: PLR2004
            return f"fails ({status}): its own log says why"
        case _:
            return f"refuses the request ({status}): is {place.model} a model for embeddings?"


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
    if "html" in answer.kind or answer.body.lstrip()[:1] == b"<":
        raise EmbeddingError(
            f"{who}: answered with a web page: is the address that of the interface (…/v1)?"
        )
    try:
        said = json.loads(answer.body)
    except (ValueError, RecursionError):
        # Not from the error: it holds the answer.
        raise EmbeddingError(f"{who}: the answer is not whole, or no JSON: try again") from None
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

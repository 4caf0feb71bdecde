"""What the answers of a server mean that speaks OpenAI's protocol."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import re
from http import HTTPStatus
from typing import NamedTuple

from ctx.llm.spec import Address, Client


class Answer(NamedTuple):
    """The answer of a server."""

    status: int
    kind: str
    """The media type, in lower case; empty where there is none."""
    retry_after: float | None
    """Seconds after which to ask again; None where the server gives no number of them."""
    body: bytes


_SIZE = re.compile(
    rb"too (large|long|many|big)|exceed|context (length|size|window)|batch size"
    rb"|maximum (allowed|batch|context|input|length|number)|(larger|less|longer|more) than",
    re.IGNORECASE,
)
_OF_TEXT = re.compile(rb"token|context|physical batch", re.IGNORECASE)
_SPENT = re.compile(rb"insufficient_quota|billing", re.IGNORECASE)
LOOKED_AT = 2000
"""Bytes of a refusal that are searched: the reason comes before any part of the input."""

INVALID = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
"""Statuses for a request that the server does not understand, or not in this size."""
_AGAIN = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)


def is_size(answer: Answer) -> bool:
    """Return whether the request was refused for its size: too many texts, or too long ones.

    Servers agree on no status: OpenAI says 400, TEI 413 or 422, llama.cpp 500.
    """
    if answer.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return True
    server = answer.status == HTTPStatus.INTERNAL_SERVER_ERROR
    if not server and answer.status not in INVALID:
        return False
    return _SIZE.search(answer.body, 0, LOOKED_AT) is not None


def is_of_text(answer: Answer) -> bool:
    """Return whether a refusal for size names a text's length, not the number of texts."""
    return _OF_TEXT.search(answer.body, 0, LOOKED_AT) is not None


def is_passing(answer: Answer) -> bool:
    """Return whether the same request might be answered a moment later."""
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS and _SPENT.search(answer.body, 0, LOOKED_AT):
        return False
    unable = answer.status in {HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.HTTP_VERSION_NOT_SUPPORTED}
    return answer.status in _AGAIN or (answer.status >= 500 and not unable)  # noqa: PLR2004


def refusal(answer: Answer, target: Address, client: Client, *, has_key: bool) -> str:
    """Return what is wrong and what to try, for a status that is not 200."""
    status = answer.status
    if 300 <= status < 400:  # noqa: PLR2004 - redirects
        return f"redirects elsewhere ({status}), which is not followed: name the final address"
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            why = "does not take the key" if has_key else "wants a key"
            return f"{why} ({status}): set the variable {client.key}"
        case HTTPStatus.NOT_FOUND | HTTPStatus.METHOD_NOT_ALLOWED:
            return (
                f"has no such model or path ({status}): check both;"
                f" a model of Ollama is fetched by 'ollama pull {target.model}'"
            )
        case HTTPStatus.TOO_MANY_REQUESTS:
            return f"takes no more requests ({status}): the quota is used up, or try later"
        case _ if status >= 500:  # noqa: PLR2004
            return f"fails ({status}): its own log says why"
        case _:
            return (
                f"refuses the request ({status}): is {target.model} a model for {client.purpose}?"
            )

"""What answers mean: why a server refuses, and which part of a model's text is its draft."""

import re
from http import HTTPStatus
from typing import NamedTuple

from ctx.llm.spec import Address, Client
from ctx.model import Draft, SummaryError

MAX_BYTES = 1 << 20  # longest text of a model, a thousand times what a summary may be
CLOSING = "</think>"
_OPENING = "<think>"
_SIZE = re.compile(
    rb"too (large|long|many|big)|exceed|context (length|size|window)|batch size"
    rb"|maximum (allowed|batch|context|input|length|number)|(larger|less|longer|more) than",
    re.IGNORECASE,
)
_OF_TEXT = re.compile(rb"token|context|physical batch", re.IGNORECASE)
_SPENT = re.compile(rb"insufficient_quota|billing", re.IGNORECASE)
LOOKED_AT = 2000  # bytes of a refusal that are searched: the reason is at the beginning

INVALID = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)  # what a server does not take
_AGAIN = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)


class Answer(NamedTuple):
    """The answer of a server."""

    status: int
    kind: str  # the media type, in lower case; empty where there is none
    retry_after: float | None  # seconds after which to ask again, if the server names them
    body: bytes


def is_size(answer: Answer) -> bool:
    """Whether a request was too large: OpenAI says 400, TEI 413 or 422, llama.cpp 500."""
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
            return f"fails ({status}): its own log has the reason"
        case _:
            return (
                f"refuses the request ({status}): is {target.model} a model for {client.purpose}?"
            )


def draft(text: str, who: str, mean_logprob: float | None = None) -> Draft:
    """Return the draft in a model's ``text``; SummaryError, by ``who``, over 1 MB or if empty."""
    whole = text.encode("utf-8", "replace")
    if len(whole) > MAX_BYTES:
        raise too_long(who)
    text = whole.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")
    answer = without_thoughts(text)
    if not answer.strip():
        if text.strip():
            raise SummaryError(
                f"{who}: thought, and did not answer: switch its thinking off, or name another"
                " model"
            )
        raise SummaryError(f"{who}: answered nothing: does this model write texts?")
    return Draft(answer.strip(), mean_logprob)


def too_long(who: str) -> SummaryError:
    """Return the error for an answer over the limit."""
    return SummaryError(
        f"{who}: the answer is over {MAX_BYTES >> 20} MB: is this a model that summarises?"
    )


def without_thoughts(text: str) -> str:
    """Return ``text`` without the thoughts that reasoning models put before their answer.

    They are between ``<think>`` and ``</think>``; without an end, all of the text is thoughts.
    Some templates begin them in the prompt: then all up to a line that ends in ``</think>`` is
    thoughts. Marks elsewhere are part of the answer.
    """
    before, closing, after = text.partition(CLOSING)
    if text.lstrip().startswith(_OPENING):
        return after
    ends_line = not after.partition("\n")[0].strip()
    return after if closing and ends_line and _OPENING not in before else text

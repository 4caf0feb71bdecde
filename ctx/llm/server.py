"""A server that speaks OpenAI's protocol: its address, its key, and the meaning of its refusals."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from ctx.errors import UsageError


class Client(NamedTuple):
    """A part of ctx that asks servers, or does other work that may be late."""

    setting: str
    """The setting that holds the address: ``embedder``."""
    seconds: str
    """The setting that says how long one call may take: ``embed_seconds``."""
    key: str
    """The variable that holds the key for the address in the setting."""
    endpoint: str
    """The path below that of the interface: ``/embeddings``."""
    purpose: str
    """What a model has to be made for: ``embeddings``."""
    example: str
    """The name of such a model."""
    error: type[Exception]
    """What is raised, with one line, for all that goes wrong with a server or a key."""


class Answer(NamedTuple):
    """The answer of a server."""

    status: int
    kind: str
    """The media type, in lower case; empty where there is none."""
    retry_after: float | None
    """Seconds after which to ask again; None where the server gives no number of them."""
    body: bytes


OPENAI_KEY = "OPENAI_API_KEY"
"""A variable that many people have set; its key is sent to ``OPENAI`` and nowhere else."""
OPENAI = "https://api.openai.com"

# The first @ that an address follows: names of models hold @ and : themselves.
_MODEL_AT_URL = re.compile(r"(?P<model>.+?)@(?P<url>https?://.*)", re.IGNORECASE)
_VERSION = re.compile(r"v\d\w*")
"""A segment of a path that says which API this is: ``v1``, ``v1beta``, ``v4``."""
_PORTS = {"http": 80, "https": 443}


class Address(NamedTuple):
    """A model, and where to ask it."""

    model: str
    """Its name on the server."""
    origin: str
    """Scheme, host and port, the usual port left out: ``http://localhost:11434``."""
    path: str
    """Path of the interface, without a slash at its end: ``/v1``; empty for the root."""
    endpoint: str
    """The path below that of the interface: ``/embeddings``."""

    @property
    def url(self) -> str:
        """The address that texts are sent to."""
        return f"{self.origin}{self.path}{self.endpoint}"

    @property
    def name(self) -> str:
        """The setting in its canonical form, which holds no secret."""
        return f"openai:{self.model}@{self.origin}{self.path}"


def address(argument: str, client: Client) -> Address:
    """Return the model and address in ``MODEL@URL``.

    The URL may be that of the server (``http://localhost:11434``), of its interface (``…/v1``)
    or of what ``client`` asks for (``…/v1/embeddings``). Raises UsageError for another form,
    and where the URL carries a user, a password, a query or a fragment.
    """
    who = client.setting
    form = f"write openai:MODEL@URL, such as openai:{client.example}@http://localhost:11434"
    match = _MODEL_AT_URL.fullmatch(argument)
    if match is None or not argument.isprintable() or " " in argument:
        raise UsageError(f"{who}: 'openai:' needs a model and an address", form)
    try:
        parts = urlsplit(match["url"])
        origin = _origin(parts)
    except ValueError:
        raise UsageError(f"{who}: the address after 'openai:' is not a URL", form) from None
    if "@" in parts.netloc:
        raise UsageError(
            f"{who}: the URL holds a user or password",
            f"put the key into the variable {client.key}",
        )
    if "?" in match["url"] or "#" in match["url"]:
        raise UsageError(
            f"{who}: the URL holds a query or fragment",
            f"name the address alone; a key belongs into the variable {client.key}",
        )
    path = _interface(parts.path, client.endpoint)
    return Address(match["model"], origin, path, client.endpoint)


def key(target: Address, environ: Mapping[str, str], client: Client) -> str:
    """Return the key for an address, empty where the environment has none for it.

    Raises the client's error for a key that cannot be part of a header.
    """
    names = (client.key, OPENAI_KEY) if target.origin == OPENAI else (client.key,)
    for name in names:
        found = environ.get(name, "").strip()
        if found and not (found.isascii() and found.isprintable() and " " not in found):
            # http.client would refuse it too, and quote it.
            raise client.error(f"{name} holds characters that no key has: set it again")
        if found:
            return found
    return ""


def _origin(parts: SplitResult) -> str:
    """Return scheme, host and port in lower case; ValueError where there is no host."""
    host, port = parts.hostname, parts.port
    if not host or parts.netloc.endswith(":"):
        raise ValueError
    if ":" in host:  # an address of IPv6
        host = f"[{host}]"
    usual = port is None or port == _PORTS[parts.scheme]
    return f"{parts.scheme}://{host}" if usual else f"{parts.scheme}://{host}:{port}"


def _interface(path: str, endpoint: str) -> str:
    """Return the path below which ``endpoint`` is, given any of the forms people paste."""
    path = path.rstrip("/")
    if path.endswith(endpoint):
        return path.removesuffix(endpoint)
    if any(_VERSION.fullmatch(segment) for segment in path.split("/")):
        return path
    return f"{path}/v1"


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

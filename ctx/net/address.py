"""``MODEL@URL``, as settings hold it, and the key that goes there.

No message quotes an address: people put passwords into them, and messages end up in logs.
"""

# No `from __future__ import annotations`: NamedTuple compiles every annotation that is text.

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import UsageError
from ctx.net.client import Client

if TYPE_CHECKING:
    from urllib.parse import SplitResult

OPENAI_KEY = "OPENAI_API_KEY"
"""The variable that people have anyway; its key goes to ``OPENAI`` and nowhere else."""
OPENAI = "https://api.openai.com"

# The first @ that an address follows: names of models hold @ and : themselves.
_MODEL_AT_URL = re.compile(r"(?P<model>.+?)@(?P<url>https?://.*)", re.IGNORECASE)
_VERSION = re.compile(r"v\d\w*")
"""A segment of a path that says which API this is: ``v1``, ``v1beta``, ``v4``."""
_PORTS = {"http": 80, "https": 443}


class Address(NamedTuple):
    """A model, and where to ask it."""

    model: str
    """As the server knows it."""
    origin: str
    """Scheme, host and port, the usual port left out: ``http://localhost:11434``."""
    path: str
    """Of the interface, without a slash at its end: ``/v1``; empty where it is the root."""
    endpoint: str
    """Below the interface: ``/embeddings``."""

    @property
    def url(self) -> str:
        """Where texts are sent."""
        return f"{self.origin}{self.path}{self.endpoint}"

    @property
    def name(self) -> str:
        """The setting in its canonical form; it holds no secret."""
        return f"openai:{self.model}@{self.origin}{self.path}"


def address(argument: str, client: Client) -> Address:
    """Return the model and address in ``MODEL@URL``.

    The URL may be that of the server (``http://localhost:11434``), of its interface (``…/v1``)
    or of what ``client`` asks for (``…/v1/embeddings``). Raises UsageError for another form,
    and where the URL carries a user, a password, a query or a fragment.
    """
    from urllib.parse import urlsplit

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


def key(place: Address, environ: Mapping[str, str], client: Client) -> str:
    """Return the key for an address, empty where the environment has none for it.

    Raises the client's error for a key that cannot stand in a header.
    """
    names = (client.key, OPENAI_KEY) if place.origin == OPENAI else (client.key,)
    for name in names:
        found = environ.get(name, "").strip()
        if found and not (found.isascii() and found.isprintable() and " " not in found):
            # http.client would refuse it too, and quote it.
            raise client.error(f"{name} holds characters that no key has: set it again")
        if found:
            return found
    return ""


def _origin(parts: "SplitResult") -> str:
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

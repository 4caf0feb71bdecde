"""What stands behind a scheme's name in the setting ``embedder``: addresses and paths.

No message quotes an address: people put passwords into them, and messages end up in logs.
"""

# No `from __future__ import annotations`: NamedTuple compiles every annotation that is text.

import os.path
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import UsageError
from ctx.model import EmbeddingError

if TYPE_CHECKING:
    from urllib.parse import SplitResult

KEY = "CTX_EMBEDDER_KEY"
"""The variable with the key for whichever address the setting names."""
OPENAI_KEY = "OPENAI_API_KEY"
"""The variable that people have anyway; its key goes to ``OPENAI`` and nowhere else."""
OPENAI = "https://api.openai.com"

_FORM = "write openai:MODEL@URL, such as openai:nomic-embed-text@http://localhost:11434"
_NAME = re.compile(r"[a-zA-Z][\w.-]{0,63}", re.ASCII)
# The first @ that an address follows: names of models hold @ and : themselves.
_MODEL_AT_URL = re.compile(r"(?P<model>.+?)@(?P<url>https?://.*)", re.IGNORECASE)
_VERSION = re.compile(r"v\d\w*")
"""A segment of a path that says which API this is: ``v1``, ``v1beta``, ``v4``."""
_PORTS = {"http": 80, "https": 443}


class Address(NamedTuple):
    """A model, and where to ask for its vectors."""

    model: str
    """As the server knows it."""
    origin: str
    """Scheme, host and port, the usual port left out: ``http://localhost:11434``."""
    path: str
    """Of the interface, without a slash at its end: ``/v1``; empty where it is the root."""

    @property
    def url(self) -> str:
        """Where texts are sent."""
        return f"{self.origin}{self.path}/embeddings"

    @property
    def name(self) -> str:
        """The setting in its canonical form; it holds no secret."""
        return f"openai:{self.model}@{self.origin}{self.path}"


def is_name(text: str) -> bool:
    """Return whether ``text`` could be the name of a scheme or of an entry point."""
    return _NAME.fullmatch(text) is not None


def address(argument: str) -> Address:
    """Return the model and address in ``MODEL@URL``.

    The URL may be that of the server (``http://localhost:11434``), of its interface (``…/v1``)
    or of the embeddings (``…/v1/embeddings``). Raises UsageError for another form, and where
    the URL carries a user, a password, a query or a fragment.
    """
    from urllib.parse import urlsplit

    match = _MODEL_AT_URL.fullmatch(argument)
    if match is None or not argument.isprintable() or " " in argument:
        raise UsageError("embedder: 'openai:' needs a model and an address", _FORM)
    try:
        parts = urlsplit(match["url"])
        origin = _origin(parts)
    except ValueError:
        raise UsageError("embedder: the address after 'openai:' is not a URL", _FORM) from None
    if "@" in parts.netloc:
        raise UsageError(
            "embedder: the URL holds a user or password", f"put the key into the variable {KEY}"
        )
    if "?" in match["url"] or "#" in match["url"]:
        raise UsageError(
            "embedder: the URL holds a query or fragment",
            f"name the address alone; a key belongs into the variable {KEY}",
        )
    return Address(match["model"], origin, _interface(parts.path))


def key(place: Address, environ: Mapping[str, str]) -> str:
    """Return the key for an address, empty where the environment has none for it.

    Raises EmbeddingError for a key that cannot stand in a header.
    """
    names = (KEY, OPENAI_KEY) if place.origin == OPENAI else (KEY,)
    for name in names:
        found = environ.get(name, "").strip()
        if found and not (found.isascii() and found.isprintable() and " " not in found):
            # http.client would refuse it too, and quote it.
            raise EmbeddingError(f"{name} holds characters that no key has: set it again")
        if found:
            return found
    return ""


def directory(argument: str, environ: Mapping[str, str] | None = None) -> str:
    """Return the path in ``local:PATH``, with ``~/`` resolved where ``environ`` is given.

    Raises UsageError for a relative path: a setting would mean another place in every folder.
    """
    path = argument
    if argument.startswith("~/") and environ is not None:
        home = environ.get("HOME") or environ.get("USERPROFILE") or ""
        path = os.path.join(home, argument[2:])
    elif argument.startswith("~/"):
        path = os.path.join(os.path.abspath(os.sep), argument[2:])
    if not os.path.isabs(path) or not argument.isprintable():
        raise UsageError(
            "embedder: 'local:' needs the whole path of a directory",
            "write local:/home/me/models/all-MiniLM-L6-v2 or local:~/models/…",
        )
    return os.path.normpath(path)


def _origin(parts: "SplitResult") -> str:
    """Return scheme, host and port in lower case; ValueError where there is no host."""
    host, port = parts.hostname, parts.port
    if not host or parts.netloc.endswith(":"):
        raise ValueError
    if ":" in host:  # an address of IPv6
        host = f"[{host}]"
    usual = port is None or port == _PORTS[parts.scheme]
    return f"{parts.scheme}://{host}" if usual else f"{parts.scheme}://{host}:{port}"


def _interface(path: str) -> str:
    """Return the path below which ``/embeddings`` is, given any of the forms people paste."""
    path = path.rstrip("/")
    if path.endswith("/embeddings"):
        return path.removesuffix("/embeddings")
    if any(_VERSION.fullmatch(segment) for segment in path.split("/")):
        return path
    return f"{path}/v1"

"""What stands behind a scheme's name in the setting ``embedder``: addresses and paths.

No message quotes an address: people put passwords into them, and messages end up in logs.
"""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING

from ctx.errors import UsageError
from ctx.llm import server as net
from ctx.llm.deadline import Client
from ctx.model import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP = "ctx.embedders"
"""The group of entry points by which other packages add embedders."""
CLIENT = Client(
    setting="embedder",
    seconds="embed_seconds",
    key="CTX_EMBEDDER_KEY",
    endpoint="/embeddings",
    purpose="embeddings",
    example="nomic-embed-text",
    error=EmbeddingError,
)
"""How embedders ask."""

_NAME = re.compile(r"[a-zA-Z][\w.-]{0,63}", re.ASCII)


def is_name(text: str) -> bool:
    """Return whether ``text`` could be the name of a scheme or of an entry point."""
    return _NAME.fullmatch(text) is not None


def address(argument: str) -> net.Address:
    """Return the model and address in ``MODEL@URL``; UsageError where it cannot be meant."""
    return net.address(argument, CLIENT)


def key(place: net.Address, environ: Mapping[str, str]) -> str:
    """Return the key for an address, empty where there is none; EmbeddingError for a bad one."""
    return net.key(place, environ, CLIENT)


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

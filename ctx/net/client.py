"""Who asks: what its messages name, and the exception that they come in."""

# No `from __future__ import annotations`: NamedTuple compiles every annotation that is text.

from typing import NamedTuple


class Client(NamedTuple):
    """A part of ctx that asks servers, or does other work that may be late."""

    setting: str
    """The setting that holds the address: ``embedder``."""
    seconds: str
    """The setting that says how long one call may take: ``embed_seconds``."""
    key: str
    """The variable with the key for whichever address the setting names."""
    endpoint: str
    """What is asked for below the path of the interface: ``/embeddings``."""
    purpose: str
    """What a model has to be made for: ``embeddings``."""
    example: str
    """The name of such a model."""
    error: type[Exception]
    """What is raised, with one line, for all that goes wrong with a server or a key."""

"""Embedders of other packages, checked against the protocol.

A package declares an entry point of the group ``ctx.embedders``:

    [project.entry-points."ctx.embedders"]
    acme = "acme_ctx:load"

``load(argument, seconds)`` returns an ``Embedder``; ``argument`` is what follows the colon in the
setting ``embedder = "acme:argument"`` (empty where nothing does), ``seconds`` what one call of
``embed`` may take. Whatever it does wrong is an EmbeddingError here.
"""

import importlib.metadata
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ctx.llm.deadline import Deadline
from ctx.llm.embedders import rows
from ctx.llm.spec import EMBEDDING, GROUP
from ctx.model import Embedder, EmbeddingError

_T = TypeVar("_T")

_LONGEST_NAME = 500
_LONGEST_MESSAGE = 300


def names() -> tuple[str, ...]:
    """Return the names of the embedders that other packages bring, sorted."""
    return tuple(sorted({entry.name for entry in importlib.metadata.entry_points(group=GROUP)}))


def find(name: str) -> importlib.metadata.EntryPoint | None:
    """Return the entry point called ``name``; of several the first by value."""
    found = importlib.metadata.entry_points(group=GROUP, name=name)
    return min(found, key=lambda entry: entry.value, default=None)


def load(entry: importlib.metadata.EntryPoint, argument: str, seconds: float) -> "Plugin":
    """Return the embedder behind an entry point within ``seconds``, or raise EmbeddingError."""
    who = f"embedder {entry.name}"

    def make() -> Plugin:
        return Plugin(who, entry.name, entry.load()(argument, seconds), seconds)

    return Deadline(who, seconds, EMBEDDING).hold(lambda: _explained(make, who))


class Plugin:
    """An ``Embedder`` around one of another package, which is not trusted."""

    def __init__(self, who: str, scheme: str, inner: Embedder, seconds: float) -> None:
        name: object = inner.name
        dim: object = inner.dim
        nested: object = inner.nested
        if not isinstance(name, str) or not name.isprintable() or len(name) > _LONGEST_NAME:
            raise EmbeddingError(f"{who}: its name is not a line of text")
        if not isinstance(dim, int) or isinstance(dim, bool) or dim < 0:
            raise EmbeddingError(f"{who}: its dim is not a whole number of 0 or more")
        if not isinstance(nested, bool):
            raise EmbeddingError(f"{who}: its nested is neither True nor False")
        # With its scheme: two packages may both use "default".
        self.name = f"{scheme}:{name}"
        self.dim = dim
        self.nested = nested
        self._who = who
        self._inner = inner
        self._seconds = seconds

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a row for each text, zero for a blank one. Raises EmbeddingError only."""
        return rows.beside_blanks(texts, self.dim, self._in_time)

    def _in_time(self, texts: list[str]) -> npt.NDArray[np.float32]:
        def checked() -> npt.NDArray[np.float32]:
            numbers = rows.numbers(self._inner.embed(texts), len(texts), self.dim, self._who)
            lengths = rows.lengths(numbers)
            if not ((lengths == 0) | (abs(lengths - 1) <= rows.TOLERANCE)).all():
                raise EmbeddingError(f"{self._who}: returned rows that are not of unit length")
            return rows.unit(numbers, self._who)

        deadline = Deadline(self._who, self._seconds, EMBEDDING)
        found = deadline.hold(lambda: _explained(checked, self._who))
        self.dim = found.shape[1]
        return found


def _explained(work: Callable[[], _T], who: str) -> _T:
    """Return what ``work`` returns in its thread; EmbeddingError for all that it raises."""
    try:
        return work()
    except EmbeddingError as error:
        lines = str(error).splitlines() or ["it failed without a reason"]
        message = lines[0][:_LONGEST_MESSAGE]
        raise EmbeddingError(message if message.startswith(who) else f"{who}: {message}") from None
    except BaseException as error:  # noqa: BLE001 - a plugin may raise anything
        # Only the kind: the message may quote a text, or a key.
        raise EmbeddingError(f"{who}: failed with {type(error).__name__}") from None

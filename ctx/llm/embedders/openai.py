"""Embeddings from a server that speaks OpenAI's ``/v1/embeddings``."""

from __future__ import annotations

import binascii
import json
from typing import TYPE_CHECKING

import numpy as np

from ctx.llm import server as meaning
from ctx.llm.deadline import Deadline
from ctx.llm.embedders import rows, spec
from ctx.llm.embedders.rows import is_nested
from ctx.llm.embedders.spec import CLIENT
from ctx.llm.http import PAUSES, Line
from ctx.llm.server import parsed
from ctx.model import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from ctx.llm.http import Answer
    from ctx.llm.server import Address


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


MOST_TEXTS = 128
"""Texts in a request, to begin with. OpenAI takes 2,048, TEI 32 unless told otherwise."""
LEAST_TEXTS = 8
"""Texts in a request, below which refusals of one batch do not take all further ones."""
MOST_CHARACTERS = 64_000
"""Characters in a request: about 16,000 tokens, as many as TEI works on at once."""
LONGEST = 8_000
"""Characters of a text that are sent: about 2,000 tokens. What an entry is about is said
by then, and Ollama gives many models a context of 2,048."""
SHORTEST = 256
"""Characters to which a text that is refused is never shortened below; every model takes them."""


class _TooLargeError(Exception):
    """A request refused for its size."""

    def __init__(self, *, of_text: bool) -> None:
        """Say whether a text's length is to blame, as far as the server says."""
        super().__init__()
        self.of_text = of_text


class OpenAI:
    """An ``Embedder`` that asks a server, with a time limit for each call."""

    def __init__(self, place: Address, key: str, seconds: float) -> None:
        """Ask ``place``; ``key`` may be empty; ``seconds``, over 0, limits a call of embed."""
        self.name = place.name
        self.dim = 0
        self.nested = is_nested(place.model)
        self._place = place
        self._seconds = seconds
        self._has_key = bool(key)
        self._line = Line(place.url, key, self.name, spec.CLIENT)
        self._most = MOST_TEXTS

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a row for each text, zero for a blank one, which no server takes.

        Nothing is kept of a call that fails half-way: callers with much to embed call often.
        Raises EmbeddingError.
        """
        return rows.beside_blanks(texts, self.dim, self._in_time)

    def _in_time(self, texts: list[str]) -> npt.NDArray[np.float32]:
        deadline = Deadline(self.name, self._seconds, spec.CLIENT)
        return deadline.hold(lambda: self._all([text[:LONGEST] for text in texts], deadline))

    def _all(self, texts: list[str], deadline: Deadline) -> npt.NDArray[np.float32]:
        """Return a row for each text, batch by batch."""
        found: list[npt.NDArray[np.float32]] = []
        while len(found) < len(texts):
            batch = _first(texts[len(found) : len(found) + self._most])
            found += self._batch(batch, deadline)
        return np.stack(found)

    def _batch(self, texts: list[str], deadline: Deadline) -> list[npt.NDArray[np.float32]]:
        """Return a row for each text, in as many requests as the server wants."""
        try:
            return list(self._ask(texts, deadline))
        except _TooLargeError as refused:
            too_many = not refused.of_text
        half = len(texts) // 2
        if not half:
            return self._batch([self._shorter(texts[0])], deadline)
        if too_many:
            self._most = min(self._most, max(half, LEAST_TEXTS))
        return self._batch(texts[:half], deadline) + self._batch(texts[half:], deadline)

    def _shorter(self, text: str) -> str:
        """Return the first half of a text that is refused alone.

        Only ever by its own doing, so that its vector does not depend on what came before it.
        """
        half = len(text) // 2
        if half < SHORTEST:
            raise EmbeddingError(
                f"{self.name}: refuses a text of {len(text)} characters as too large:"
                " is this a model for embeddings, and its context set?"
            )
        return text[:half]

    def _ask(self, texts: list[str], deadline: Deadline) -> npt.NDArray[np.float32]:
        """Return a row for each text, asking again where that may help.

        Raises _TooLargeError for a refusal of the size.
        """
        body = json.dumps({"model": self._place.model, "input": texts}).encode("ascii")
        answer = self._line.ask(body, deadline, PAUSES, self._passing)
        return self._rows(answer, len(texts))

    def _passing(self, answer: Answer) -> str:
        """Return why a request was refused that is worth repeating; raise for the others."""
        if meaning.is_size(answer):
            raise _TooLargeError(of_text=meaning.is_of_text(answer))
        why = meaning.refusal(answer, self._place, spec.CLIENT, has_key=self._has_key)
        if meaning.is_passing(answer):
            return why
        raise EmbeddingError(f"{self.name}: {why}")

    def _rows(self, answer: Answer, count: int) -> npt.NDArray[np.float32]:
        found = vectors(answer, count, self.name)
        numbers = rows.numbers(found, count, self.dim, self.name)
        scaled = rows.unit(numbers, self.name)
        self.dim = numbers.shape[1]
        return scaled


def load(argument: str, environ: Mapping[str, str], seconds: float) -> OpenAI:
    """Return the embedder of ``openai:argument``; UsageError, EmbeddingError for a bad key."""
    place = spec.address(argument)
    return OpenAI(place, spec.key(place, environ), seconds)


def _first(texts: list[str]) -> list[str]:
    """Return as many of the first texts as fit into a request, at least one."""
    room = MOST_CHARACTERS
    for count, text in enumerate(texts):
        room -= len(text)
        if room < 0:
            return texts[: count or 1]
    return texts

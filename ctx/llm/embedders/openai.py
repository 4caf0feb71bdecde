"""Embeddings from a server that speaks OpenAI's ``/v1/embeddings``."""

import binascii
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ctx.llm.answers import Answer, is_of_text, is_size
from ctx.llm.deadline import Deadline
from ctx.llm.embedders import rows
from ctx.llm.http import Server
from ctx.llm.spec import EMBEDDING
from ctx.model import EmbeddingError, Json, JsonObject

MOST_TEXTS = 128  # texts in a request to begin with; OpenAI takes 2,048, TEI usually 32
LEAST_TEXTS = 8  # texts of a request; one refusal is not to shrink all further ones
MOST_CHARACTERS = 64_000  # of a request: about 16,000 tokens, as many as TEI takes at once
LONGEST = 8_000  # characters of a text that are sent: Ollama gives many models 2,048 tokens
SHORTEST = 256  # characters to which refused texts are shortened; every model takes them


class _TooLargeError(Exception):
    def __init__(self, *, of_text: bool) -> None:
        super().__init__()
        self.of_text = of_text


class OpenAI:
    """An ``Embedder`` that asks a server, with a time limit for each call."""

    def __init__(self, server: Server) -> None:
        self.name = server.name
        self.dim = 0
        self.nested = rows.is_nested(server.model)
        self._server = server
        self._most = MOST_TEXTS

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a row for each text, zero for a blank one, or none: EmbeddingError."""
        return rows.beside_blanks(texts, self.dim, self._in_time)

    def _in_time(self, texts: list[str]) -> npt.NDArray[np.float32]:
        deadline = self._server.deadline()

        def all_rows() -> npt.NDArray[np.float32]:
            found: list[npt.NDArray[np.float32]] = []
            while len(found) < len(texts):
                batch = [text[:LONGEST] for text in texts[len(found) : len(found) + self._most]]
                found += self._batch(_first(batch), deadline)
            return np.stack(found)

        return deadline.hold(all_rows)

    def _batch(self, texts: list[str], deadline: Deadline) -> list[npt.NDArray[np.float32]]:
        try:
            request: JsonObject = {"model": self._server.model, "input": [*texts]}
            answer = self._server.ask(request, deadline, _refuse_size)
            vectors = _vectors(answer, len(texts), self.name)
            numbers = rows.numbers(vectors, len(texts), self.dim, self.name)
            self.dim = numbers.shape[1]
            return list(rows.unit(numbers, self.name))
        except _TooLargeError as refused:
            too_many = not refused.of_text
        half = len(texts) // 2
        if not half:
            return self._batch([self._shorter(texts[0])], deadline)
        if too_many:
            self._most = min(self._most, max(half, LEAST_TEXTS))
        return self._batch(texts[:half], deadline) + self._batch(texts[half:], deadline)

    def _shorter(self, text: str) -> str:
        """Return the first half of a text that is refused alone, whatever came before it."""
        half = len(text) // 2
        if half < SHORTEST:
            raise EmbeddingError(
                f"{self.name}: refuses a text of {len(text)} characters as too large:"
                " is this a model for embeddings, and its context set?"
            )
        return text[:half]


def load(argument: str, environ: Mapping[str, str], seconds: float) -> OpenAI:
    """Return the embedder of ``openai:argument``; UsageError, EmbeddingError for a bad key."""
    return OpenAI(Server(argument, environ, seconds, EMBEDDING))


def _refuse_size(answer: Answer) -> None:
    if is_size(answer):
        raise _TooLargeError(of_text=is_of_text(answer))


def _first(texts: list[str]) -> list[str]:
    room = MOST_CHARACTERS
    for count, text in enumerate(texts):
        room -= len(text)
        if room < 0:
            return texts[: count or 1]
    return texts


def _vectors(answer: Json, count: int, who: str) -> list[object]:
    """Return ``count`` vectors in the order of the texts, unchecked; EmbeddingError for fewer."""
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise EmbeddingError(
            f"{who}: the answer holds no vectors: is this an address for embeddings?"
        )
    if len(items) != count:
        raise EmbeddingError(f"{who}: answered {len(items)} of {count} texts")
    ordered: dict[int, object] = {}
    for item in items:
        fields = item if isinstance(item, dict) else {}
        index = fields.get("index")
        # bool is an int to Python.
        if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < count:
            ordered[index] = _vector(fields.get("embedding"), who)
    if len(ordered) != count:
        raise EmbeddingError(f"{who}: the answer does not show which vector is of which text")
    return [ordered[index] for index in range(count)]


def _vector(value: Json, who: str) -> object:
    """Return the numbers of one vector, unpacked from base64 (float32, little end first)."""
    if not isinstance(value, str):
        return value
    try:
        return np.frombuffer(binascii.a2b_base64(value, strict_mode=True), dtype="<f4")
    except ValueError:
        raise EmbeddingError(f"{who}: returned something other than vectors") from None

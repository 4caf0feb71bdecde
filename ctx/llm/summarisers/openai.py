"""Any server that speaks OpenAI's ``/v1/chat/completions``.

They differ in which parameters they take: models that reason take no temperature or limit,
others tell no probabilities. What is refused by name is left out from then on.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from ctx.llm import server as meaning
from ctx.llm.deadline import Deadline
from ctx.llm.http import PAUSES, Line
from ctx.llm.summarisers.drafts import CLOSING, draft, without_thoughts
from ctx.llm.summarisers.spec import CLIENT, address, key
from ctx.model import SummaryError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx.llm.http import Answer
    from ctx.llm.server import Address
    from ctx.model import Draft, Prompt

THOUGHT = 1024
"""Tokens beyond the answer's that a model may use: those that reason think first."""


class _UnknownError(Exception):
    """A request refused for parameters that can be left out."""

    def __init__(self, names: set[str]) -> None:
        """Keep the names of the parameters."""
        super().__init__()
        self.names = names


class OpenAI:
    """A ``Writer`` that asks a server, with a time limit for each call."""

    def __init__(self, place: Address, key: str, seconds: float) -> None:
        """Ask ``place``; ``key`` may be empty; ``seconds``, over 0, limits a call of ask."""
        self.name = place.name
        self._place = place
        self._seconds = seconds
        self._has_key = bool(key)
        self._line = Line(place.url, key, self.name, CLIENT)
        self._left_out: set[str] = set()

    def ask(self, prompt: Prompt) -> Draft:
        """Return the model's answer, also where it was cut off at the limit.

        Raises SummaryError.
        """
        deadline = Deadline(self.name, self._seconds, CLIENT)
        return deadline.hold(lambda: self._draft(prompt, deadline))

    def _draft(self, prompt: Prompt, deadline: Deadline) -> Draft:
        while True:
            body = json.dumps(self._request(prompt)).encode("ascii")
            try:
                answer = self._line.ask(body, deadline, PAUSES, self._passing)
            except _UnknownError as refused:
                self._left_out |= refused.names
            else:
                return self._said(answer)

    def _request(self, prompt: Prompt) -> dict[str, object]:
        """Return what is asked, without the parameters that this server is known to refuse."""
        said = (("system", prompt.instructions), ("user", prompt.material))
        messages = [{"role": role, "content": _unicode(text)} for role, text in said]
        return {"model": self._place.model, "messages": messages} | self._options(prompt.limit)

    def _options(self, limit: int) -> dict[str, object]:
        # Twice the limit: models count other tokens than ctx does.
        found = {"temperature": 0, "max_tokens": 2 * limit + THOUGHT, "logprobs": True}
        return {name: value for name, value in found.items() if name not in self._left_out}

    def _passing(self, answer: Answer) -> str:
        """Return why a request was refused that is worth repeating; raise for the others.

        Raises _UnknownError where leaving parameters out may help, else SummaryError.
        """
        if answer.status in meaning.INVALID:
            start = answer.body[: meaning.LOOKED_AT]
            names = {name for name in self._options(0) if name.encode() in start}
            if names:
                raise _UnknownError(names)
        if meaning.is_size(answer):
            raise SummaryError(
                f"{self.name}: refuses the text as too long ({answer.status}): give the model a"
                " larger context, or name another"
            )
        why = meaning.refusal(answer, self._place, CLIENT, has_key=self._has_key)
        if meaning.is_passing(answer):
            return why
        raise SummaryError(f"{self.name}: {why}")

    def _said(self, answer: Answer) -> Draft:
        choice = _first_choice(meaning.parsed(answer, self.name, CLIENT))
        message = choice.get("message")
        text = _text(message.get("content")) if isinstance(message, dict) else None
        if text is None:
            raise SummaryError(
                f"{self.name}: the answer holds no text: is this an address for chat?"
            )
        return draft(text, self.name, _mean(choice, thought=without_thoughts(text) != text))


def load(argument: str, environ: Mapping[str, str], seconds: float) -> OpenAI:
    """Return the writer of ``openai:argument``; UsageError, SummaryError for a bad key."""
    place = address(argument)
    return OpenAI(place, key(place, environ), seconds)


def _unicode(text: str) -> str:
    """Return ``text`` without halves of surrogate pairs, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _first_choice(said: object) -> dict[str, object]:
    choices = said.get("choices") if isinstance(said, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _text(content: object) -> str | None:
    """Return the text of a message, which may come in parts of which some are thoughts."""
    if content is None:
        return ""  # a model that may not answer, or that is asked to call a function
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _mean(choice: Mapping[str, object], *, thought: bool) -> float | None:
    """Return the mean logarithm of the probabilities of the answer's tokens.

    None where the server does not tell all of them, or tells what cannot be. Where the text
    began with thoughts, theirs do not count.
    """
    said = choice.get("logprobs")
    tokens = said.get("content") if isinstance(said, dict) else None
    if not isinstance(tokens, list):
        return None
    found = [token if isinstance(token, dict) else {} for token in tokens]
    counted = _after_thoughts(found) if thought else found
    numbers = [_logprob(token.get("logprob")) for token in counted]
    known = [number for number in numbers if number is not None]
    if not known or len(known) != len(numbers):
        return None
    return sum(number / len(known) for number in known)


def _after_thoughts(tokens: Sequence[dict[str, object]]) -> Sequence[dict[str, object]]:
    """Return the tokens after the one that ends the thoughts; none where no token does."""
    seen = ""
    for place, token in enumerate(tokens):
        seen = seen[-len(CLOSING) :] + str(token.get("token", ""))
        if CLOSING in seen:
            return tokens[place + 1 :]
    return ()


def _logprob(value: object) -> float | None:
    """Return the logarithm of a probability; None for what cannot be one."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if -sys.float_info.max <= value <= 0 else None

"""Any server of OpenAI's ``/v1/chat/completions``; a parameter it refuses is not sent again."""

import sys
from collections.abc import Mapping

from ctx.llm.answers import CLOSING, INVALID, LOOKED_AT, Answer, draft, is_size, without_thoughts
from ctx.llm.deadline import Deadline
from ctx.llm.http import Server
from ctx.llm.spec import SUMMARY
from ctx.model import Draft, Json, JsonObject, Prompt, SummaryError
from ctx.text import encodable

THOUGHT = 1024  # tokens beyond the answer's that a model may use, for its thoughts


class _UnknownError(Exception):
    def __init__(self, names: set[str]) -> None:
        super().__init__()
        self.names = names


class OpenAI:
    """A ``Writer`` that asks a server, with a time limit for each call."""

    def __init__(self, server: Server) -> None:
        self.name = server.name
        self._server = server
        self._left_out: set[str] = set()  # parameters that this server is known to refuse

    def ask(self, prompt: Prompt) -> Draft:
        """Return the answer, also where it was cut off at the limit. Raises SummaryError."""
        deadline = self._server.deadline()
        return deadline.hold(lambda: self._draft(prompt, deadline))

    def _draft(self, prompt: Prompt, deadline: Deadline) -> Draft:
        texts = (("system", prompt.instructions), ("user", prompt.material))
        # Halves of surrogate pairs are replaced: no tokenizer takes them.
        messages: list[Json] = [{"role": role, "content": encodable(text)} for role, text in texts]
        request: JsonObject = {"model": self._server.model, "messages": messages}
        answer: Json = None
        while True:
            try:
                options = self._options(prompt.limit)
                answer = self._server.ask(request | options, deadline, self._refused)
            except _UnknownError as refused:
                self._left_out |= refused.names
            else:
                break
        choice = _first_choice(answer)
        message = choice.get("message")
        text = _text(message.get("content")) if isinstance(message, dict) else None
        if text is None:
            raise SummaryError(
                f"{self.name}: the answer holds no text: is this an address for chat?"
            )
        return draft(text, self.name, _mean(choice, thought=without_thoughts(text) != text))

    def _options(self, limit: int) -> JsonObject:
        # Twice the limit: models count other tokens than ctx does.
        options = {"temperature": 0, "max_tokens": 2 * limit + THOUGHT, "logprobs": True}
        return {name: value for name, value in options.items() if name not in self._left_out}

    def _refused(self, answer: Answer) -> None:
        """Raise _UnknownError where leaving parameters out may help, SummaryError for the size."""
        if answer.status in INVALID:
            start = answer.body[:LOOKED_AT]
            if names := {name for name in self._options(0) if name.encode() in start}:
                raise _UnknownError(names)
        if is_size(answer):
            raise SummaryError(
                f"{self.name}: refuses the text as too long ({answer.status}): give the model a"
                " larger context, or name another"
            )


def load(argument: str, environ: Mapping[str, str], seconds: float) -> OpenAI:
    """Return the writer of ``openai:argument``; UsageError, SummaryError for a bad key."""
    return OpenAI(Server(argument, environ, seconds, SUMMARY))


def _first_choice(answer: Json) -> JsonObject:
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _text(content: Json) -> str | None:
    """Return the text of a message, which may come in parts of which some are thoughts."""
    if content is None:
        return ""  # a model that may not answer, or that is asked to call a function
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _mean(choice: JsonObject, *, thought: bool) -> float | None:
    """Return the mean log-probability of the tokens behind thoughts; None if one lacks it."""
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list):
        return None
    tokens = [token if isinstance(token, dict) else {} for token in content]
    if thought:
        seen = ""
        for place, token in enumerate(tokens):
            seen = seen[-len(CLOSING) :] + str(token.get("token", ""))
            if CLOSING in seen:
                tokens = tokens[place + 1 :]
                break
        else:
            return None
    numbers = [token.get("logprob") for token in tokens]
    known = [
        float(number)
        for number in numbers
        if isinstance(number, int | float)
        and not isinstance(number, bool)
        and -sys.float_info.max <= number <= 0
    ]
    if not known or len(known) != len(numbers):
        return None
    return sum(number / len(known) for number in known)

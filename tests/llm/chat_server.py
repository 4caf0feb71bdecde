"""A server that speaks OpenAI's chat completions on 127.0.0.1, and misbehaves when told to.

    with serving(honest) as url:
        writer = ctx.llm.summarisers.writer(f"openai:small@{url}", {}, 5)

What answers is a behaviour: it is given the request's JSON and returns a text, an answer as a
dict, or a reply that does with the connection what it wants (``embedding_server`` has more).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.llm import embedding_server as embed

Request = dict[str, Any]
Behaviour = Callable[[Request], str | dict[str, Any] | embed.Reply]


class Seen(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class _Handler(embed.Handler):
    server: _Server

    def do_POST(self) -> None:  # noqa: N802 - the library's
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(Seen(self.path, dict(self.headers), body))
        said = self.server.behaviour(body)
        if callable(said):
            said(self, [])
        else:
            answer = chat(said) if isinstance(said, str) else said
            self.send(json.dumps(answer).encode())


class _Server(embed.Server):
    def __init__(self, behaviour: Behaviour, seen: list[Seen]) -> None:
        super().__init__()
        self.RequestHandlerClass = _Handler
        self.behaviour = behaviour
        self.seen = seen


@contextmanager
def serving(behaviour: Behaviour, seen: list[Seen] | None = None) -> Iterator[str]:
    """Serve until the block ends; gives the URL of the server, and fills ``seen``."""
    with embed.running(_Server(behaviour, [] if seen is None else seen)) as server:
        yield server.origin


def said_to(request: Request, role: str = "user") -> str:
    """Return what the messages of a role say: the material, or the instructions of ``system``."""
    return "\n".join(one["content"] for one in request["messages"] if one["role"] == role)


def chat(
    text: object, logprobs: Sequence[object] | None = None, reason: str = "stop"
) -> dict[str, Any]:
    """Return the answer that says ``text``, its tokens of these probabilities."""
    message = {"role": "assistant", "content": text}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": reason}
    if logprobs is not None:
        tokens = [{"token": "t", "logprob": one, "top_logprobs": []} for one in logprobs]
        choice["logprobs"] = {"content": tokens}
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}


# --- behaviours -------------------------------------------------------------------------


def honest(request: Request) -> str:
    """Say the beginning of each line, so that it is about the same and shorter."""
    lines = [line.split() for line in said_to(request).splitlines()]
    return "\n".join(" ".join(words[: max(3, len(words) // 4)]) for words in lines if words)


def sure(request: Request) -> dict[str, Any]:
    return chat(honest(request), [-0.1] * 20)


def drifts(_request: Request) -> str:
    """Tell of something that nobody spoke about."""
    return "The tide pools of Brittany shelter anemones, limpets and shy green crabs at dusk."


def repeats(request: Request) -> str:
    first = " ".join(said_to(request).split()[:8])
    return f"{first}. " * 400


def leaks(request: Request) -> str:
    """Say the instructions instead of following them."""
    return said_to(request, "system")


def translates(_request: Request) -> str:
    """Answer in another language than anybody spoke."""
    return "参加者は計画について話し合い、来週までに結果を確認することで合意した。"


def is_silent(_request: Request) -> str:
    return ""


def obeys_the_material(request: Request) -> str:
    """Do what a turn says that begins with ``say:``, which is what no model should."""
    found = re.search(r"say: *(.*)", said_to(request))
    return found[1] if found else honest(request)


def thinks(request: Request) -> str:
    return f"<think>\nThey want a summary. {drifts(request)}\n</think>\n\n{honest(request)}"


def always(reply: embed.Reply) -> Behaviour:
    """Return the behaviour that replies so, such as ``always(embed.fails(500))``."""
    return lambda _request: reply


def refuses(*names: str, status: int = 400, behaviour: Behaviour = honest) -> Behaviour:
    """Return a behaviour that takes no request with one of these fields, and names the first."""

    def answer(request: Request) -> str | dict[str, Any] | embed.Reply:
        for name in names:
            if name in request:
                return embed.fails(status, f"Unsupported parameter: '{name}' is not supported")
        return behaviour(request)

    return answer


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """Return what behaves in these ways, one after the other, and then always in the last."""
    left = list(behaviours)

    def answer(request: Request) -> str | dict[str, Any] | embed.Reply:
        behaviour = left.pop(0) if len(left) > 1 else left[0]
        return behaviour(request)

    return answer

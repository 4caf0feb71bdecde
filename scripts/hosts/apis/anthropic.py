"""The Messages API, which Claude Code speaks."""

import json
from collections.abc import Iterator
from typing import Any

from scripts.hosts.stand_in import Answer, Api, Body, Reply, streamed
from scripts.hosts.windows import Text

SUMMARISES = "Your task is to create a detailed summary of the"
ADDED = ("<system-reminder>", "<task-notification>", "<local-command")
BILLING = "x-anthropic-billing-header"
"""Begins a block of the system prompt that differs in each request and is not read by a model."""


class Anthropic(Api):
    """Requests to ``/v1/messages``."""

    def kind(self, path: str, body: Body, /) -> str:
        """Return what a request is about."""
        if not path.endswith("/messages"):
            return "count" if path.endswith("/count_tokens") else "other"
        users = [each.text for each in self.texts(body) if each.role == "user"]
        if users and SUMMARISES in users[-1]:
            return "compact"
        return "turn" if body.get("tools") else "side"

    def other(self, path: str, body: Body | None, /) -> Reply:
        """Answer what is no request to a model."""
        if path.endswith("/count_tokens"):
            return Reply(json.dumps({"input_tokens": len(json.dumps(body)) // 4}).encode())
        return super().other(path, body)

    def texts(self, body: Body, /) -> Iterator[Text]:
        """Yield what is in a request."""
        for at, tool in enumerate(body.get("tools") or ()):
            yield Text("tools", f"tools[{at}]", json.dumps(tool))
        for at, block in enumerate(_blocks(body.get("system"))):
            if not block.get("text", "").startswith(BILLING):
                yield Text("system", f"system[{at}]", block.get("text", ""))
        for at, message in enumerate(body.get("messages") or ()):
            for inner, block in enumerate(_blocks(message.get("content"))):
                place = f"messages[{at}].content[{inner}]"
                yield from _texts(message.get("role", ""), block, place)

    def reply(self, answer: Answer, body: Body, _path: str, number: int, used: int, /) -> Reply:
        """Write an answer."""
        content: list[Body] = [{"type": "text", "text": answer.text}] if answer.text else []
        for at, call in enumerate(answer.calls):
            named = {"id": f"toolu_{number:05}{at:02}", "name": call.name}
            content.append({"type": "tool_use", **named, "input": call.arguments})
        usage = {"input_tokens": used, "output_tokens": 20}
        usage |= {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        message: Body = {
            "id": f"msg_{number:05}", "type": "message", "role": "assistant", "content": content,
            "model": body.get("model", ""), "stop_sequence": None, "usage": usage,
            "stop_reason": "tool_use" if answer.calls else "end_turn",
        }  # fmt: skip
        if body.get("stream"):
            return streamed(list(_events(message)), named=True)
        return Reply(json.dumps(message).encode())


def _blocks(content: Any) -> list[Body]:  # noqa: ANN401 - what a host sends
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [each for each in content or () if isinstance(each, dict)]


def _texts(role: str, block: Body, place: str) -> Iterator[Text]:
    kind, text = block.get("type"), str(block.get("text", ""))
    if kind == "tool_use":
        yield Text("call", place, f"{block.get('name')} {json.dumps(block.get('input'))}")
    elif kind == "tool_result":
        inner = "\n".join(str(each.get("text", "")) for each in _blocks(block.get("content")))
        yield Text("result", place, inner)
    elif role == "assistant":
        yield Text("model", place, text)
    else:
        is_added = role == "system" or text.startswith(ADDED)
        yield Text("added" if is_added else "user", place, text)


def _events(message: Body) -> Iterator[Body]:
    begun = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": begun}
    for at, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty: Body = {"text": ""}
            change = {"type": "text_delta", "text": block["text"]}
        else:
            partial = json.dumps(block["input"])
            empty = {"input": {}}
            change = {"type": "input_json_delta", "partial_json": partial}
        yield {"type": "content_block_start", "index": at, "content_block": {**block, **empty}}
        yield {"type": "content_block_delta", "index": at, "delta": change}
        yield {"type": "content_block_stop", "index": at}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": message["usage"]}
    yield {"type": "message_stop"}

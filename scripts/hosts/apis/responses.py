"""The Responses API, which Codex CLI speaks."""

import json
from collections.abc import Iterator
from typing import Any

from scripts.hosts.stand_in import Answer, Api, Body, Reply, streamed
from scripts.hosts.windows import Text

SUMMARISES = "CONTEXT CHECKPOINT"
ADDED = ("# AGENTS.md instructions", "<", "The AGENTS.md")


class Responses(Api):
    """Requests to ``/v1/responses``."""

    def kind(self, path: str, body: Body, /) -> str:
        """Return what a request is about."""
        if not path.endswith(("/responses", "/responses/compact")):
            return "other"
        texts = list(self.texts(body))
        if texts and SUMMARISES in texts[-1].text:
            return "compact"
        return "turn" if any(each.role == "tools" for each in texts) else "side"

    def other(self, path: str, body: Body | None, /) -> Reply:
        """Answer what is no request to a model."""
        if path.partition("?")[0].endswith("/models"):
            return Reply(b'{"object": "list", "data": [], "models": []}')
        return super().other(path, body)

    def texts(self, body: Body, /) -> Iterator[Text]:
        """Yield what is in a request."""
        for at, tool in enumerate(body.get("tools") or ()):
            yield Text("tools", f"tools[{at}]", json.dumps(tool))
        if body.get("instructions"):
            yield Text("system", "instructions", body["instructions"])
        items = body.get("input") or ()
        for at, item in enumerate(items if isinstance(items, list) else ()):
            yield from _texts(item, f"input[{at}]")

    def reply(self, answer: Answer, body: Body, _path: str, number: int, used: int, /) -> Reply:
        """Write an answer."""
        output: list[Body] = []
        if answer.text:
            part = {"type": "output_text", "text": answer.text, "annotations": []}
            about = {"id": f"msg_{number}", "role": "assistant", "status": "completed"}
            output.append({"type": "message", **about, "content": [part]})
        for at, call in enumerate(answer.calls):
            kind, field, value = "function_call", "arguments", json.dumps(call.arguments)
            if call.custom:
                kind, field, value = "custom_tool_call", "input", call.arguments["input"]
            item: Body = {"type": kind, "id": f"c_{number}_{at}", "call_id": f"call_{number}_{at}"}
            item |= {"name": call.name, field: value, "status": "completed"}
            output.append(item | ({"namespace": call.space} if call.space else {}))
        usage: Body = {"input_tokens": used, "output_tokens": 10, "total_tokens": used + 10}
        usage |= {"input_tokens_details": {"cached_tokens": 0}}
        usage |= {"output_tokens_details": {"reasoning_tokens": 0}}
        document: Body = {"id": f"resp_{number}", "object": "response", "model": body.get("model")}
        document |= {"created_at": 0}
        whole = document | {"status": "completed", "output": output, "usage": usage}
        if not body.get("stream"):
            return Reply(json.dumps(whole).encode())
        begun = document | {"status": "in_progress", "output": []}
        return streamed(list(_events(begun, whole, output)), named=True)


def _events(begun: Body, whole: Body, output: list[Body]) -> Iterator[Body]:
    yield {"type": "response.created", "response": begun}
    for at, item in enumerate(output):
        place = {"item_id": item["id"], "output_index": at}
        is_text = item["type"] == "message"
        shown = {**item, "content": []} if is_text else item
        yield {"type": "response.output_item.added", "output_index": at, "item": shown}
        if is_text:
            (part,) = item["content"]
            place["content_index"] = 0
            empty = part | {"text": ""}
            yield {"type": "response.content_part.added", **place, "part": empty}
            yield {"type": "response.output_text.delta", **place, "delta": part["text"]}
            yield {"type": "response.output_text.done", **place, "text": part["text"]}
            yield {"type": "response.content_part.done", **place, "part": part}
        yield {"type": "response.output_item.done", "output_index": at, "item": item}
    yield {"type": "response.completed", "response": whole}


def _texts(item: Body, place: str) -> Iterator[Text]:
    kind, role = item.get("type", "message"), item.get("role", "")
    if kind == "additional_tools":
        yield Text("tools", place, json.dumps(item.get("tools")))
    elif kind == "message":
        for inner, block in enumerate(_blocks(item.get("content"))):
            text = str(block.get("text", ""))
            known = {"assistant": "model", "developer": "added", "system": "system"}
            plain = "added" if text.startswith(ADDED) else "user"
            yield Text(known.get(role, plain), f"{place}.content[{inner}]", text)
    elif kind.endswith("_output"):
        inside = "\n".join(str(each.get("text", "")) for each in _blocks(item.get("output")))
        yield Text("result", place, inside)
    elif kind == "agent_message":
        yield Text("user", place, json.dumps(item.get("content")))
    elif kind == "reasoning":
        yield Text("model", place, json.dumps(item.get("summary")))
    else:
        given = item.get("arguments", item.get("input", ""))
        yield Text("call", place, f"{item.get('name', kind)} {given}")


def _blocks(content: Any) -> list[Body]:  # noqa: ANN401 - what a host sends
    if isinstance(content, str):
        return [{"text": content}]
    return [each for each in content or () if isinstance(each, dict)]

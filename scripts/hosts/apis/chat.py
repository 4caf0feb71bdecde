"""The API of chat completions, which most hosts speak to a server of one's own."""

import json
from collections.abc import Iterator
from typing import Any

from scripts.hosts.stand_in import Answer, Api, Body, Reply, streamed
from scripts.hosts.windows import Text

MODEL = "stand-in"
SUMMARISES = ("summary of the conversation", "summarize the conversation", "anchored summary")
ADDED = ("<system-reminder>", "<system_reminder>", "<custom_instruction")

ASIDE = "memory extraction subagent"
"""In the instructions with which Qwen Code asks what of a session is worth remembering."""
OF_HOSTS = ("read_agent",)
"""Calls that Copilot CLI writes for the model, once subagents in the background have ended."""


class Chat(Api):
    """Requests to ``/v1/chat/completions``."""

    def kind(self, path: str, body: Body, /) -> str:
        """Return what a request is about."""
        if not path.endswith("/chat/completions"):
            return "other"
        texts = [each for each in self.texts(body) if each.role in {"system", "user", "added"}]
        if texts and any(words in texts[-1].text for words in SUMMARISES):
            return "compact"
        is_aside = any(each.role == "system" and ASIDE in each.text for each in texts)
        return "turn" if body.get("tools") and not is_aside else "side"

    def other(self, _path: str, _body: Body | None, /) -> Reply:
        """Answer what is no request to a model."""
        about = {"id": MODEL, "object": "model", "created": 0, "context_length": 200_000}
        return Reply(json.dumps({"object": "list", "data": [about]}).encode())

    def texts(self, body: Body, /) -> Iterator[Text]:
        """Yield what is in a request."""
        for at, tool in enumerate(body.get("tools") or ()):
            yield Text("tools", f"tools[{at}]", json.dumps(tool))
        for at, message in enumerate(body.get("messages") or ()):
            role = message.get("role", "user")
            for inner, text in enumerate(_strings(message.get("content"))):
                place = f"messages[{at}].content[{inner}]"
                known = {"assistant": "model", "tool": "result", "system": "system"}
                plain = "added" if text.lstrip().startswith(ADDED) else "user"
                yield Text(known.get(role, plain), place, text)
            for inner, call in enumerate(message.get("tool_calls") or ()):
                place = f"messages[{at}].tool_calls[{inner}]"
                made = call.get("function") or {}
                is_own = made.get("name") not in OF_HOSTS
                yield Text("call" if is_own else "added", place, json.dumps(made))

    def reply(self, answer: Answer, body: Body, _path: str, number: int, used: int, /) -> Reply:
        """Write an answer."""
        calls: list[Body] = []
        for at, call in enumerate(answer.calls):
            function = {"name": call.name, "arguments": json.dumps(call.arguments)}
            about = {"index": at, "id": f"call_{number}_{at}", "type": "function"}
            calls.append({**about, "function": function})
        message: Body = {"role": "assistant", "content": answer.text}
        message |= {"tool_calls": calls} if calls else {}
        usage = {"prompt_tokens": used, "completion_tokens": 9, "total_tokens": used + 9}
        frame: Body = {"id": f"chat-{number}", "created": 0, "model": MODEL}
        ended = "tool_calls" if calls else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": ended}
            whole = {"object": "chat.completion", "choices": [choice], "usage": usage}
            return Reply(json.dumps(frame | whole).encode())
        frame["object"] = "chat.completion.chunk"
        begun = {"index": 0, "delta": message, "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": ended}
        events = [frame | {"choices": [each]} for each in (begun, last)]
        events.append(frame | {"choices": [], "usage": usage})
        return streamed(events, named=False, end="data: [DONE]\n\n")


def _strings(content: Any) -> list[str]:  # noqa: ANN401 - what a host sends
    if isinstance(content, str):
        return [content] if content else []
    return [str(each.get("text", "")) for each in content or () if isinstance(each, dict)]

"""The Gemini API, which Gemini CLI speaks."""

import json
import re
from collections.abc import Iterator
from typing import Any

from scripts.hosts.stand_in import Answer, Api, Body, Reply, streamed
from scripts.hosts.windows import Text

METHOD = re.compile(r"models/[^:/?]+:(\w+)")
SUMMARISES = "<state_snapshot>"
ADDED = ("<session_context>", "<hook_context>", "<loaded_context>")


class Gemini(Api):
    """Requests to ``…:generateContent`` and ``…:streamGenerateContent``."""

    def kind(self, path: str, body: Body, /) -> str:
        """Return what a request is about."""
        match = METHOD.search(path)
        method = match[1] if match else ""
        if method not in {"generateContent", "streamGenerateContent"}:
            return "count" if method == "countTokens" else "other"
        texts = list(self.texts(body))
        if any(each.role == "tools" for each in texts):
            return "turn"
        is_summary = any(SUMMARISES in each.text for each in texts if each.role == "system")
        return "compact" if is_summary else "side"

    def other(self, path: str, body: Body | None, /) -> Reply:
        """Answer what is no request to a model."""
        if path.endswith(":countTokens"):
            return Reply(json.dumps({"totalTokens": len(json.dumps(body)) // 4}).encode())
        return Reply(b'{"models": []}')

    def texts(self, body: Body, /) -> Iterator[Text]:
        """Yield what is in a request."""
        for at, tool in enumerate(body.get("tools") or ()):
            if "functionDeclarations" in tool:
                yield Text("tools", f"tools[{at}]", json.dumps(tool))
        for at, part in enumerate((body.get("systemInstruction") or {}).get("parts") or ()):
            yield Text("system", f"systemInstruction.parts[{at}]", part.get("text", ""))
        for at, content in enumerate(body.get("contents") or ()):
            for inner, part in enumerate(content.get("parts") or ()):
                yield _text(content.get("role", "user"), part, f"contents[{at}].parts[{inner}]")

    def reply(self, answer: Answer, body: Body, path: str, _number: int, used: int, /) -> Reply:
        """Write an answer; one that has to be JSON is made from its schema."""
        config = body.get("generationConfig") or {}
        text = answer.text
        if "json" in str(config.get("responseMimeType")):
            schema = config.get("responseJsonSchema") or config.get("responseSchema") or {}
            text = json.dumps(fitting(schema))
        parts: list[Body] = [{"text": text}] if text else []
        parts += [{"functionCall": {"name": c.name, "args": c.arguments}} for c in answer.calls]
        usage = {"promptTokenCount": used, "candidatesTokenCount": 9, "totalTokenCount": used + 9}
        content = {"role": "model", "parts": parts}
        candidate = {"content": content, "finishReason": "STOP", "index": 0}
        whole: Body = {
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": "stand-in",
        }
        if "streamGenerateContent" in path:
            return streamed([whole], named=False)
        return Reply(json.dumps(whole).encode())


def _text(role: str, part: Body, place: str) -> Text:
    if "functionCall" in part:
        return Text("call", place, json.dumps(part["functionCall"]))
    if "functionResponse" in part:
        return Text("result", place, json.dumps(part["functionResponse"].get("response")))
    text = str(part.get("text", ""))
    if role == "model":
        return Text("model", place, text)
    is_added = text.lstrip().startswith(ADDED) and "(task-" not in text
    return Text("added" if is_added else "user", place, text)


def fitting(schema: dict[str, Any]) -> Any:  # noqa: ANN401 - a value of any type
    """Return a value that fits a schema: the first of an enumeration, else something plain."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = str(schema.get("type", "object")).lower()
    if kind == "object":
        return {name: fitting(part) for name, part in schema.get("properties", {}).items()}
    plain = {"array": [], "integer": 1, "number": 1, "boolean": False}
    return plain.get(kind, "plain")

"""Turns that are not on the way to the last one were taken back."""

import io
import json

from ctx.model import JsonObject
from ctx.sessions.branches import Branches
from ctx.sessions.transcripts import read


def _taken_back(*lines: JsonObject) -> list[str]:
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    branches = Branches()
    for found in read(io.BytesIO(data), "a.jsonl", session="s").found:
        branches.take(found)
    return branches.taken_back().get("s", [])


def _gemini(name: str, kind: str = "user") -> JsonObject:
    return {"id": name, "timestamp": "2026-05-01T08:00:00Z", "type": kind, "content": name}


def _copilot(name: str, kind: str = "user.message", **data: str) -> JsonObject:
    return {"type": kind, "id": name, "parentId": None, "data": {"content": name, **data}}


def _claude(name: str, parent: str | None, role: str = "user") -> JsonObject:
    message: JsonObject = {"role": role, "content": name}
    ids: JsonObject = {"uuid": name, "parentUuid": parent, "sessionId": "s"}
    return {"type": role, "timestamp": "2026-05-01T08:00:00Z", **ids, "message": message}


def test_gemini_goes_back_to_before_a_message() -> None:
    chat = [_gemini("u1"), _gemini("g1", "gemini"), _gemini("u2"), _gemini("g2", "gemini")]
    assert _taken_back(*chat) == []
    assert _taken_back(*chat, {"$rewindTo": "u2"}, _gemini("u3")) == ["u2", "g2"]


def test_copilot_goes_back_to_before_an_event() -> None:
    events = [_copilot("u1"), _copilot("u2"), _copilot("a2", "assistant.message")]
    back = _copilot("r", "session.snapshot_rewind", upToEventId="u2")
    assert _taken_back(*events) == []
    assert _taken_back(*events, back, _copilot("u3")) == ["u2", "a2"]


def test_claude_code_goes_on_from_an_earlier_message() -> None:
    tree = [_claude("u1", None), _claude("a1", "u1", "assistant"), _claude("u2", "a1")]
    assert _taken_back(*tree) == []
    assert _taken_back(*tree, _claude("u3", "a1")) == ["u2"]
    assert _taken_back(*tree, _claude("u3", "a1"), _claude("u4", "u2")) == ["u3"]


def test_a_way_that_meets_no_other_is_kept() -> None:
    assert _taken_back(_claude("u1", None), _claude("u2", "of another file")) == []
    assert _taken_back(_claude("u1", "u2"), _claude("u2", "u1")) == []


def test_a_long_way_is_gone_once() -> None:
    """By a walk from each message to the first one this would take hours."""
    first: list[JsonObject] = [_claude("0", None)]
    tree = first + [_claude(str(at), str(at - 1)) for at in range(1, 20_000)]
    assert len(_taken_back(*tree, _claude("new", "9"))) == 20_000 - 10

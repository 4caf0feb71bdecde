"""What is in the window of a session, as the released hosts were seen to fill and empty it.

Each case stands for what was seen of a host, with the version in which it was.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from ctx.hosts import hooks_of
from ctx.hosts.transcripts import format_of, latest
from ctx.model import Turn
from ctx.model.transcripts import Node, Skip
from ctx.store import given, open_store
from ctx.text.times import time_of
from tests.hooks.host import event, run
from tests.keeping import trust
from tests.read.samples import write

if TYPE_CHECKING:
    from pathlib import Path

    from ctx.model import Json, JsonObject
    from tests.hooks.host import Answered

RULE = "Card numbers never reach our servers"
posix = pytest.mark.skipif(os.name != "posix", reason="forks, signals and pipes of POSIX")
pytestmark = posix


@pytest.fixture
def shop(shop: Path) -> Path:
    """The sample project, whose user trusts it."""
    trust(shop / ".context")
    return shop


# --- Copilot CLI 1.0.102 ------------------------------------------------------------------


def _copilot(shop: Path, name: str, **more: Json) -> Answered:
    prompt = "initial_prompt" if name == "SessionStart" else "prompt"
    data: JsonObject = {"session_id": "c1", "cwd": str(shop), **more}
    if name in ("SessionStart", "UserPromptSubmit"):
        data.setdefault(prompt, "how are refunds booked?")
    return run(shop, data, "copilot", name)


def test_copilot_has_the_rules_once_after_each_start(shop: Path) -> None:
    """What a start is answered is not kept: the next start's stands in its place."""
    assert RULE in _copilot(shop, "SessionStart", source="new").text
    first = _copilot(shop, "UserPromptSubmit", prompt="hello").text
    assert "## Decisions" in first, "as a start has them, whatever is asked"
    assert RULE not in first
    assert RULE in _copilot(shop, "SessionStart", source="resume").text
    assert RULE not in _copilot(shop, "UserPromptSubmit", prompt="and of returns?").text


def test_copilot_has_the_rules_by_a_prompt_where_a_start_was_not_answered(shop: Path) -> None:
    """Both are run at the same time: the first prompt counts on the start, and not the second."""
    assert RULE not in _copilot(shop, "UserPromptSubmit").text
    assert RULE in _copilot(shop, "UserPromptSubmit", prompt="and of returns?").text
    assert RULE not in _copilot(shop, "UserPromptSubmit", prompt="and of vouchers?").text


def test_copilot_has_the_rules_by_a_prompt_after_a_compaction(shop: Path) -> None:
    assert RULE in _copilot(shop, "SessionStart", source="new").text
    _copilot(shop, "UserPromptSubmit")
    _copilot(shop, "PreCompact", trigger="manual")
    assert RULE in _copilot(shop, "UserPromptSubmit", prompt="go on with the refunds").text
    assert _copilot(shop, "SessionStart", source="resume").out == b""


@pytest.mark.parametrize("own", ["", "own"])
def test_copilot_stores_at_the_end_what_it_had_not_written_at_the_stop(
    shop: Path, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``SessionEnd`` names no transcript: it is where the session's id is."""
    home = shop.parent / (own or ".copilot")
    where = {"CTX_CAPTURE": "on", **({"COPILOT_HOME": str(home)} if own else {})}
    said: JsonObject = {"id": "m", "parentId": None, "timestamp": "2026-11-28T01:30:05.255Z"}
    turns = (("user.message", "Book the refund"), ("assistant.message", "It is booked"))
    (home / "session-state/c1").mkdir(parents=True)
    (home / "events.jsonl").touch()
    path = home / "session-state/c1/events.jsonl"
    for number, (kind, text) in enumerate(turns):
        _lines(path, {**said, "type": kind, "id": f"m{number}", "data": {"content": text}})
        name, more = (("SessionEnd", {}), ("Stop", {"transcript_path": str(path)}))[number == 0]
        done = run(shop, {"session_id": "c1", "cwd": str(shop), **more}, "copilot", name, **where)
        assert (done.out, done.log["reason"]) == (b"", "stored 1 turns")
    sent: JsonObject = {
        **said,
        "type": "assistant.message",
        "id": "m2",
        "data": {"content": "Sent"},
    }
    with monkeypatch.context() as waiting:  # the host writes while the hook runs
        waiting.setattr("time.sleep", lambda _: _lines(path, sent))
        done = run(shop, {"session_id": "c1", "cwd": str(shop)}, "copilot", "SessionEnd", **where)
    assert done.log["reason"] == "stored 1 turns"
    for odd in ("", "..", "c1/../c1", "c1/agent", "c2"):
        ended = run(shop, {"session_id": odd}, "copilot", "SessionEnd", **where)
        assert ended.log["reason"] == "no transcript is named"


def test_copilot_is_sent_again_what_it_showed_with_a_file_before_a_resumption(shop: Path) -> None:
    """Rules that come at a view are in no message that the host keeps; those of hooks are."""
    (shop / "src").mkdir(exist_ok=True)
    (shop / "src/AGENTS.md").write_text("- Never print in src.\n")
    (shop / ".cursor/rules").mkdir(parents=True)
    rule = "---\nglobs: src/*.py\nalwaysApply: false\n---\n\n- Never wait in src.\n"
    (shop / ".cursor/rules/a.mdc").write_text(rule)
    known = {"COPILOT_CLI_BINARY_VERSION": "1.0.102"}

    def told(name: str, **more: Json) -> str:
        data: JsonObject = {"session_id": "c1", "cwd": str(shop), **more}
        return run(shop, data, "copilot", name, **known).text

    def touched(tool: str) -> str:
        return told("PostToolUse", tool_name=tool, tool_input={"path": str(shop / "src/a.py")})

    told("SessionStart", source="new", initial_prompt="go")
    told("UserPromptSubmit", prompt="go")
    first = touched("Read")
    assert "Never wait" in first
    assert "Never print" not in first, "the host shows it"
    assert touched("Edit") == ""
    told("SessionStart", source="resume", initial_prompt="go on")
    again = touched("Edit")
    assert "Never print" in again
    assert "Never wait" not in again
    assert touched("Edit") == ""


def test_a_subagent_of_copilot_has_the_rules_once(shop: Path) -> None:
    """Its prompt is an event, too, under its own id; so are its tools."""
    start = {"sessionId": "c1", "cwd": str(shop), "agentName": "explore", "agent_id": "a1"}
    said = run(shop, {**start, "agent_type": "explore"}, "copilot", "SubagentStart")
    assert RULE in said.text
    own: dict[str, Json] = {"session_id": "a1", "agent_id": "a1", "parent_agent_id": "c1"}
    assert _copilot(shop, "UserPromptSubmit", **own).out == b""
    touch: dict[str, Json] = {"tool_name": "Read", "tool_input": {"path": str(shop / "a.py")}}
    assert RULE not in _copilot(shop, "PostToolUse", **own, **touch).text


def test_copilot_that_runs_the_hooks_of_claude_is_answered_as_it_reads(shop: Path) -> None:
    """``hookSpecificOutput`` reaches its model at PreToolUse alone."""
    data = {"timestamp": "t", "session_id": "c1", "cwd": str(shop), "prompt": "refunds?"}
    said = run(shop, data, "claude", "UserPromptSubmit", COPILOT_CLI="1")
    assert json.loads(said.out).keys() == {"additionalContext"}
    other = run(shop, event(), "claude", "UserPromptSubmit", COPILOT_CLI="1")
    assert json.loads(other.out).keys() == {"hookSpecificOutput"}


# --- one answer to a moment ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "SubagentStart"])
def test_one_of_two_hooks_that_run_at_once_answers(shop: Path, name: str) -> None:
    """Codex runs those of a repository and of a folder in it; Copilot Claude Code's, too."""
    both = ("copilot", "claude") if name == "UserPromptSubmit" else ("codex", "codex")
    data: JsonObject = {"session_id": "s1", "timestamp": "t", "cwd": str(shop), "prompt": "refunds"}
    data |= {"source": "startup", "agent_id": "a"} if name != "UserPromptSubmit" else {}
    first, second = (run(shop, data, tool, name, COPILOT_CLI="1") for tool in both)
    assert first.text
    assert (second.out, second.log["reason"]) == (b"", "another hook answers this moment")


# --- Gemini CLI 0.61.0 --------------------------------------------------------------------


def _gemini(shop: Path, name: str, chat: Path, **more: Json) -> Answered:
    data: JsonObject = {"session_id": "g1", "transcript_path": str(chat), "cwd": str(shop), **more}
    return run(shop, data, "gemini", name)


def _lines(path: Path, *rows: JsonObject) -> Path:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    return path


def test_gemini_is_sent_rules_for_a_file_behind_a_call_that_worked(shop: Path) -> None:
    """Of a call that failed the model is sent the error, and nothing that a hook adds to it."""
    chat = shop / "chat.jsonl"
    chat.write_text("")
    (shop / ".cursor/rules").mkdir(parents=True)
    rule = "---\nglobs: src/*.py\nalwaysApply: false\n---\n\n- Never print in src.\n"
    (shop / ".cursor/rules/a.mdc").write_text(rule)
    file: JsonObject = {"file_path": str(shop / "src/new.py")}
    wrong: JsonObject = {"llmContent": "", "error": {"message": "no", "type": "file_not_found"}}
    right: JsonObject = {"llmContent": "done"}
    calls: tuple[tuple[str, Json], ...] = (("read_file", wrong), ("write_file", right))
    failed, worked = (
        _gemini(shop, "AfterTool", chat, tool_name=name, tool_input=file, tool_response=told).text
        for name, told in calls
    )
    assert failed == ""
    assert "Never print in src." in worked


def test_an_agent_of_gemini_is_sent_what_another_was_shown(shop: Path, tmp_path: Path) -> None:
    """GEMINI.md of a folder is in the result of the first call of a process at a file there."""
    chat = _lines(tmp_path / "session.jsonl", {"sessionId": "g1", "projectHash": "0"})
    names = ("src/GEMINI.md", "src/deep/GEMINI.md", "docs/n.md")
    texts = ("- Never print in src.\n\n@../docs/n.md\n", "- Never wait.\n", "- Never nest.\n")
    for name, text in zip(names, texts, strict=True):
        (shop / name).parent.mkdir(parents=True, exist_ok=True)
        (shop / name).write_text(text)
    shown = [f"--- Context from: {shop / name} ---\n…" for name in names]

    def touched(agent: str, *context: str) -> str:
        folder = tmp_path / "g1"
        folder.mkdir(exist_ok=True)
        own = _lines(folder / f"{agent}.jsonl", {"sessionId": agent}) if agent else chat
        for each in (chat, *folder.iterdir()):
            os.utime(each, ns=(1, 1 + (each == own)))
        file: JsonObject = {"file_path": str(shop / "src/deep/a.py")}
        result: JsonObject = {"llmContent": "\n".join(["x = 1", *context])}
        more: JsonObject = {"tool_name": "read_file", "tool_input": file, "tool_response": result}
        return _gemini(shop, "AfterTool", chat, **more).text

    _gemini(shop, "BeforeAgent", chat, prompt="how are refunds booked?")
    first, second, third, fourth = (
        touched("a", *shown[:2]), touched("b"), touched("c", shown[1]), touched("a")
    )  # fmt: skip
    assert [text in first for text in ("print", "wait", "nest")] == [False] * 3
    assert [text in second for text in ("print", "wait", "nest")] == [True] * 3
    assert [text in third for text in ("print", "wait")] == [True, False]
    assert fourth == ""
    last = touched("")
    assert [text in last for text in ("print", "wait", "nest")] == [True] * 3


def test_gemini_is_sent_nothing_at_a_start_and_again_after_a_compression(
    shop: Path, tmp_path: Path
) -> None:
    """An answer at a start becomes a part of the prompt; no event tells that it compressed."""
    chat = _lines(tmp_path / "session.jsonl", {"sessionId": "g1", "projectHash": "0"})
    assert _gemini(shop, "SessionStart", chat, source="startup").out == b""
    first = _gemini(shop, "BeforeAgent", chat, prompt="how are refunds booked?").text
    assert RULE in first
    _gemini(shop, "PreCompress", chat, trigger="auto")
    kept: JsonObject = {"type": "user", "timestamp": "2026-11-27T10:00:00.000Z"}
    kept["content"] = [{"text": "Q"}, {"text": f"<hook_context>{first}</hook_context>"}]
    _lines(chat, kept, {"type": "gemini", "id": "m", "timestamp": "2126-11-27T10:00:01.000Z"})
    assert RULE not in _gemini(shop, "BeforeAgent", chat, prompt="and of returns?").text
    when = {"timestamp": "2126-11-27T10:00:02.000Z"}
    got = "Got it. Thanks for the additional context!"
    summary: list[Json] = [
        {"type": "user", **when, "content": [{"text": "<state_snapshot>…</state_snapshot>"}]},
        {"type": "gemini", **when, "content": [{"text": got}]},
    ]
    _lines(chat, {"$set": {"messages": summary}})
    again = _gemini(shop, "BeforeAgent", chat, prompt="go on").text
    assert RULE in again
    added: list[Json] = [{"text": "go on"}, {"text": f"<hook_context>{again}</hook_context>"}]
    _lines(chat, {"type": "user", "timestamp": "2126-11-27T10:00:03.000Z", "content": added})
    # A resumption writes all messages again, with new times, behind the context of the new start.
    context: Json = {"type": "user", "content": [{"text": "<session_context>\nToday's date …"}]}
    later: Json = json.loads(json.dumps(summary).replace("00:02.000Z", "00:04.000Z"))
    assert isinstance(later, list)
    _lines(chat, {"$set": {"messages": [context, *later]}})
    assert RULE not in _gemini(shop, "BeforeAgent", chat, prompt="go on with it").text


def test_an_answer_that_gemini_dropped_is_sent_again(shop: Path, tmp_path: Path) -> None:
    chat = _lines(tmp_path / "session.jsonl", {"sessionId": "g1", "projectHash": "0"})
    assert RULE in _gemini(shop, "BeforeAgent", chat, prompt="how are refunds booked?").text
    _lines(chat, {"type": "gemini", "id": "m", "timestamp": "2126-11-27T10:00:01.000Z"})
    again = _gemini(shop, "BeforeAgent", chat, prompt="and of returns?")
    assert RULE in again.text
    assert "sent again" in again.log["reason"]


def test_a_subagent_of_gemini_is_told_from_its_session(tmp_path: Path) -> None:
    """Its events carry its parent's id: its chat is the one that is written while it works."""
    gemini = hooks_of("gemini")
    assert gemini is not None
    chat = _lines(tmp_path / "session.jsonl", {"sessionId": "g1"})
    touch: JsonObject = {"session_id": "g1", "transcript_path": str(chat), "tool_input": {}}
    found = gemini.read("AfterTool", touch)
    assert found is not None
    assert (found.session, found.agent) == ("g1", "")
    (tmp_path / "g1").mkdir()
    own = _lines(tmp_path / "g1/a1.jsonl", {"sessionId": "a1"})
    os.utime(chat, ns=(1, 1))
    found = gemini.read("AfterTool", touch)
    assert found is not None
    assert (found.session, found.agent) == ("g1/a1.jsonl", "subagent")
    assert found.transcript == str(own)
    os.utime(own, ns=(0, 0))  # its parent went on
    found = gemini.read("AfterTool", touch)
    assert found is not None
    assert found.session == "g1"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("/memory refresh", True), ("/compress", True), ("/srv/shop/prices.py is wrong", False),
        ("/memory/x.py is wrong", False), ("memory refresh", False), ("/", False),
    ],
)  # fmt: skip
def test_commands_of_gemini_are_nobodys_words(text: str, *, is_one: bool) -> None:
    gemini = hooks_of("gemini")
    assert gemini is not None
    found = gemini.read("BeforeAgent", {"prompt": text})
    assert (found and found.prompt) == (None if is_one else text)
    assert gemini.read("AfterAgent", {"prompt": text}), "what was said is stored"
    row: JsonObject = {"id": "u", "type": "user", "content": [{"text": text}], "timestamp": "t"}
    _, piece = format_of("gemini").read(row, "g1")
    assert isinstance(piece, Skip if is_one else Turn)


def test_a_result_that_gemini_writes_twice_is_one_turn() -> None:
    again: Json = [{"functionResponse": {"name": "read_file", "response": {"output": "x"}}}]
    row: JsonObject = {"id": "u", "type": "user", "content": again, "timestamp": "t"}
    assert [*map(type, format_of("gemini").read(row, "g1"))] == [Node, Skip]


# --- Claude Code 2.1.197 and 2.1.332 ------------------------------------------------------

PRINT = "Never print in src."


@pytest.fixture
def sources(shop: Path) -> Path:
    """The project with rules for files, which no host but Cursor loads."""
    (shop / ".cursor/rules").mkdir(parents=True)
    rule = f"---\nglobs: src/*.py\nalwaysApply: false\n---\n\n- {PRINT}\n"
    (shop / ".cursor/rules/a.mdc").write_text(rule)
    return shop


def _claude(shop: Path, name: str, path: Path, **more: Json) -> str:
    data: JsonObject = {"session_id": path.stem, "transcript_path": str(path), "cwd": str(shop)}
    return run(shop, {**data, **more}, "claude", name).text


def _wrote(shop: Path, path: Path) -> str:
    given: JsonObject = {"file_path": str(shop / "src/a.py")}
    return _claude(shop, "PostToolUse", path, tool_name="Write", tool_input=given)


def _said(name: str, parent: str, **more: Json) -> JsonObject:
    """Return a record of now, as Claude Code writes it."""
    ids: JsonObject = {"parentUuid": parent or None, "uuid": name, "sessionId": "s"}
    return {**ids, "timestamp": time_of(time.time_ns() / 1e9), **more}


def _answer(name: str, parent: str, tokens: int = 1) -> JsonObject:
    message: JsonObject = {"id": name, "content": [], "usage": {"input_tokens": tokens}}
    return _said(name, parent, type="assistant", message=message)


def _prompt(name: str, parent: str) -> JsonObject:
    return _said(name, parent, type="user", message={"content": "Q"})


def _told(name: str, parent: str, text: str) -> JsonObject:
    told: JsonObject = {"type": "hook_additional_context", "content": [text]}
    return _said(name, parent, type="attachment", attachment=told)


def _turns(shop: Path, chat: Path) -> Path:
    """Write a session of one answer, and a second prompt."""
    text = _claude(shop, "SessionStart", chat, source="startup")
    assert RULE in text
    rows = _told("h1", "", text), _prompt("p1", "h1"), _answer("a1", "p1"), _prompt("p2", "a1")
    return _lines(chat, *rows)


@pytest.mark.parametrize("counts", ["answer", "compaction"])
def test_a_fork_of_claude_has_the_window_of_as_many_tokens(
    sources: Path, tmp_path: Path, counts: str
) -> None:
    """2.1.332: its start has its own id and the tokens of its window, and no transcript yet."""
    first, other = tmp_path / "chats/s1.jsonl", tmp_path / "chats/s2.jsonl"
    first.parent.mkdir()
    assert RULE in _claude(sources, "SessionStart", first, source="startup")
    assert PRINT in _wrote(sources, first)
    _lines(first, _answer("a", "", 4020))
    if counts == "compaction":
        held: JsonObject = {"postTokens": 4020, "trigger": "manual"}
        _lines(first, _answer("a", "", 7), {"type": "system", "compactMetadata": held})
    _lines(other, _answer("b", "", 3020))  # which was written last
    fork = tmp_path / "chats/s3.jsonl"
    assert _claude(sources, "SessionStart", fork, source="fork", context_tokens=4020) == ""
    assert RULE not in _claude(sources, "UserPromptSubmit", fork, prompt="how are refunds booked?")
    _lines(fork, _prompt("c", ""))
    assert _wrote(sources, fork) == ""
    unknown = tmp_path / "chats/s4.jsonl"
    text = _claude(sources, "SessionStart", unknown, source="fork", context_tokens=5)
    assert RULE in text


def test_a_fork_of_claude_has_the_window_of_the_session_whose_start_it_had(
    sources: Path, tmp_path: Path
) -> None:
    """2.1.197: that start has the id of the other session, what follows one of its own."""
    first = tmp_path / "chats/s1.jsonl"
    first.parent.mkdir()
    assert RULE in _claude(sources, "SessionStart", first, source="startup")
    assert PRINT in _wrote(sources, first)
    _lines(first, _prompt("p1", ""))
    assert RULE not in _claude(sources, "SessionStart", first, source="resume")
    fork = tmp_path / "chats/s2.jsonl"
    assert RULE not in _claude(sources, "UserPromptSubmit", fork, prompt="how are refunds booked?")
    assert _wrote(sources, fork) == ""
    assert RULE in _claude(sources, "SessionStart", tmp_path / "chats/s3.jsonl", source="startup")
    other = tmp_path / "chats/s4.jsonl"
    assert RULE in _claude(sources, "UserPromptSubmit", other, prompt="and of returns?"), "no fork"


@pytest.mark.parametrize("goes_back", [True, False])
def test_claude_that_went_back_is_sent_rules_for_files_again(
    sources: Path, tmp_path: Path, *, goes_back: bool
) -> None:
    """No event tells it: the next prompt follows an earlier message."""
    chat = _turns(sources, tmp_path / "s1.jsonl")
    text = _wrote(sources, chat)
    assert PRINT in text
    _lines(chat, _told("h2", "p2", text), _answer("a2", "h2"))
    start: JsonObject = {"type": "hook_success"}  # of a resumption, before the prompt
    back = "a1" if goes_back else "a2"
    _lines(chat, _said("h3", back, type="attachment", attachment=start), _prompt("p3", "h3"))
    again = _wrote(sources, chat)
    assert (PRINT in again) is goes_back
    assert _wrote(sources, chat) == "", "once"
    assert RULE not in _claude(sources, "UserPromptSubmit", chat, prompt="how are refunds booked?")


def test_what_claude_loaded_before_it_went_back_is_sent(sources: Path, tmp_path: Path) -> None:
    """2.1.197 loads no rules at a write."""
    rule = sources / ".claude/rules/src.md"
    rule.parent.mkdir(parents=True)
    rule.write_text("---\npaths: src/**\n---\n\n- Never wait in src.\n")
    chat = _turns(sources, tmp_path / "s1.jsonl")
    given: JsonObject = {"file_path": str(sources / "src/a.py")}
    read = _claude(sources, "PostToolUse", chat, tool_name="Read", tool_input=given)
    assert PRINT in read
    assert "Never wait" not in read
    loaded: JsonObject = {"type": "nested_memory", "path": str(rule)}
    row = _said("m2", "h2", type="attachment", attachment=loaded)
    _lines(chat, _told("h2", "p2", read), row, _answer("a2", "m2"))
    assert _wrote(sources, chat) == ""
    _lines(chat, _prompt("p3", "a1"))
    assert "Never wait" in _wrote(sources, chat)


def test_a_compacted_window_has_what_a_new_one_has(shop: Path, tmp_path: Path) -> None:
    """Whatever was said last: decisions and learnings are no longer there."""
    chat = tmp_path / "s1.jsonl"
    said: JsonObject = {"content": [{"type": "text", "text": "Part 1 is done"}]}
    _lines(chat, _said("a1", "", type="assistant", message=said))
    text = _claude(shop, "SessionStart", chat, source="compact")
    assert "## Decisions" in text
    assert "## Learnings" in text


def test_rules_whose_patterns_claude_does_not_understand_are_sent(
    shop: Path, tmp_path: Path
) -> None:
    """``./src/**`` matches nothing there; ``src/**`` is what it is about."""
    (shop / ".claude/rules").mkdir(parents=True)
    (shop / ".claude/rules/a.md").write_text("---\npaths: ./src/**\n---\n\n- Never wait.\n")
    chat = _lines(tmp_path / "s1.jsonl", _prompt("p1", ""))
    _claude(shop, "SessionStart", chat, source="startup")
    for name, is_sent in (("lib/src/a.py", False), ("src/a.py", True)):
        given: JsonObject = {"file_path": str(shop / name)}
        text = _claude(shop, "PostToolUse", chat, tool_name="Read", tool_input=given)
        assert ("Never wait." in text) is is_sent


# --- Codex CLI 0.171.0 --------------------------------------------------------------------

HOOK = "hooks.additional_context"


def _rollout(folder: Path, name: str, **meta: Json) -> Path:
    path = folder / f"sessions/2026/11/27/rollout-2026-11-27T10-00-00-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    payload: JsonObject = {"id": name.partition("_")[0], **meta}
    return _lines(path, {"type": "session_meta", "ordinal": 0, "payload": payload})


def _item(at: str, role: str, text: str, kind: str, ordinal: int = 1) -> JsonObject:
    own: JsonObject = {"type": "message", "role": role, "content": [{"text": text}], "id": at}
    own["internal_chat_message_metadata_passthrough"] = {"content_item_kinds": [kind]}
    return {"timestamp": at, "ordinal": ordinal, "type": "response_item", "payload": own}


def _codex(shop: Path, name: str, path: Path, session: str = "s1", **more: Json) -> Answered:
    where: JsonObject = {"transcript_path": str(path), "cwd": str(shop)}
    return run(shop, {"session_id": session, **where, **more}, "codex", name)


def test_a_fork_of_codex_is_sent_what_it_lacks(shop: Path, tmp_path: Path) -> None:
    first = _rollout(tmp_path, "s1")
    assert RULE in _codex(shop, "SessionStart", first, source="startup").text
    fork = _rollout(tmp_path, "s2", forked_from_id="s1", history_base={"thread_id": "s1"})
    assert RULE not in _codex(shop, "SessionStart", fork, "s2", source="fork").text
    other = _rollout(tmp_path, "s3")
    assert RULE in _codex(shop, "SessionStart", other, "s3", source="fork").text


def test_codex_that_tells_a_compaction_at_two_starts_has_the_rules_once(
    shop: Path, tmp_path: Path
) -> None:
    """A session that is resumed and compacted at once; the next compaction is another one."""
    path = _rollout(tmp_path, "s1")
    assert RULE in _codex(shop, "SessionStart", path, source="startup").text
    for minute in range(2):
        at = f"2126-01-01T10:{minute:02}:0"
        answer = _item(f"{at}1.000Z", "assistant", "ok", "unknown")
        _lines(path, answer, {"timestamp": f"{at}2.000Z", "type": "compacted", "payload": {}})
        both = [_codex(shop, "SessionStart", path, source=why) for why in ("resume", "compact")]
        assert [RULE in each.text for each in both] == [True, False]
    _lines(path, _item("2126-01-01T10:09:00.000Z", "assistant", "ok", "unknown"))
    late = _codex(shop, "SessionStart", path, source="compact").text
    assert RULE in late, "of a compaction that is not written yet"


def test_codex_is_sent_rules_for_a_file_that_its_shell_shows(shop: Path, tmp_path: Path) -> None:
    """It has no tool that reads."""
    write(shop, {"src/CLAUDE.md": "- Never print in src.\n", "src/a.py": "", "lib/a.py": ""})
    path = _rollout(tmp_path, "s1")
    _codex(shop, "SessionStart", path, source="startup")
    commands = {
        "make test": False, "cat lib/a.py": False, "cat src/b.py": False,
        "sed -n '1,9p' \"src/a.py\"|head": True, "cat src/a.py": False,
    }  # fmt: skip
    for words, is_sent in commands.items():
        given: JsonObject = {"command": words}
        said = _codex(shop, "PostToolUse", path, tool_name="Bash", tool_input=given)
        assert ("Never print in src." in said.text) is is_sent, words


@pytest.mark.parametrize("inherits", [True, False])
def test_a_subagent_of_codex_has_its_parents_window_unless_it_begins_anew(
    shop: Path, tmp_path: Path, *, inherits: bool
) -> None:
    _codex(shop, "SessionStart", _rollout(tmp_path, "s1"), source="startup")
    meta: dict[str, Json] = {"forked_from_id": "s1"} if inherits else {"parent_thread_id": "s1"}
    own = _rollout(tmp_path, "a1", **meta)
    said = _codex(shop, "SubagentStart", own, agent_id="a1", agent_type="default")
    assert (RULE in said.text) is not inherits


@pytest.mark.parametrize("holds", [True, False], ids=["to the second prompt", "to the first"])
def test_codex_that_went_back_is_sent_what_its_window_lost(
    shop: Path, tmp_path: Path, *, holds: bool
) -> None:
    """It goes on in another file of the same session, which names the place in the first one."""
    first = _rollout(tmp_path, "s1")
    before = first.stat().st_size
    said = _codex(shop, "SessionStart", first, source="startup").text
    _lines(first, _item("2126-01-01T10:00:00.000Z", "developer", said, HOOK))
    end, ordinal = (first.stat().st_size, 2) if holds else (before, 1)
    _lines(first, _item("2126-01-01T10:00:01.000Z", "user", "Q", "user.text", 2))
    base: JsonObject = {"end_ordinal_exclusive": ordinal, "end_byte_offset": end}
    again = _rollout(tmp_path, "s1_2", history_base={"thread_id": "s1", **base})
    text = _codex(shop, "SessionStart", again, source="resume").text
    assert (RULE in text) is not holds
    assert ("earlier rules" in text) is (holds and bool(text))
    assert RULE not in _codex(shop, "SessionStart", again, source="resume").text, "once"


def test_an_answer_that_codex_dropped_is_sent_again(shop: Path, tmp_path: Path) -> None:
    path = _rollout(tmp_path, "s1")
    first = _codex(shop, "SessionStart", path, source="startup").text
    assert RULE in first
    went_on = _item("2126-01-01T10:00:00.000Z", "assistant", "ok", "unknown")
    _lines(path, went_on)
    again = _codex(shop, "UserPromptSubmit", path, prompt="how are refunds booked?")
    assert RULE in again.text
    _lines(path, _item("2126-01-01T10:00:01.000Z", "developer", again.text, HOOK), went_on)
    assert RULE not in _codex(shop, "UserPromptSubmit", path, prompt="and of returns?").text


def test_hooks_of_codex_take_no_variables_of_another_shell(shop: Path, tmp_path: Path) -> None:
    """Those of the terminal are run by a server, which another shell started."""
    (tmp_path / "other/.context").mkdir(parents=True)
    elsewhere = {"CTX_DIR": str(tmp_path / "other"), "CTX_BUDGET": "1"}
    start = event("s1", "", source="startup", cwd=str(shop))
    assert RULE in run(shop, start, "codex", "SessionStart", **elsewhere).text


def test_what_codex_put_in_is_told_by_its_kind() -> None:
    """Also where its text changes: an AGENTS.md that is sent again begins otherwise."""
    own = _item(
        "t", "user", "These instructions replace the earlier ones.", "agents_md.instructions"
    )
    asked = _item("t", "user", "Why cents?", "user.text")
    rows = [json.dumps(row).encode() for row in (asked, own)]
    assert [turn.text for turn in latest("codex", rows)] == ["Why cents?"]


def test_a_memory_that_was_copied_is_that_of_then(tmp_path: Path) -> None:
    store = open_store(str(tmp_path), {"XDG_STATE_HOME": str(tmp_path / "s")}, "/-", make=True)
    given.claim(store.state, "s1", ["a"])
    given.inherit(store.state, "s1", "s2")
    given.claim(store.state, "s1", ["b"])
    assert given.unsent(store.state, "s2", ["a", "b", "c"]) == ["b", "c"]
    assert given.claim(store.state, "s2", ["a", "b"]) == ["b"]

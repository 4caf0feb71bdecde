"""What the tools tell and how they are answered, by their documentation."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.hooks.places import tool_named
from ctx.hosts import NAMES, aliases, all_hooks, hooks_of, sessions
from ctx.hosts.host import text
from ctx.model import JsonObject
from tests.hooks.golden import events

if TYPE_CHECKING:
    from ctx.hosts.host import Hooks
    from tests.hooks.golden import Recorded

ALL = all_hooks()
claude, cursor, codex = tool_named("claude"), tool_named("cursor"), tool_named("codex")
gemini, copilot = tool_named("gemini"), tool_named("copilot")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    (
        "session_id", "sessionId", "conversation_id", "prompt", "transcript_path", "cwd", "source",
        "workspace_roots", "hookEventName", "initial_prompt", "initialPrompt", "transcriptPath",
    )
)  # fmt: skip


def test_the_registry_loads_each_tool_by_its_name() -> None:
    assert [hooks_of(name) for name in NAMES] == list(ALL)
    assert [one.name for one in ALL] == list(NAMES)
    others = aliases()
    assert others["vscode"] == "copilot"
    assert all(hooks_of(other) is hooks_of(name) is not None for other, name in others.items())
    assert [hooks_of(name) for name in ("git", "", "vim", "__class__")] == [None] * 4
    assert "CLAUDE_CODE_SESSION_ID" in sessions()


@pytest.mark.parametrize(
    ("agent", "version"),
    [
        ("claude-code_2-1-197_harness", "2.1.197"), ("claude-code_2-1-332", "2.1.332"),
        ("codex_0-171-0", ""), ("claude-code", ""), ("", ""),
    ],
)  # fmt: skip
def test_claude_tells_its_version_by_the_environment(agent: str, version: str) -> None:
    assert claude.version({"AI_AGENT": agent}) == version
    assert claude.version({}) == codex.version({"AI_AGENT": agent}) == ""


def test_a_tool_is_asked_without_what_costs_start_up_time() -> None:
    """Typing, dataclasses, json, and the other tools stay unloaded."""
    code = (
        "import sys, ctx.hosts as h; h.hooks_of('codex').read('SessionStart', {}); "
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "ctx.hosts.codex.hooks" in loaded
    rest = {"typing", "dataclasses", "json", "re"}
    assert not loaded & {*rest, "ctx.hosts.claude", "ctx.hosts.sources"}


def test_every_event_is_recorded() -> None:
    recorded = {(one.tool, one.event) for one in events()}
    every = {(one.name, event) for one in ALL for event in (*one.events, *one.captures)}
    others = {(one.name, other) for one in ALL for other in one.others}
    assert every <= recorded <= every | others


@pytest.mark.parametrize("one", events(), ids=lambda one: one.id)
def test_a_recorded_event_is_read(one: Recorded) -> None:
    found = _tool(one).read(one.event, one.data)
    assert found is not None
    assert one.read.keys() >= {"prompt", "fresh"}
    told: JsonObject = {
        "session": text(one.data, "conversation_id", "session_id", "sessionId"),
        "transcript": text(one.data, "transcript_path"), "cwd": "/home/u/p", **one.read,
    }  # fmt: skip
    assert {key: json.loads(json.dumps(getattr(found, key))) for key in told} == told
    assert found.session


@pytest.mark.parametrize("one", [one for one in events() if one.answer], ids=lambda one: one.id)
def test_an_answer_has_the_form_that_reaches_the_model(one: Recorded) -> None:
    packet = '# Rules\n\n- "Never" \\ do </that>\t日本 🎉\n'
    found = _tool(one).read(one.event, one.data)
    assert found is not None
    said = json.loads(_tool(one).answer(found.name, packet))
    inner = said
    for key in one.answer:
        inner = inner[key]
    assert inner == packet
    assert len(said) == 1  # a host that reads two members would say it twice
    if len(one.answer) > 1:
        assert said["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
        assert said["hookSpecificOutput"]["hookEventName"] == one.event


def test_the_first_event_of_each_host_has_an_answer() -> None:
    assert {one.tool for one in events() if one.answer} == set(NAMES)


def _tool(one: Recorded) -> Hooks:
    found = hooks_of(one.tool)
    assert found is not None
    return found


@given(st.sampled_from(ALL), st.text(max_size=8), st.dictionaries(FIELDS, JSON))
def test_whatever_is_told_reading_does_not_raise(one: Hooks, other: str, data: JsonObject) -> None:
    for event in (*one.events, other):
        found = one.read(event, data)
        assert (found is None) == (one.answer(event, "x") == b"")
        assert found is None or all(
            isinstance(value, str)
            for value in (found.name, found.session, found.prompt, found.transcript, found.cwd)
        )


@given(st.sampled_from(ALL), st.text())
def test_an_answer_is_one_line_of_json_whose_ends_stay_the_same(one: Hooks, packet: str) -> None:
    for event in one.events:
        data = one.answer(event, packet)
        head, _, tail = one.answer(event, "|").partition(b"|")
        assert data.startswith(head)
        assert data.endswith(tail)
        assert data.count(b"\n") == 1


def test_cursor_works_in_the_first_folder_of_its_workspace() -> None:
    found = cursor.read("sessionStart", {"workspace_roots": ["/a", "/b"]})
    assert found is not None
    assert found.cwd == "/a"
    named = cursor.read("sessionStart", {"workspace_roots": ["/a"], "cwd": "/c"})
    assert named is not None
    assert named.cwd == "/c"


def test_copilots_own_names_of_events_are_taken_too() -> None:
    """As its CLI calls them in settings that a person wrote."""
    data: JsonObject = {"sessionId": "s", "source": "resume", "initialPrompt": "go"}
    found = copilot.read("sessionStart", data)
    assert found is not None
    assert (found.session, found.prompt, found.fresh) == ("s", "go", False)
    assert copilot.answer(found.name, "x") == b'{"additionalContext": "x"}\n'


def test_lengths_are_counted_as_the_hosts_count() -> None:
    """Claude Code counts units of UTF-16, Codex takes four bytes for a token."""
    packets = ("abc", "né", "🎉", "\ud800")
    assert [claude.size(packet) for packet in packets] == [3, 2, 2, 1]
    assert [codex.size(packet) for packet in packets] == [3, 3, 4, 3]


def line(data: object) -> bytes:
    return json.dumps(data).encode()

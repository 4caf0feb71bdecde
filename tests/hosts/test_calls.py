"""How calls of tools name files and commands, of every host alike."""

import json

import pytest

from ctx.hosts.calls import changed, command, files, reads
from ctx.hosts.host import Event, about
from ctx.model import Json, JsonObject, Turn
from ctx.sessions import notes

PATCH = (
    "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** Add File: c.py\n"
    "+*** Delete File: none.py\n*** End Patch"
)
CALLS: list[tuple[str, Json, list[str], list[str]]] = [  # files that are named, and changed
    ("Read", {"file_path": "a.py"}, ["a.py"], []),
    ("Edit", {"file_path": "a.py", "old_string": "x"}, ["a.py"], ["a.py"]),
    ("NotebookEdit", {"notebook_path": "a.ipynb"}, ["a.ipynb"], ["a.ipynb"]),
    ("read_file", {"absolute_path": "/w/a.py"}, ["/w/a.py"], []),
    ("replace", {"absolute_path": "/w/a.py"}, ["/w/a.py"], ["/w/a.py"]),
    ("multi_edit", {"edits": [{"file_path": "a"}, {"filePath": "b"}]}, ["a", "b"], ["a", "b"]),
    ("create_files", {"files": ["a", "b", "a"]}, ["a", "b"], ["a", "b"]),
    ("StrReplace", {"path": "a.py"}, ["a.py"], ["a.py"]),
    ("apply_patch", PATCH, ["a.py", "b.py", "c.py"], ["a.py", "b.py", "c.py"]),
    ("apply_patch", {"input": PATCH}, ["a.py", "b.py", "c.py"], ["a.py", "b.py", "c.py"]),
    ("shell", {"command": ["apply_patch", PATCH]}, ["a.py", "b.py", "c.py"],
     ["a.py", "b.py", "c.py"]),
    ("Write", {"file_path": "doc.md", "content": PATCH}, ["doc.md"], ["doc.md"]),
    ("Bash", {"command": "make test"}, [], []),
    ("odd", {"path": 3, "files": "a", "edits": [3, None]}, [], []),
    ("Edit", {"file_path": "a\0b"}, [], []),
    ("Edit", {"file_path": "a" * 5000}, [], []),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "given", "named", "edited"), CALLS)
def test_hooks_and_notes_see_the_same_files(
    tool: str, given: Json, named: list[str], edited: list[str]
) -> None:
    assert files(given) == named
    assert changed(tool, given) == edited
    # As a hook is told it, and as a stored session holds it.
    for written in (given, json.dumps(given) if isinstance(given, dict) else given):
        data: JsonObject = {"tool_name": tool, "tool_input": written}
        event = Event("PostToolUse", "s")
        about(event, data)
        assert list(event.files) == named
    text = given if isinstance(given, str) else json.dumps(given)
    turn = Turn("1", "s", "", "assistant", f"[tool_use {tool}] {text}", bundle="b")
    assert notes.changed(turn) == edited
    steps = notes.steps([turn])
    assert [*steps[0].changed] == edited if steps else not edited


def test_tools_that_read() -> None:
    names = ("Read", "read_file", "view_image", "open", "mcp_read", "Write", "Edit", "bash")
    assert [reads(name) for name in names] == [True] * 5 + [False] * 3


def test_commands_without_their_shell() -> None:
    assert command({"command": ["bash", "-lc", "make test"]}) == "make test"
    assert command({"command": ["git", "status"]}) == "git status"
    assert command({"cmd": "ls"}) == "ls"
    assert command({"path": "x"}) == command("x") == ""

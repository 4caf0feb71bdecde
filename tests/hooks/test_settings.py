"""Hooks in settings as people have them: merged, left alone, and put back to the byte."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.edit.json_splice import scan
from ctx.errors import FileError
from ctx.hooks.places import tool_named
from ctx.hooks.settings import Wanted, hooks_in, program_of, removed, with_hooks
from ctx.hooks.settings_file import LARGEST, File, carry_out, to_install
from ctx.hosts import NAMES
from tests.hooks.documents import documents
from tests.hooks.golden import cases, form, in_project

if TYPE_CHECKING:
    from tests.hooks.documents import Document

CASES = [(tool, path) for tool in NAMES for path in cases(tool)]
SHOWN = [f"{tool}/{path.name}" for tool, path in CASES]
BOM = b"\xef\xbb\xbf"


def wanted(tool: str, tmp_path: Path, program: str = "ctx") -> Wanted:
    return in_project(tool, tmp_path).wanted(program)


def value(data: bytes) -> dict[str, Any]:
    node = scan(data.removeprefix(BOM).decode())
    if node is None:
        return {}
    assert isinstance(node.value, dict)
    return node.value


@pytest.mark.parametrize(("tool", "path"), CASES, ids=SHOWN)
def test_settings_of_people_are_merged(tool: str, path: Path, tmp_path: Path) -> None:
    """What was there stays where it was; the hooks of ctx come last in their lists."""
    asked = wanted(tool, tmp_path)
    before = path.read_bytes()
    after = with_hooks(before, asked, path.name)
    assert after == path.with_suffix(".installed.json").read_bytes()
    old, new = value(before), value(after)
    old_hooks = old.get("hooks", {})
    new_hooks = new.pop("hooks")
    assert isinstance(old_hooks, dict)
    assert isinstance(new_hooks, dict)
    for event, entry in asked.entries:
        before_it = old_hooks.get(event, [])
        assert isinstance(before_it, list)
        assert new_hooks[event] == [*before_it, entry]
    assert {key: one for key, one in new_hooks.items() if key not in dict(asked.entries)} == {
        key: one for key, one in old_hooks.items() if key not in dict(asked.entries)
    }
    assert new == {**asked.needed, **{key: one for key, one in old.items() if key != "hooks"}}


@pytest.mark.parametrize("tool", NAMES)
def test_settings_of_people_come_back_to_the_byte(tool: str, tmp_path: Path) -> None:
    for path in cases(tool):
        before = path.read_bytes()
        for program in ("ctx", "/opt/ctx 2/bin/ctx", "/usr/bin/python3 -m ctx"):
            asked = wanted(tool, tmp_path, program if " " not in program[:9] else f"'{program}'")
            after = with_hooks(before, asked, path.name)
            assert removed(after, wanted(tool, tmp_path), path.name) == before, path


@pytest.mark.parametrize(("tool", "path"), CASES[::4], ids=SHOWN[::4])
def test_what_was_changed_in_between_stays_changed(tool: str, path: Path, tmp_path: Path) -> None:
    """Whatever else a person adds, ctx's hooks go and nothing else does."""
    before = path.read_bytes()
    asked = wanted(tool, tmp_path)
    after = with_hooks(before, asked, path.name)
    comment = b"// a new note\n"
    edited = BOM + comment + after[len(BOM) :] if after.startswith(BOM) else comment + after
    left = removed(edited, asked, path.name)
    assert left is not None
    assert comment in left
    assert b"hook run" not in left
    assert closed_up(left.replace(comment, b"", 1)) in (
        closed_up(before),
        before + b"{}\n",
        b"{}\n",
    )


def closed_up(data: bytes) -> bytes:
    """Return JSON whose empty lists and objects hold no blanks: those do not come back."""
    return re.sub(rb"([\[{])\s+([\]}])", rb"\1\2", data)


@pytest.mark.parametrize("tool", NAMES)
def test_a_file_that_ctx_made_goes_again(tool: str, tmp_path: Path) -> None:
    """Also where it was formatted anew."""
    asked = wanted(tool, tmp_path)
    data = with_hooks(None, asked, "f")
    assert removed(data, asked, "f") is None
    assert removed(json.dumps(json.loads(data), indent="\t").encode(), asked, "f") is None


def test_a_file_that_ctx_made_stays_when_a_person_wrote_into_it(tmp_path: Path) -> None:
    asked = wanted("claude", tmp_path)
    data = with_hooks(None, asked, "f").replace(b"{\n", b'{\n  "model": "opus",\n', 1)
    assert removed(data, asked, "f") == b'{\n  "model": "opus"\n}\n'
    noted = b"// mine\n" + with_hooks(None, asked, "f")
    assert removed(noted, asked, "f") == b"// mine"


def test_a_comment_that_a_person_wrote_into_a_hook_of_ctx_stays(tmp_path: Path) -> None:
    asked = wanted("claude", tmp_path)
    before = b'{\n  "a": 1\n}\n'
    note = b'"type": // mine, "too"\n "command"'
    noted = with_hooks(before, asked, "").replace(b'"type": "command"', note, 1)
    left = removed(noted, asked, "")
    assert left is not None
    assert b'// mine, "too"\n' in left
    assert not hooks_in(left, "claude", "")
    assert value(left)["a"] == 1


def test_a_hook_among_others_of_its_group_goes_alone(tmp_path: Path) -> None:
    asked = wanted("claude", tmp_path)
    ours = '{"type": "command", "command": "ctx hook run claude SessionStart"}'
    first = '{"hooks": {"SessionStart": [{"hooks": [HOOK, {"command": "a"}]}]}}'.replace(
        "HOOK", ours
    )
    after = b'{"hooks": {"SessionStart": [{"hooks": [ {"command": "a"}]}]}}'
    assert removed(first.encode(), asked, "f") == after
    text = '{"hooks": {"SessionStart": [{"matcher": "x", "hooks": [{"command": "a"}, %s]}]}}'
    left = '{"hooks": {"SessionStart": [{"matcher": "x", "hooks": [{"command": "a"}]}]}}'
    assert removed((text % ours).encode(), asked, "f") == left.encode()


PROGRAMS = {
    "ctx hook run claude SessionStart; exit 0": "ctx",
    "ctx hook run claude SessionStart": "ctx",
    "  ctx  hook run claude SessionStart ;exit 0 ": "ctx",
    "/usr/local/bin/ctx hook run claude SessionStart; exit 0": "/usr/local/bin/ctx",
    "'/a b/ctx' hook run claude SessionStart; exit 0": "'/a b/ctx'",
    r"""'/it'\''s/ctx' hook run claude SessionStart; exit 0""": r"""'/it'\''s/ctx'""",
    '"C:\\Tools\\ctx.exe" hook run claude SessionStart': '"C:\\Tools\\ctx.exe"',
    "/usr/bin/python3.12 -m ctx hook run claude SessionStart; exit 0": "/usr/bin/python3.12",
    "python3 hook run claude SessionStart": "",
    "myctx hook run claude SessionStart": "",
    "ctx hook run claude SessionStart | tee log": "",
    "cat notes; ctx hook run claude SessionStart": "",
    "ctx hook run claude SessionStart --budget 500": "",
    "ctx hook run claude SessionStart; exit 1": "",
    "ctx hook run claude SessionStart; exit 0; rm x": "",
    "$(evil)ctx hook run claude SessionStart": "",
    "ctx agent": "",
}


def test_a_command_is_ctxs_own_where_it_does_nothing_else() -> None:
    assert {command: program_of(command) for command in PROGRAMS} == PROGRAMS


def test_a_hook_that_a_person_wrote_around_ctx_is_left(tmp_path: Path) -> None:
    asked = wanted("claude", tmp_path)
    command = b"cat a; ctx hook run claude SessionStart"
    data = b'{"hooks": {"SessionStart": [{"hooks": [{"command": "%s"}]}]}}' % command
    assert [(hook.event, hook.own) for hook in hooks_in(data, "claude", "f")] == [
        ("SessionStart", False)
    ]
    assert removed(data, asked, "f") == data


def test_hooks_of_another_tool_are_not_this_ones(tmp_path: Path) -> None:
    data = with_hooks(None, wanted("codex", tmp_path), "f")
    assert hooks_in(data, "claude", "f") == []
    assert removed(data, wanted("claude", tmp_path), "f") == data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"a": 1', "f:1: cannot be changed: a comma or } is missing"),
        (b'{\r\n"a": 1,\r\n"b" 2}', "f:3: cannot be changed: a colon is missing"),
        (b'{"hooks": []}', "f:1: cannot be changed: no object, where one should be"),
        (b'{\n"hooks": {"SessionStart": {}}}', "f:2: cannot be changed: no array"),
        (b'{"a": "\xff"}', "f: cannot be read: byte 7 is not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "f: cannot be read: byte 0 is not UTF-8"),
        (b"model = 'x'", "f:1: cannot be changed: there is no value here"),
    ],
)
def test_what_cannot_be_read_is_refused(data: bytes, says: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=re.escape(says)) as caught:
        with_hooks(data, wanted("claude", tmp_path), "f")
    assert caught.value.exit_code == 6


def test_a_file_that_is_too_large_is_refused_in_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b" ")
    os.truncate(path, LARGEST + 1)
    with pytest.raises(FileError, match=r"settings\.json: is larger than 16 MB \(make it smaller"):
        carry_out(File(str(path)), to_install(wanted("claude", tmp_path), "settings.json"))


@given(document=documents(), mark=st.sampled_from((b"", BOM)), tool=st.sampled_from(NAMES))
def test_any_settings_come_back_to_the_byte(document: Document, mark: bytes, tool: str) -> None:
    """And with the hooks in them say exactly that more."""
    asked = _wanted(tool)
    before = mark + document.text.encode()
    try:
        after = with_hooks(before, asked, "f")
    except FileError:
        hooks = document.value.get("hooks", {})
        lists = hooks.values() if isinstance(hooks, dict) else [0]
        assert not all(isinstance(one, list) for one in lists)
        return
    assert removed(after, asked, "f") == before
    hooks = document.value.get("hooks", {})
    assert isinstance(hooks, dict)
    more = {}
    for event, entry in asked.entries:
        others = hooks.get(event, [])
        assert isinstance(others, list)
        more[event] = [*others, entry]
    assert value(after) == {**asked.needed, **document.value, "hooks": {**hooks, **more}}
    assert with_hooks(after, asked._replace(entries=()), "f") == after


@pytest.mark.parametrize("tool", ["claude", "cursor"])
def test_settings_that_hold_next_to_nothing_come_back_to_the_byte(tool: str) -> None:
    asked = _wanted(tool)
    event = asked.entries[0][0]
    hooks = [
        '"hooks": {}', '"hooks": { // c\n}', f'"hooks":{{"{event}": [\n\n]}}',
        f'"hooks": {{"{event}" : [ ],\n"x": []}}',
    ]  # fmt: skip
    others = ["", '"a": []', '"version": 1', '"version" :2']
    bodies = [f"{one}, {other}" for one in hooks for other in others if other]
    bodies += [f"{other},\n {one}" for one in hooks for other in others if other]
    around = ("{%s}", "// c\n{ %s }\n", "/* c */{\r\n\t%s\r\n\t} // c")
    texts = [form % body for body in (*hooks, *others, *bodies) for form in around]
    texts += ["", " ", "\n", "\r\n\r\n", "// c", "// c\r\n", "/* c */\n// d"]
    for number, text in enumerate(texts):
        before = (b"", BOM)[number % 2] + text.encode()
        assert removed(with_hooks(before, asked, "f"), asked, "f") == before


@given(document=documents(), tool=st.sampled_from(NAMES))
def test_any_settings_that_were_edited_lose_the_hooks_alone(document: Document, tool: str) -> None:
    asked = _wanted(tool)
    try:
        after = with_hooks(document.text.encode(), asked, "f")
        left = removed(b"/* edited */ " + after, asked, "f")
    except FileError:
        return
    assert left is not None
    old = {**asked.needed, **document.value}
    new = {**asked.needed, **value(left)}
    hooks, kept = old.pop("hooks", {}), new.pop("hooks", {})
    assert new == old
    assert isinstance(hooks, dict)
    assert isinstance(kept, dict)
    assert {key: one for key, one in kept.items() if one} == {
        key: one for key, one in hooks.items() if one
    }


def _wanted(tool: str) -> Wanted:
    return in_project(tool, Path("/nowhere")).wanted("ctx")


# --- the forms that are documented --------------------------------------------------------


@pytest.mark.parametrize("tool", NAMES)
def test_what_is_installed_has_the_documented_form(tool: str, tmp_path: Path) -> None:
    """Strict JSON, and nothing that the documentation does not name."""
    own: Any = form(tool)
    lists = {"type": "array", "minItems": 1, "items": own["group"]}
    hooks = {
        "type": "object", "required": own["events"], "additionalProperties": False,
        "properties": dict.fromkeys(own["events"], lists),
    }  # fmt: skip
    properties = {**own["top"].get("properties", {}), "hooks": hooks}
    schema = {"type": "object", **own["top"], "properties": properties}
    jsonschema.validate(json.loads(with_hooks(None, wanted(tool, tmp_path), "f")), schema)


@pytest.mark.parametrize("tool", NAMES)
def test_a_command_asks_for_its_own_event_and_ends_well(tool: str, tmp_path: Path) -> None:
    """Also where ctx is not installed, and where it breaks."""
    for event, entry in wanted(tool, tmp_path).entries:
        members = "|".join(tool_named(tool).commands)
        commands = re.findall(rf'"(?:{members})": "([^"]*ctx[^"]*)"', json.dumps(entry))
        own = f"ctx hook run {tool} {event}"
        silent = f"set ctx /dev/null; {own} 2>$2; exit 0"  # what the shell writes is shown there
        assert commands[0] == (silent if tool == "gemini" else f"{own}; exit 0")
        assert program_of(commands[0]) == "ctx"
        assert set(commands[1:]) <= {f"ctx hook run {tool} {event}"}

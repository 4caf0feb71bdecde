"""Transcripts are recognised by their shape, and nothing in them is lost in silence."""

import io
import json
import os
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.errors import UsageError
from ctx.hosts.transcripts import format_of
from ctx.hosts.wrappers import spoken
from ctx.model import Json, JsonObject, Turn, session_file
from ctx.model.transcripts import About, Line, Node, NotATurnError, Note, Skip, Torn
from ctx.read import own, stored
from ctx.read.files import RefusedError
from ctx.read.own import turn
from ctx.sessions import transcripts
from ctx.sessions.transcripts import FORMATS
from ctx.text.json_lines import MOST_NESTED, lines, parse
from ctx.text.times import time_of

claude = format_of("claude")
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "transcripts"
posix = pytest.mark.skipif(os.name != "posix", reason="links need a privilege there")


def found(data: bytes, *, session: str = "s", form: str = "") -> list[tuple[int, object]]:
    transcript = transcripts.read(io.BytesIO(data), "a.jsonl", session=session, form=form)
    return [(one.line, one.what) for one in transcript.found if not isinstance(one.what, Node)]


def turns(data: bytes, *, session: str = "s", form: str = "") -> list[Turn]:
    every = found(data, session=session, form=form)
    return [what for _, what in every if isinstance(what, Turn)]


def line(**fields: object) -> bytes:
    return json.dumps({"role": "user", "text": "hello", **fields}).encode() + b"\n"


# --- the name of a session's file -----------------------------------------------------------


ODD = [
    "A", "x/y", "../../etc", "", "con", "CON", "con.x", "com1", "LPT9.txt", "a.", ".a", "-a", "ä",
    "\ud800", "a b", "a\n", "a" * 101, "x" * 100_000, "日本", "a\x00b", "a-0123456789ab",
]  # fmt: skip


def test_odd_ids_have_safe_and_distinct_names() -> None:
    names = [session_file(one) for one in [*ODD, "a", "x-y", "etc"]]
    assert len({name.lower() for name in names}) == len(names)
    for name in names[: len(ODD)]:
        assert name.isascii()
        assert len(name) <= 60 + 1 + 1 + 12 + len(".jsonl")
        assert not set(name) & set('/\\:*?"<>| \n\x00')
        assert name.split(".")[0] not in {"con", "com1", "lpt9"}
        assert name[0] not in ".-"


@given(st.text(), st.text())
def test_distinct_ids_have_distinct_names(one: str, other: str) -> None:
    names = {session_file(one).lower(), session_file(other).lower()}
    assert len(names) == len({one, other})
    made = session_file(one).removesuffix(".jsonl")
    assert one == made or session_file(made) != session_file(one)


def test_no_digest_makes_the_name_of_a_uuid() -> None:
    upper = "550E8400-E29B-41D4-A716"
    made = session_file(upper).removesuffix(".jsonl")
    assert session_file(made) != session_file(upper)


OF_HOSTS = sorted({path.name for path in FIXTURES.iterdir()} - {"own.jsonl", "refunds.jsonl"})


@pytest.mark.parametrize("name", OF_HOSTS)
def test_hosts_of_agents_name_no_speakers(name: str) -> None:
    every = turns((FIXTURES / name).read_bytes())  # of named ones, more is a standing instruction
    assert every
    assert {one.speaker for one in every} == {""}


# --- lines ----------------------------------------------------------------------------------


@given(st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\xff\x00"])).map(b"".join))
def test_lines_are_what_was_joined(data: bytes) -> None:
    read = list(lines(io.BytesIO(data)))
    assert b"".join(one.data + b"\n" * one.ended for one in read) == data
    assert [one.number for one in read] == list(range(1, len(read) + 1))
    assert all(one.ended for one in read[:-1])


@pytest.mark.parametrize("end", [b"", b"\n", b"\nxy"])
@pytest.mark.parametrize("length", [10, 11, 12, 5000])
def test_a_long_line_is_passed_over(length: int, end: bytes) -> None:
    read = list(lines(io.BytesIO(b"a\n" + b"b" * length + end), limit=10))
    held = b"b" * length if length <= 10 else b""
    expected = [Line(1, b"a", 1, ended=True), Line(2, held, length, ended=bool(end))]
    assert read == expected + ([Line(3, b"xy", 2, ended=False)] if len(end) > 1 else [])
    assert read[1].too_long == (length > 10)


def test_a_long_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "LIMIT", 100)
    monkeypatch.setattr(transcripts, "lines", lambda stream: lines(stream, 100))
    read = found(line() + line(text="x" * 200) + line(text="after"))
    torn = read[1][1]
    assert isinstance(torn, Torn)
    assert torn.why.endswith("bytes long, over the limit of 100")
    assert torn.data == b""
    assert isinstance(read[2][1], Turn)


def test_what_is_no_object_says_why() -> None:
    for data, why in (
        (b'{"a": 1', "is not JSON"),
        (b'{"a": "\xff', "is neither UTF-8 nor JSON"),
        (b"[1]", "is not a JSON object"),
        (b'{"a": ' + b"1" * 5000 + b"}", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"a": ' + b"[" * 300 + b"]" * 300 + b"}", f"is nested deeper than {MOST_NESTED}"),
    ):
        with pytest.raises(ValueError, match=f"^{why}$"):
            parse(data)


def test_what_no_json_should_hold_becomes_text() -> None:
    read, mended = parse(b'{"a": NaN, "b": -Infinity, "c": 1e999, "d": 1.5, "e": "\\ud800"}')
    assert read == {"a": "NaN", "b": "-Infinity", "c": "1e999", "d": 1.5, "e": "\ud800"}
    assert not mended
    assert parse(b'{"a": "x\xffy"}') == ({"a": "x\ufffdy"}, True)
    wide = {"a": [[n] for n in range(500)]}
    assert parse(json.dumps(wide).encode()) == (wide, False)


# --- recognising ----------------------------------------------------------------------------


EXAMPLES = {  # by what its name begins with
    path.name: next((form for form in FORMATS if path.name.startswith(form)), "ctx")
    for path in sorted(FIXTURES.iterdir())
}
LINES = [name for name in EXAMPLES if name.endswith(".jsonl")]


@pytest.mark.parametrize(("name", "form"), EXAMPLES.items())
def test_a_format_is_recognised(name: str, form: str) -> None:
    with (FIXTURES / name).open("rb") as file:
        assert transcripts.read(file, name).format == form
    for text in () if name not in LINES else (FIXTURES / name).read_bytes().splitlines():
        fields, _ = parse(text)
        assert [one.name for one in FORMATS.values() if one.recognises(fields)] == [form]


def test_every_format_has_an_example() -> None:
    cases = (Path(__file__).resolve().parents[1] / "hosts").glob("*/*.said.json")
    others = {json.loads(case.read_text("utf-8"))["format"] for case in cases}
    assert {*EXAMPLES.values(), *others} == {*FORMATS}


def test_a_format_is_recognised_behind_what_is_none() -> None:
    data = b'\xef\xbb\xbf{"torn\n\n{"other": 1}\n' + line(id="1")
    read = found(data)
    assert [number for number, _ in read] == [1, 3, 4]
    assert [type(what) for _, what in read] == [Torn, Torn, Turn]
    assert isinstance(found(b"\xef\xbb\xbf" + line())[0][1], Turn)


def test_an_unknown_shape_is_a_usage_error() -> None:
    for data, message in (
        (
            b'{"a": 1}\n',
            "a.jsonl: not a transcript of a known form: its first object has 'a' (known are ",
        ),
        (b"# Notes\n", "a.jsonl: not a transcript"),
        (b"[{}]", "a.jsonl: not a transcript"),
        ("{}".encode("utf-16"), "a.jsonl: is written in UTF-16"),
        (b'{"a": 1}\n' * 200 + line(), "a.jsonl: not a transcript"),
    ):
        with pytest.raises(UsageError) as caught:
            found(data)
        assert str(caught.value).startswith(message), data


def test_a_format_that_is_named_is_believed() -> None:
    read = found(b'{"a": 1}\n{"torn', form="ctx")
    assert [(number, cast("Torn", what).why) for number, what in read] == [
        (1, "has no role"),
        (2, "is not JSON, and is the last of a file that was cut off"),
    ]
    with pytest.raises(UsageError, match="unknown format 'pdf'"):
        found(b"", form="pdf")


def test_an_empty_transcript_has_no_format() -> None:
    assert transcripts.read(io.BytesIO(b"\n \r\n"), "a").format == ""
    assert found(b"") == []


def test_a_turn_of_no_session_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="line 2 names no session"):
        found(line(session="x") + line(), session="")


# --- what is odd is said --------------------------------------------------------------------


def test_times_that_run_backwards_keep_their_order() -> None:
    stamps = ["2026-01-02T00:00:00Z", "2026-01-01T23:00:00-05:00", "2026-01-01T00:00:00", "", "?"]
    read = found(b"".join(line(ts=stamp) for stamp in stamps))
    assert [(n, what.what) for n, what in read if isinstance(what, Note)] == [
        (3, "time earlier than the one before, order kept"),
        (5, "time that cannot be read kept as written"),
    ]
    assert [what.ts for _, what in read if isinstance(what, Turn)] == stamps


def test_sessions_have_times_of_their_own() -> None:
    data = line(session="a", ts="2026-01-02T00:00:00Z") + line(session="b", ts="2026-01-01")
    assert [type(what) for _, what in found(data)] == [Turn, Turn]


def test_invalid_utf8_and_unknown_fields_are_said() -> None:
    read = found(b'{"role": "user", "text": "x\xff", "new": {"a": [1]}}\n')
    assert [what.what for _, what in read if isinstance(what, Note)] == [
        "invalid UTF-8 replaced",
        "unknown field 'new' kept",
    ]
    assert read[-1] == (1, Turn("", "s", "", "user", "x\ufffd", extra={"new": {"a": [1]}}))


@pytest.mark.parametrize("text", ["", "  \n", []])
def test_an_empty_text_is_skipped(text: object) -> None:
    assert found(line(text=text)) == [(1, Skip("empty text"))]


# --- ctx's own form -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"id": 7}, Turn("7", "s", "", "user", "hello")),
        ({"id": None, "session": 3}, Turn("", "3", "", "user", "hello")),
        ({"role": "Human", "speaker": "Ada"}, Turn("", "s", "", "user", "hello", "Ada")),
        ({"role": "bot"}, Turn("", "s", "", "assistant", "hello")),
        ({"role": "function", "bundle": "b"}, Turn("", "s", "", "tool", "hello", "", "b")),
        ({"role": "system"}, Turn("", "s", "", "tool", "hello", "system")),
        ({"text": ["a", {"type": "text", "text": "b"}]}, Turn("", "s", "", "user", "a\nb")),
        ({"content": "kept"}, Turn("", "s", "", "user", "hello", extra={"content": "kept"})),
        ({"timestamp": 0}, Turn("", "s", "1970-01-01T00:00:00Z", "user", "hello")),
    ],
    ids=str,
)
def test_a_turn_is_read_leniently(fields: JsonObject, expected: Turn) -> None:
    assert turn({"role": "user", "text": "hello", **fields}, "s") == expected


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"role": "judge"}, 'has the role "judge"'),
        ({"role": ["x" * 100]}, 'has the role \\["x'),
        ({"role": None}, "has the role null"),
        ({"id": 1.5}, "has no text as its id: 1.5"),
        ({"session": True}, "has no text as its session: true"),
        ({"bundle": {}}, "has no text as its bundle"),
        ({"text": None}, "has no text"),
        ({"text": [{"type": "image"}]}, "has content other than text"),
    ],
    ids=str,
)
def test_what_is_no_turn_says_why(fields: JsonObject, why: str) -> None:
    with pytest.raises(NotATurnError, match=f"^{why}"):
        turn({"role": "user", "text": "hello", **fields}, "s")
    with pytest.raises(NotATurnError, match=r"^has no role$"):
        turn({"text": "x"})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""), ("Monday", "Monday"), (1_795_165_260, "2026-11-20T09:01:00Z"),
        (1_795_165_260_500, "2026-11-20T09:01:00.500000Z"), (-1, "1969-12-31T23:59:59Z"),
        (1.5, "1970-01-01T00:00:01.500000Z"), (10**30, str(10**30)), (True, "true"), ([1], "[1]"),
    ],
    ids=str,
)  # fmt: skip
def test_times(value: Json, expected: str) -> None:
    assert time_of(value) == expected
    assert time_of(time_of(value)) == time_of(value)


# --- Claude Code ----------------------------------------------------------------------------


def test_a_transcript_of_claude_code() -> None:
    read = found((FIXTURES / "claude-code.jsonl").read_bytes())
    session, base = "9a1b0c2d-0000-4000-8000-00000000abcd", "5e0c0000-0000-4000-8000-00000000000"
    day = "2026-11-19T14:00:"
    call = '[tool_use Bash] {"command": "pytest -k upload --count 10"}'
    result = "2 failed, 8 passed\n[image image/png, 8 bytes]"
    assert [what for _, what in read if isinstance(what, Turn)] == [
        Turn(
            f"{base}2", session, f"{day}05.120Z", "user", "Why is test_upload flaky?",
            extra={"branch": "main", "cwd": "/home/ada/shop"},
        ),
        Turn(
            f"{base}3/2", session, f"{day}09.000Z", "assistant", "Let me run it ten times.",
            extra={"cwd": "/home/ada/shop"},
        ),
        Turn(f"{base}3/3", session, f"{day}09.000Z", "assistant", call, "", "toolu_01"),
        Turn(
            f"{base}4", session, f"{day}31.000Z", "tool", result, "", "toolu_01", {"is_error": True}
        ),
        Turn(
            f"{base}7", session, f"{day}40.000Z", "assistant", "Two tests share a temporary folder."
        ),
    ]  # fmt: skip
    assert [what.why for _, what in read if isinstance(what, Skip)] == [
        "type summary", "type file-history-snapshot", "meta (put in by Claude Code)", "thinking",
        "sidechain (the session of a subagent)", "type system",
    ]  # fmt: skip
    assert len(read) == 11


def said(*blocks: Json, **fields: Json) -> list[object]:
    whole: JsonObject = {
        "type": "assistant", "uuid": "u", "sessionId": "s", "message": {"content": [*blocks]},
        **fields,
    }  # fmt: skip
    assert claude.recognises(whole)
    return [piece for piece in claude.read(whole, "") if not isinstance(piece, Node)]


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "image", "source": {"type": "url", "url": "https://x/y"}}, "[image https://x/y]"),
        ({"type": "image"}, "[image]"),
        (
            {"type": "document", "source": {"type": "base64", "media_type": "a/b", "data": "QQ=="}},
            "[document a/b, 1 bytes]",
        ),
        ({"type": "tool_use", "id": "t"}, "[tool_use ] null"),
        ({"type": "tool_result", "tool_use_id": "t", "content": "plain"}, "plain"),
        ({"type": "tool_result", "tool_use_id": "t"}, ""),
        ({"type": "mcp_tool_result", "content": ["a", {"type": "text", "text": "b"}, 1]}, "a\nb"),
    ],
    ids=str,
)
def test_blocks(block: Json, text: str) -> None:
    (made,) = said(block)
    assert isinstance(made, Turn)
    assert made.text == text


def test_odd_lines_of_claude_code() -> None:
    assert said({"type": "new"}, "x", {}) == [
        Skip("block of type new"),
        Skip("block without a type"),
        Skip("block without a type"),
    ]
    assert said() == [Skip("message without content")]
    assert said(isCompactSummary=True) == [Skip("summary (put in by Claude Code)")]
    assert said(isApiErrorMessage=True) == [Skip("API error")]
    with pytest.raises(NotATurnError, match="has no message with content"):
        said(message=None)
    with pytest.raises(NotATurnError, match="has no type"):
        list(claude.read({"uuid": "u"}, "s"))
    no_id = said({"type": "text", "text": "a"}, {"type": "text", "text": "b"}, uuid=None)
    assert [cast("Turn", one).id for one in no_id] == ["", ""]


# --- other hosts ----------------------------------------------------------------------------


def texts(name: str) -> list[tuple[str, str]]:
    return [(made.role, made.text) for made in turns((FIXTURES / name).read_bytes())]


def test_a_rollout_of_codex() -> None:
    assert texts("codex.jsonl") == [
        ("user", "Why are refunds counted twice?"),
        ("assistant", '[tool_use shell] {"command": ["grep", "-rn", "refund"]}'),
        ("tool", "ledger.py:12: refund(event)\n"),
        (
            "assistant",
            "[tool_use apply_patch] *** Begin Patch\n*** Update File: ledger.py\n*** End Patch",
        ),
        ("tool", "patch failed"),
        ("assistant", "Event ids are unique only per merchant."),
    ]
    made = turns((FIXTURES / "codex.jsonl").read_bytes())
    assert {one.session for one in made} == {"019aa000-0000-7000-8000-00000000c0de"}
    assert [one.bundle for one in made] == ["", "call_1", "call_1", "call_2", "call_2", ""]
    began = {"branch": "main", "cwd": "/home/ada/shop"}
    assert [one.extra for one in made if one.extra] == [began, {"is_error": True}]


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nExit", False),
        ("Exit code: 2\nWall time: 1 seconds\nOutput:\n", True),
        ("Wall time: 0.1 seconds\nProcess exited with code 127\nOutput:\n", True),
        ("Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n", False),
    ],
)
def test_how_a_command_ended_is_known_of_codex_and_the_directory_of_a_turn(
    output: str, failed: bool
) -> None:
    rows: list[object] = []
    for folder in ("/a", "/a", "/b"):
        rows += [
            {"type": "session_meta", "payload": {"id": "s", "cwd": folder}},
            {"type": "response_item", "payload": {
                "type": "function_call_output", "call_id": "c", "output": output}},
        ]  # fmt: skip
    made = turns("\n".join(map(json.dumps, rows)).encode())
    assert [one.extra.get("is_error", False) for one in made] == [failed] * 3
    assert [one.extra.get("cwd") for one in made] == ["/a", "/a", "/b"]


def test_what_codex_puts_before_a_request_is_no_part_of_it() -> None:
    content = [
        {"type": "input_text", "text": "# AGENTS.md instructions for /x\n\nUse pytest."},
        {"type": "input_text", "text": "<environment_context>x</environment_context>"},
        {"type": "input_text", "text": "Fix it"},
    ]
    payload = {"type": "message", "role": "user", "content": content}
    data = json.dumps({"type": "response_item", "payload": payload}).encode()
    assert [one.text for one in turns(data)] == ["Fix it"]


def test_a_fork_of_codex_is_its_first_session() -> None:
    meta = {"type": "session_meta", "payload": {"id": "b", "forked_from_id": "a", "cwd": "/x"}}
    payload = {"type": "message", "role": "user", "content": [{"text": "hello"}]}
    item = {"type": "response_item", "payload": payload}
    data = b"".join(json.dumps(one).encode() + b"\n" for one in (meta, item))
    assert [one.session for one in turns(data)] == ["a"]


def test_events_of_copilot() -> None:
    assert texts("copilot.jsonl") == [
        ("user", "Add a retry to the webhook sender"),
        ("assistant", "I read the sender first."),
        ("assistant", '[tool_use view] {"path": "sender.py"}'),
        ("tool", "def send(event): post(event)"),
        ("tool", "permission denied"),
        ("assistant", "The sender retries three times, with a jitter."),
    ]
    about = [what for _, what in found((FIXTURES / "copilot.jsonl").read_bytes())]
    assert About("7d00aaaa-0000-4000-8000-0000000000c0", "Retry webhooks") in about


@pytest.mark.parametrize("name", ["gemini.jsonl", "gemini-document.json", "gemini-checkpoint.json"])
def test_chats_of_gemini(name: str) -> None:
    expected = [
        ("user", "Which port does staging use?"),
        ("assistant", "I look into the settings."),
        ("assistant", '[tool_use read_file] {"path": "staging.toml"}'),
        ("tool", "port = 8443"),
        ("assistant", "Staging uses port 8443."),
    ]
    if "checkpoint" in name:
        del expected[1]
    assert list(dict.fromkeys(texts(name))) == expected


def test_a_transcript_of_cursor() -> None:
    made = turns((FIXTURES / "cursor.jsonl").read_bytes())
    assert [(one.id, one.role, one.text) for one in made] == [
        ("1/0", "user", "Which port does staging use?"),
        ("2/0", "assistant", "I look into the settings."),
        ("2/1", "assistant", '[tool_use Read] {"path": "staging.toml"}'),
        ("3/0", "assistant", "Staging uses port 8443."),
        ("5/0", "user", "Go on"),
        (
            "6/0", "assistant",
            '[tool_use StrReplace] {"path": "staging.toml", "new_string": "8444"}',
        ),
        ("8/0", "assistant", "Done."),
        ("10/0", "user", "Go on"),
    ]  # fmt: skip
    assert {one.session for one in made} == {"s"}


def test_an_export_of_opencode() -> None:
    assert texts("opencode.json") == [
        ("user", "Why are refunds counted twice?"),
        ("user", "[file chart.png]"),
        ("assistant", "I look for the handler."),
        ("assistant", '[tool_use grep] {"pattern": "refund"}'),
        ("tool", "ledger.py:12: refund(event)"),
        ("assistant", '[tool_use edit] {"filePath": "ledger.py"}'),
        ("tool", "file was changed"),
        ("assistant", "Event ids are unique only per merchant."),
    ]
    read = [what for _, what in found((FIXTURES / "opencode.json").read_bytes())]
    assert About("ses_a1b2c3d4", "Refunds are counted twice", "/home/ada/shop") in read
    made = [one for one in read if isinstance(one, Turn)]
    assert [one.ts[-4:] for one in made] == [":01Z", ":01Z", ":02Z", ":03Z", ":04Z", ":05Z",
                                             ":06Z", ":20Z"]  # fmt: skip
    assert [one.extra for one in made if one.extra] == [
        {"cwd": "/home/ada/shop"}, {"is_error": True}
    ]  # fmt: skip


def test_a_history_of_aider() -> None:
    made = turns((FIXTURES / "aider.chat.history.md").read_bytes())
    assert [(one.session, one.role) for one in made] == [
        ("aider-2026-11-20T12-00-00", "user"),
        ("aider-2026-11-20T12-00-00", "assistant"),
        ("aider-2026-11-20T12-00-00", "user"),
        ("aider-2026-11-20T13-30-00", "user"),
        ("aider-2026-11-20T13-30-00", "assistant"),
    ]
    assert made[0].text == "Why does the nightly export skip orders?\nIt should not."
    assert "#### nor is this the user's" in made[1].text
    assert "#### Cause" in made[1].text


def test_a_history_of_aider_without_spaces_at_line_ends() -> None:
    data = (FIXTURES / "aider.chat.history.md").read_bytes().replace(b"  \n", b"\n")
    made = turns(data.replace(b"#### Cause\n", b""))
    assert [one.role for one in made] == ["user", "assistant", "user", "user", "assistant"]
    assert "> is no line of the program" in made[1].text


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("odd", [b'{"torn', b"\xff\xfe\n[1]", b'{"type": 1}', b"{}"])
def test_odd_lines_take_nothing_from_the_others(name: str, odd: bytes) -> None:
    data = (FIXTURES / name).read_bytes()
    lines_ = data.splitlines()
    middle = b"\n".join([*lines_[:3], odd, *lines_[3:]])
    by_line = name == "cursor.jsonl"  # whose lines are all that its turns are known by
    assert [one._replace(id="") if by_line else one for one in turns(middle)] == [
        one._replace(id="") if by_line else one for one in turns(data)
    ]
    assert turns(data + odd) == turns(data)


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_that_is_cut_off_is_an_error_without_a_reason(name: str) -> None:
    data = (FIXTURES / name).read_bytes()
    whole = turns(data)
    for end in range(0, len(data), 37):
        try:
            part = turns(data[:end])
        except UsageError:
            continue
        assert [one.role for one in part[:-1]] == [
            one.role for one in whole[: max(0, len(part) - 1)]
        ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_long_texts_arrive_whole(name: str) -> None:
    data = (FIXTURES / name).read_bytes()
    text = max((one.text for one in turns(data) if one.role == "user"), key=len).split("\n")[0]
    long = "x" * 3_000_000
    made = turns(data.replace(text.encode(), long.encode()))
    assert sum(long in one.text for one in made) == 1


# --- wrappers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<system-reminder>\nTodo list is empty\n</system-reminder>", "system reminder"),
        (
            "<command-name>/clear</command-name>\n <command-message>clear</command-message>",
            "command of the program",
        ),
        ("<local-command-stdout></local-command-stdout>", "output of a command of the program"),
        ("[Request interrupted by user]", "interruption"),
        ("[Request interrupted by user for tool use]", "interruption"),
        ("# shop\n\n## Constitution\n\n- x\n\nDay 2026-11-23, budget 2500.\n", "packet of ctx"),
        ("<system-reminder>a</system-reminder>\nFix it", ""),
        ("<system-reminder>never ended", ""),
        (
            "<local-command-stdout>1 failed</local-command-stdout>",
            "output of a command of the program",
        ),
        (
            "<bash-stdout>never mind</bash-stdout><bash-stderr></bash-stderr>",
            "output of a command of the program",
        ),
        (
            "<task-notification>\n<summary>x</summary>\n</task-notification>",
            "report of a task (put in by the program)",
        ),
        (
            '<never-heard-of a="1">Always x</never-heard-of>',
            "text in <never-heard-of> (put in by the program)",
        ),
        ("<p>a</p><p>b</p>", "text in <p> (put in by the program)"),
        ("<image name=[Image #1]>", "context (put in by the program)"),
        ("Base directory for this skill: x\n\nAlways y", "skill (put in by the program)"),
        ("PLEASE IMPLEMENT THIS PLAN:\n- Always x", "plan (put in by the program)"),
        ("Stop hook feedback:\nGo on.", "feedback of a hook"),
        ("# Plan\n\n1. x", ""),
        ("", ""),
    ],
    ids=str,
)
def test_wrappers(text: str, why: str) -> None:
    words, found = spoken(text)
    assert ("" if words.strip() else found) == why


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<system-reminder>a</system-reminder>\nFix it", "Fix it"),
        ("Fix it\n<system_reminder>a</system_reminder>", "Fix it"),
        ("<hook_context>Never x</hook_context>Fix it", "Fix it"),
        ("<b>Bold</b> words are mine", "<b>Bold</b> words are mine"),
        ("Compare <a>1</a> and <b>2</b>", "Compare <a>1</a> and <b>2</b>"),
        ("<user_query>\nFix it\n</user_query>", "Fix it"),
        ("<USER_REQUEST>\nFix it\n</USER_REQUEST>\n<other>x</other>", "Fix it"),
        (
            "<command-name>/lamp</command-name>\n<command-args>never round it</command-args>",
            "never round it",
        ),
        ("# Context from my IDE setup:\n\n## My request for Codex:\ncheck it", "check it"),
        ("vector<int> is fine", "vector<int> is fine"),
        ("  keep\n  the indent", "  keep\n  the indent"),
    ],
)
def test_what_a_person_typed_between_texts_of_programs(text: str, words: str) -> None:
    assert spoken(text)[0].strip("\n") == words


def test_many_wrappers_take_no_longer_than_their_length() -> None:
    assert spoken("<system-reminder></system-reminder>" * 100_000 + "x")[0] == "x"
    assert not spoken("<command-name>" * 200_000)[1]
    assert spoken("x" + "<image></image>" * 100_000)[0].startswith("x")


# --- stored sessions ------------------------------------------------------------------------


def test_a_stored_session_in_short(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    assert stored.names(str(tmp_path)) == []
    folder.mkdir()
    stamps = ["2026-01-02T00:00:00Z", "", "2026-01-01T00:00:00Z", "x"]
    data = b"".join(line(session="S", ts=stamp) for stamp in stamps) + b'[]\n{"torn'
    (folder / "s.jsonl").write_bytes(data)
    (folder / ".hidden.jsonl").write_bytes(b"")
    (folder / "empty.jsonl").write_bytes(b"")
    assert stored.names(str(tmp_path)) == ["empty.jsonl", "s.jsonl"]
    expected = (
        "S",
        "s.jsonl",
        4,
        "2026-01-01T00:00:00Z",
        "2026-01-02T00:00:00Z",
        len(data),
        "hello",
        "",
    )
    assert stored.summary(str(tmp_path), "s.jsonl") == expected
    assert stored.summary(str(tmp_path), "empty.jsonl") == (
        "empty",
        "empty.jsonl",
        0,
        "",
        "",
        0,
        "",
        "",
    )
    assert stored.identity(str(tmp_path), "s.jsonl") == "S"


@posix
def test_a_stored_session_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root" / "sessions").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(line())
    (tmp_path / "root" / "sessions" / "s.jsonl").symlink_to(tmp_path / "secret")
    with pytest.raises(RefusedError, match="is a link out of the context directory"):
        stored.summary(str(tmp_path / "root"), "s.jsonl")


def test_reading_again_what_was_read_changes_nothing() -> None:
    for made in turns((FIXTURES / "own.jsonl").read_bytes()):
        fields = {**made._asdict(), **made.extra}
        del fields["extra"]
        assert own.turn(fields) == made

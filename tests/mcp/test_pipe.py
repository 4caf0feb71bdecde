"""The pipe itself: what is no message, how it ends, and that nothing else is in it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import anyio
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from ctx.edit import atomic
from ctx.mcp import pipe
from tests.hostile import HANGS, REPOSITORY, environment
from tests.mcp.talking import INITIALIZE, Line, call

posix = pytest.mark.skipif(os.name != "posix", reason="signals, and a way to close a stream")
PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}


# --- revisions --------------------------------------------------------------------------------


def test_it_speaks_the_revisions_that_the_docs_name(shop: Path) -> None:
    """Each handshake here; the stateless one is tested with the SDK's client."""
    page = (Path(REPOSITORY) / "docs" / "mcp.md").read_text("utf-8")
    assert re.findall(r"\b202\d-\d\d-\d\d\b", page) == [
        *MODERN_PROTOCOL_VERSIONS, *reversed(HANDSHAKE_PROTOCOL_VERSIONS)
    ]  # fmt: skip
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        params = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        }
        with Line(shop) as line:
            found = line.ask({**INITIALIZE, "params": params})["result"]
            assert isinstance(found, dict)
            assert found["protocolVersion"] == version
            line.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            assert "result" in line.ask(call("check"))


# --- lines ------------------------------------------------------------------------------------


def _lines(
    data: bytes, most: int, monkeypatch: pytest.MonkeyPatch, piece: int
) -> list[bytes | None]:
    stream = io.BytesIO(data)
    monkeypatch.setattr(pipe, "_chunk", lambda _: stream.read(piece))
    return list(pipe.lines(0, most))


def test_lines_are_cut_at_their_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    for piece in (1, 2, 3, 7, 100):
        assert _lines(b"ab\n\n \r\ncde\r\nf", 4, monkeypatch, piece) == [b"ab", b"cde\r", b"f"]
        assert _lines(b"abcde\nf\n", 4, monkeypatch, piece) == [None, b"f"]
        assert _lines(b"f\nabcde", 4, monkeypatch, piece) == [b"f", None]
        assert _lines(b"abcd\n" * 2, 4, monkeypatch, piece) == [b"abcd", b"abcd"]
        assert _lines(b"", 4, monkeypatch, piece) == []


@given(st.lists(st.binary(max_size=12), max_size=8), st.integers(1, 9), st.integers(1, 20))
def test_lines_are_those_that_were_written(written: list[bytes], most: int, piece: int) -> None:
    data = b"\n".join(written)
    with pytest.MonkeyPatch.context() as patch:
        found = _lines(data, most, patch, piece)
    expected = [None if len(line) > most else line for line in data.split(b"\n")]
    assert found == [line for line in expected if line is None or line.strip()]


# --- what is no message -----------------------------------------------------------------------


NO_MESSAGES = [
    (b"garbage", None, -32700, "no JSON was left unread: send one object a line"),
    (b"\xff\xfe\x00", None, -32700, "no JSON"),
    (b"[" * 99_999, None, -32700, "no JSON"),
    (b'{"jsonrpc":"2.0","id":3,"method":"a","params":{"a":"\\ud800"}}', 3, -32700, "no JSON"),
    (b"[]", None, -32600, "no JSON-RPC message: send {"),
    (b'"text"', None, -32600, "no JSON-RPC message"),
    (b'{"id":5}', 5, -32600, "no JSON-RPC message"),
    (b'{"id":"a","jsonrpc":"2.0","method":5}', "a", -32600, "no JSON-RPC message"),
    (b'{"id":true,"method":"ping"}', None, -32600, "no JSON-RPC message"),
    (b'{"id":[],"method":"ping"}', None, -32600, "no JSON-RPC message"),
    (b"x" * (pipe.MOST_LINE + 1), None, -32600, "a line of over 4,194,304 bytes was left"),
    (b'{"jsonrpc":"2.0","id":4,"method":"nope"}', 4, -32601, "Method not found"),
    (
        b'{"jsonrpc":"2.0","id":4,"method":"tools/call"}',
        4, -32602, "tools/call: params: Field required",
    ),
    (
        b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a","arguments":[]}}',
        4, -32602, "tools/call: params.arguments: Input should be",
    ),
    (
        b'{"jsonrpc":"2.0","id":4,"method":"resources/list","params":{"cursor":"x"}}',
        4, -32602, "cursor: 'x' was given by no page",
    ),
    (
        b'{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"file:///etc"}}',
        4, -32602, "unknown resource 'file:///etc' (ctx://file/DECISIONS.md, or",
    ),
]  # fmt: skip


def test_what_is_no_message_is_answered(tmp_path: Path) -> None:
    with Line(tmp_path) as server:
        error = server.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})["error"]
        assert error == {"code": -32602, "message": "tools/list: send initialize first"}
        server.greet()
        for line, asked, code, why in NO_MESSAGES:
            said = server.ask(line)
            assert said["id"] == asked
            error = said["error"]
            assert isinstance(error, dict)
            assert error["code"] == code
            assert why in error["message"]
            assert server.ask(PING) == {"jsonrpc": "2.0", "id": 7, "result": {}}


# --- how it ends ------------------------------------------------------------------------------


def test_it_ends_with_its_input(shop: Path) -> None:
    with Line(shop) as line:
        assert "error" not in line.greet().ask(call("packet", budget=900))
        assert line.end() == (0, b"", "")
        with pytest.raises(ProcessLookupError):  # nothing of its group is left
            os.killpg(line.process.pid, 0)


def test_what_was_asked_before_the_end_is_answered(shop: Path) -> None:
    asked = [
        INITIALIZE,
        call("add", 2, kind="task", title="Written before the end"),
        call("search", 3, query="refund"),
    ]
    patient = (  # however busy the machine is
        f"import ctx.mcp.pipe as pipe; pipe._PATIENCE = {HANGS}; "
        "from ctx.cli.main import main; main(['mcp'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", patient],
        cwd=shop, env=environment(), capture_output=True, check=True, timeout=HANGS,
        input="".join(f"{json.dumps(one)}\n" for one in asked).encode(),
    )  # fmt: skip
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["id"] for one in said if "result" in one} == {"hello", 2, 3}
    assert (shop / ".context" / "TASKS.md").read_text().count("Written before the end") == 1


def test_a_line_that_is_too_long_is_refused_and_others_are_taken() -> None:
    async def main() -> None:
        to_server, asked = anyio.create_memory_object_stream[SessionMessage | Exception](9)
        answered, to_client = anyio.create_memory_object_stream[SessionMessage](9)
        inbox = pipe._Inbox(to_server, answered)
        async with to_server, answered, asked, to_client:
            await inbox.take(None)
            assert "was left unread" in str(to_client.receive_nowait())
            await inbox.take(json.dumps(PING).encode())
            assert asked.statistics().current_buffer_used == 1

    asyncio.run(main())


def test_what_was_cancelled_is_not_waited_for() -> None:
    async def main() -> None:
        to_server, asked = anyio.create_memory_object_stream[SessionMessage | Exception](9)
        answered, to_client = anyio.create_memory_object_stream[SessionMessage](9)
        inbox = pipe._Inbox(to_server, answered)
        async with asked, to_client:
            for id_ in (1, "2", 3):
                await inbox.take(json.dumps({**PING, "id": id_}).encode())
            assert inbox._open == {"1", "2", "3"}
            cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
            for gone in ("1", 2, None):
                line = json.dumps({**cancelled, "params": {"requestId": gone}})
                await inbox.take(line.encode())
            assert inbox._open == {"3"}
            inbox.settle(JSONRPCResponse(jsonrpc="2.0", id=3, result={}))
            assert inbox._open == set()
            await inbox.end()
            assert asked.statistics().open_send_streams == 0

    asyncio.run(main())


def test_an_entry_that_is_being_written_is_waited_for(shop: Path) -> None:
    tasks = shop / ".context" / "TASKS.md"
    with Line(shop) as line:
        with atomic.lock(str(tasks)):
            line.greet().send(call("add", 2, kind="task", title="Written although nobody waits"))
            time.sleep(1)  # until it waits for the lock
            cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
            line.send({**cancelled, "params": {"requestId": 2}})
            assert line.process.stdin is not None
            line.process.stdin.close()
            time.sleep(0.5)
            assert line.process.poll() is None
        assert line.process.wait(HANGS) == 0
    assert tasks.read_text().count("Written although nobody waits") == 1


@posix
def test_it_ends_where_nobody_reads_it_and_the_pipe_is_full(shop: Path) -> None:
    with Line(shop) as line:
        line.greet()
        for _ in range(300):  # answers that nobody takes fill the pipe
            line.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert line.process.stdin is not None
        line.process.stdin.close()
        assert line.process.wait(HANGS) == 0


@posix
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "ctx: interrupted\n"), (signal.SIGTERM, -signal.SIGTERM, "")],
)
def test_it_ends_when_it_is_told_to(shop: Path, number: int, code: int, said: str) -> None:
    with Line(shop) as line:
        line.greet()
        line.process.send_signal(number)
        assert line.process.wait(HANGS) == code
        assert line.process.stderr is not None
        assert line.process.stderr.read().decode() == said


@posix
def test_a_closed_input_is_a_mistake(shop: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -m ctx mcp <&-', sys.executable],
        cwd=shop, env=environment(), capture_output=True, check=False, timeout=HANGS,
    )  # fmt: skip
    assert done.returncode == 6
    assert done.stderr.startswith(b"ctx: standard input or output is closed (`ctx mcp` is started")


@posix
def test_pipes_that_do_not_wait_are_waited_for(shop: Path) -> None:
    """Both ends of one socket have the same flag, so a host that does not wait sets ours, too."""
    incoming, asking = os.pipe()
    answers, outgoing = os.pipe()
    for end in (incoming, outgoing):
        os.set_blocking(end, False)
    command = [sys.executable, "-m", "ctx", "mcp"]
    with subprocess.Popen(
        command,
        cwd=shop,
        env=environment(),
        stdin=incoming,
        stdout=outgoing,
        stderr=subprocess.PIPE,
    ) as server:
        os.close(incoming)
        os.close(outgoing)
        with os.fdopen(answers, "rb") as out:
            with os.fdopen(asking, "wb") as sent:
                sent.write(json.dumps(INITIALIZE).encode() + b"\n")
                sent.flush()
                assert json.loads(out.readline())["id"] == "hello"
                lists = [{"jsonrpc": "2.0", "id": n, "method": "tools/list"} for n in range(60)]
                sent.write(b"".join(json.dumps(one).encode() + b"\n" for one in lists))
                sent.flush()
                found = [json.loads(out.readline())["id"] for _ in lists]
            assert sorted(found) == list(range(60))
            assert out.read() == b""
        assert server.stderr is not None
        assert (server.stderr.read(), server.wait(HANGS)) == (b"", 0)


# --- nothing but the protocol -----------------------------------------------------------------


def test_what_others_print_does_not_reach_the_client(shop: Path) -> None:
    loud = shop / "loud"
    loud.mkdir()
    (loud / "sitecustomize.py").write_text(
        "import os, subprocess, sys\n"
        "import ctx.app.find\n"
        "find = ctx.app.find.find\n"
        "def printing(named, world):\n"
        "    print('stray print', flush=True)\n"
        "    os.write(1, b'stray write\\n')\n"
        "    subprocess.run(['sh', '-c', 'echo stray child; cat'], check=True)\n"
        "    return find(named, world)\n"
        "ctx.app.find.find = printing\n"
    )
    path = os.pathsep.join((str(loud), REPOSITORY))
    with Line(shop, path) as line:
        said = line.greet().ask(call("packet", budget=900))
        assert "result" in said
        code, out, err = line.end()
    assert (code, out) == (0, b"")
    for stray in ("stray print", "stray write", "stray child"):
        assert stray in err


def test_answers_come_while_others_are_worked_on(shop: Path) -> None:
    with Line(shop) as line:
        line.greet()
        line.send(call("explain", 1, query="refund"))  # many packets
        assert line.ask(PING)["id"] == 7
        assert line.receive()["id"] == 1


def test_a_file_name_that_is_no_text_does_no_harm(shop: Path) -> None:
    try:
        (shop / ".context" / os.fsdecode(b"a\xffb.md")).write_text("# A\n")
    except OSError:
        pytest.skip("this file system refuses such names")
    with Line(shop) as line:
        said = line.greet().ask({"jsonrpc": "2.0", "id": 1, "method": "resources/list"})
        assert "result" in said
        assert "result" in line.ask(call("packet", 2))
        assert line.end()[0] == 0


def test_a_person_who_starts_it_is_told_what_it_is(shop: Path) -> None:
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "ctx", "mcp"],
            cwd=shop, env=environment(), stdin=follower, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        os.write(leader, b"\x04")  # Ctrl-D
        _, err = process.communicate(timeout=HANGS)
    finally:
        os.close(leader)
        os.close(follower)
    assert err == (
        b"ctx: an MCP server, for a host to start: it reads JSON-RPC here. Ctrl-D ends it.\n"
    )
    assert process.returncode == 0

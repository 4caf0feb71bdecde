"""MCP over HTTP: for clients on this machine, and for nobody else."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client

from tests.hostile import HANGS, environment, plain
from tests.mcp.talking import INITIALIZE, LEGACY, MODERN, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is a signal here")


class Served(NamedTuple):
    process: subprocess.Popen[bytes]
    err: IO[bytes]
    url: str
    port: int


def _start(cwd: Path, *port: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "ctx", "mcp", "--http", *port],
        cwd=cwd, env=environment(HOME=str(cwd.parent)), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@contextmanager
def _serving(cwd: Path) -> Iterator[Served]:
    process = _start(cwd)
    assert process.stderr is not None
    assert process.stdout is not None
    line = process.stderr.readline().decode()
    found = re.fullmatch(
        r"ctx: serving MCP at (http://127\.0\.0\.1:(\d+)/mcp), for this machine only;"
        r" Ctrl-C ends it\n",
        line,
    )
    assert found is not None, line
    yield Served(process, process.stderr, found[1], int(found[2]))
    process.kill()
    process.wait(HANGS)
    process.stdout.close()
    process.stderr.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("web")
    plain(place / ".context")
    with _serving(place) as server:
        yield server


def _post(url: str, **headers: str) -> int:
    request = urllib.request.Request(  # noqa: S310 - of the server above
        url,
        json.dumps(INITIALIZE).encode(),
        {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=HANGS) as answer:  # noqa: S310 - likewise
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_two_clients_at_once_and_ctrl_c_with_a_client_listening(shop: Path) -> None:
    async def ask(server: Served, who: str, mode: str) -> None:
        async with Client(server.url, mode=mode) as one:
            assert one.protocol_version == (LEGACY if mode == "legacy" else MODERN)
            results = await asyncio.gather(
                *(one.call_tool("add", {"kind": "task", "title": f"{who} {n}: z{'y' * n}"})
                  for n in range(5)),
                *(one.call_tool("search", {"query": "refund"}) for _ in range(3)),
            )  # fmt: skip
            assert all(told(result) for result in results)

    async def main(server: Served) -> None:
        await asyncio.gather(ask(server, "First", "legacy"), ask(server, "Second", "auto"))
        async with Client(server.url, mode="legacy") as one:
            assert told(await one.call_tool("search", {"query": "refund"}))
            server.process.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(server.process.wait, HANGS) == 0

    with _serving(shop) as server:
        asyncio.run(main(server))
        assert server.err.read().decode().endswith("ctx: stopped\n")
        assert server.process.stdout is not None
        assert server.process.stdout.read() == b""
    text = (shop / ".context" / "TASKS.md").read_text()
    assert all(text.count(f"{who} {n}: z{'y' * n}\n") + text.count(f"{who} {n}: z{'y' * n} ") == 1
               for who in ("First", "Second") for n in range(5))  # fmt: skip


def test_a_page_in_a_browser_cannot_ask(served: Served) -> None:
    assert _post(served.url) == 200
    assert _post(served.url, Host=f"localhost:{served.port}") == 200
    assert _post(served.url, Origin=f"http://127.0.0.1:{served.port}") == 200
    assert _post(served.url, Host="rebound.example") == 421
    assert _post(served.url, Host=f"rebound.example:{served.port}") == 421
    assert _post(served.url, Host=f"127.0.0.1:{served.port}.example") == 421
    assert _post(served.url, Host="127.0.0.1") == 421
    assert _post(served.url, Origin="https://page.example") == 403
    assert _post(served.url, Origin="null") == 403


def test_no_other_machine_can_ask(served: Served) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        try:
            found.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no other address")
        address = found.getsockname()[0]
    if address.startswith("127."):
        pytest.skip("this machine has no other address")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((address, served.port), timeout=HANGS).close()


def test_a_huge_request_is_refused_and_the_server_goes_on(served: Served) -> None:
    huge = urllib.request.Request(  # noqa: S310 - of the server above
        served.url,
        b"x" * (5 * 1024 * 1024),
        {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"},
    )
    with pytest.raises((urllib.error.HTTPError, ConnectionError, urllib.error.URLError)) as refused:
        urllib.request.urlopen(huge, timeout=HANGS)  # noqa: S310 - likewise
    if isinstance(refused.value, urllib.error.HTTPError):
        assert refused.value.code == 413
        refused.value.close()
    assert _post(served.url) == 200


def test_a_port_that_is_taken_is_one_line(served: Served, tmp_path: Path) -> None:
    process = _start(tmp_path, str(served.port))
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 2
    assert out == b""
    assert re.fullmatch(
        rf"ctx: port {served.port}: cannot be served: [^\n]*"
        r" \(name another, or 0 for a free one\)\n",
        err.decode(),
    )

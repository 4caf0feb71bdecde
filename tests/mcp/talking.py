"""Talking to ``ctx mcp`` over a real pipe: with the SDK's own client, and line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager, chdir
from typing import IO, TYPE_CHECKING, Self

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from ctx.mcp.server import make_server
from tests.forked import started
from tests.hostile import HANGS, environment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

LEGACY, MODERN = "2025-11-25", "2026-07-28"
"""The two eras of the protocol: a handshake, and an envelope around every request."""
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}


@asynccontextmanager
async def client(
    cwd: Path, *options: str, mode: str = "legacy", **variables: str
) -> AsyncIterator[Client]:
    """Yield the SDK's client of a server of its own, which works in ``cwd``."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "ctx", "mcp", *options],
        cwd=cwd,
        env=environment(HOME=str(cwd.parent), **variables),
    )
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: ASYNC230 - takes no time
        async with Client(stdio_client(server, errlog=nowhere), mode=mode) as found:
            yield found


@asynccontextmanager
async def here(cwd: Path, dir_: str = "", mode: str = "legacy") -> AsyncIterator[Client]:
    """Yield the SDK's client of a server in this process, which works in ``cwd``."""
    with chdir(cwd):
        async with Client(make_server(dir_), mode=mode) as found:
            yield found


def text(result: CallToolResult) -> str:
    """Return the one text that a result holds."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert result.structured_content is None  # which would cost all of it again
    return content.text


def told(result: CallToolResult) -> dict[str, object]:
    """Return the object that a good result holds."""
    assert not result.is_error, text(result)
    found = json.loads(text(result))
    assert isinstance(found, dict)
    return found


class Line:
    """A server at the other end of two pipes, and no client between; a context manager.

    In a fork, for the SDK takes long to load; with ``path`` for a ``PYTHONPATH``, in a Python
    that starts anew.
    """

    def __init__(self, cwd: Path, path: str = "") -> None:
        variables = environment(HOME=str(cwd.parent))
        if not path and hasattr(os, "fork"):
            self.process = started(["mcp"], cwd, variables)
            return
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ctx", "mcp"],
            cwd=cwd,
            env=variables | ({"PYTHONPATH": path} if path else {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(HANGS)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                _close(stream)

    def send(self, message: object) -> None:
        """Send an object, or bytes as they are, and the end of the line."""
        stdin = self.process.stdin
        assert stdin is not None
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        stdin.write(data + b"\n")
        stdin.flush()

    def receive(self) -> dict[str, object]:
        """Return the next message."""
        assert self.process.stdout is not None
        found = json.loads(self.process.stdout.readline())
        assert isinstance(found, dict)
        return found

    def ask(self, message: object) -> dict[str, object]:
        """Send one message, and return the next one that comes."""
        self.send(message)
        return self.receive()

    def greet(self) -> Self:
        """Shake hands."""
        assert self.ask(INITIALIZE)["id"] == "hello"
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def end(self) -> tuple[int, bytes, str]:
        """Close the server's input; return its exit code, and what it said from then on."""
        out, err = self.process.communicate(timeout=HANGS)
        return self.process.returncode, out, err.decode()


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except BrokenPipeError:
        return  # what was not sent any more


def call(name: str, id_: int = 1, **arguments: object) -> dict[str, object]:
    """Return the request for a tool."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}

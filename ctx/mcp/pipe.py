"""MCP over standard input and output: one JSON-RPC message a line.

With the SDK's own transport (2.3.0, tried with this server) a call is answered with an error where
the client closes its end right after it, as scripts do; a line that is no message gets no answer;
a line of any length is read; and waiting for a line cannot be interrupted. Here each is answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import sys
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from ctx.errors import FileError
from ctx.mcp.work import aside
from ctx.streams import complain
from ctx.text import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel import Server

MOST_LINE = 4 * 1024 * 1024  # bytes of a message, as over the SDK's HTTP; a longer line is not read
_CHUNK = 64 * 1024
_CANCELLED = "notifications/cancelled"
_PATIENCE = 1.0  # seconds for what is being answered once nothing more is asked
_LAST = 0.5  # seconds that the last answers may take to be written: some hosts kill after two


class Wire(NamedTuple):
    """The two ends of the protocol, which nothing else in the process holds."""

    incoming: int
    outgoing: int


def claim() -> Wire:
    """Take standard input and output for the protocol alone.

    From then on a stray ``print``, of this program or of one it starts, goes to standard error,
    and who reads standard input finds it at its end. FileError where either is closed.
    """
    try:
        wire = Wire(os.dup(0), os.dup(1))
    except OSError as error:
        raise FileError(
            "standard input or output is closed",
            "`ctx mcp` is started by a host that talks to it; --http serves a port instead",
        ) from error
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nowhere, 1)
    os.close(nowhere)
    return wire


async def serve(server: Server[object], wire: Wire) -> None:
    """Serve one client until its end of the pipe is closed."""
    to_server, asked = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    answered, to_client = anyio.create_memory_object_stream[SessionMessage](0)
    inbox = _Inbox(to_server, answered.clone())
    loop = asyncio.get_running_loop()
    threading.Thread(
        target=_read, args=(wire.incoming, inbox, loop), name="ctx-mcp-in", daemon=True
    ).start()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_write, wire.outgoing, to_client, inbox, tasks.cancel_scope)
        await server.run(asked, answered, server.create_initialization_options())
        inbox.close()
        tasks.cancel_scope.deadline = anyio.current_time() + _LAST


class _Inbox:
    """Where lines become messages; it knows what is still to be answered."""

    def __init__(
        self,
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
        answered: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        self._to_server = to_server
        self._answered = answered
        self._open: set[str] = set()  # ids of requests as text: to the SDK 1 and "1" are one, too
        self._settled = anyio.Event()

    async def take(self, line: bytes | None) -> None:
        """Hand on a line as a message, or answer that it is none; None is one too long."""
        if line is None:
            fault = _fault(
                types.INVALID_REQUEST, f"a line of over {MOST_LINE:,} bytes was left unread"
            )
            await self._answered.send(fault)
            return
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError as error:
            await self._answered.send(_refused(line, error))
            return
        if isinstance(message, types.JSONRPCRequest):
            self._open.add(str(message.id))
        elif isinstance(message, types.JSONRPCNotification) and message.method == _CANCELLED:
            self._open.discard(str((message.params or {}).get("requestId")))
        await self._to_server.send(SessionMessage(message))

    def settle(self, message: object) -> None:
        """Note that a message was written: an answer is waited for no longer."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._open.discard(str(message.id))
            self._settled.set()

    async def end(self) -> None:
        """Close once everything is answered, or patience is at its end.

        The SDK drops what it works on as soon as nothing can come; a script that writes its
        requests and closes the pipe is to have its answers.
        """
        with anyio.move_on_after(_PATIENCE):
            while self._open:
                self._settled = anyio.Event()
                await self._settled.wait()
        self.close()

    def close(self) -> None:
        self._to_server.close()
        self._answered.close()


def _read(incoming: int, inbox: _Inbox, loop: asyncio.AbstractEventLoop) -> None:
    """Read lines until there are no more, each once the one before it was taken."""
    try:
        for line in lines(incoming):
            asyncio.run_coroutine_threadsafe(inbox.take(line), loop).result()
        asyncio.run_coroutine_threadsafe(inbox.end(), loop).result()
    except (RuntimeError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        return  # the server has ended before its client
    finally:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(inbox.close)


def lines(incoming: int, most: int = MOST_LINE) -> Iterator[bytes | None]:
    """Yield the lines that hold anything; None for one of over ``most`` bytes."""
    held = bytearray()
    skipping = False
    while chunk := _chunk(incoming):
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            held += piece
            if skipping or len(held) > most:
                yield None
            elif held.strip():
                yield bytes(held)
            held.clear()
            skipping = False
        held += rest
        if len(held) > most:
            held.clear()
            skipping = True
    if skipping:
        yield None
    elif held.strip():
        yield bytes(held)


def _chunk(incoming: int) -> bytes:
    while True:
        try:
            return os.read(incoming, _CHUNK)
        except BlockingIOError:  # a host's own pipe, which does not wait
            select.select([incoming], [], [])
        except OSError as error:
            complain(f"standard input: cannot be read: {error.strerror}")
            return b""


def _refused(line: bytes, error: ValidationError) -> SessionMessage:
    if error.errors(include_url=False)[0]["type"] == "json_invalid":
        return _fault(
            types.PARSE_ERROR,
            "a line that is no JSON was left unread: send one object a line",
            _id(line),
        )
    return _fault(
        types.INVALID_REQUEST,
        'no JSON-RPC message: send {"jsonrpc": "2.0", "id": 1, "method": "ping"} or the like',
        _id(line),
    )


def _id(line: bytes) -> int | str | None:
    """Return the id of what only Python reads as a request, such as with half a character."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, str):
        return encodable(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _fault(code: int, text: str, asked: int | str | None = None) -> SessionMessage:
    return SessionMessage(
        types.JSONRPCError(jsonrpc="2.0", id=asked, error=types.ErrorData(code=code, message=text))
    )


async def _write(
    outgoing: int,
    to_client: MemoryObjectReceiveStream[SessionMessage],
    inbox: _Inbox,
    scope: anyio.CancelScope,
) -> None:
    """Write messages until there are no more; where nobody reads them, end all of it."""
    async with to_client:
        async for one in to_client:
            text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
            data = f"{text}\n".encode()
            try:
                await aside(partial(_put, outgoing, data))
            except OSError as error:
                if not isinstance(error, BrokenPipeError):
                    complain(f"standard output: cannot be written: {error.strerror}")
                scope.cancel()
                return
            inbox.settle(one.message)


def _put(outgoing: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(outgoing, left) :]
        except BlockingIOError:
            select.select([], [outgoing], [])


def greet() -> None:
    """Tell a person who started this by hand what it is."""
    if sys.stdin is not None and sys.stdin.isatty():
        complain("an MCP server, for a host to start: it reads JSON-RPC here. Ctrl-D ends it.")

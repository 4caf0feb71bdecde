"""MCP over HTTP, for clients on this machine."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from ctx.errors import OK, UsageError
from ctx.streams import complain

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

HOST = "127.0.0.1"
PATH = "/mcp"
_SESSIONS = 100
"""Clients at once; one that is silent for half an hour is forgotten by the SDK."""
_PATIENCE = 1
"""Seconds that answers may take to be written after Ctrl-C."""


def run(server: Server[object], port: int) -> int:
    """Serve at ``port`` of this machine, 0 for any that is free, until Ctrl-C; return 0.

    UsageError where the port is taken or not for everybody.
    """
    listening = _listening(port)
    port = listening.getsockname()[1]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=_SESSIONS,
        transport_security=_security(port),
        host=HOST,
    )
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=_PATIENCE
    )
    complain(f"serving MCP at http://{HOST}:{port}{PATH}, for this machine only; Ctrl-C ends it")
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        complain("stopped")
    return OK


def _listening(port: int) -> socket.socket:
    """Return a socket that listens at ``port`` of this machine, and of no network."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would share the port with whoever has it
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise UsageError(
            f"port {port}: cannot be served: {error.strerror}", "name another, or 0 for a free one"
        ) from error
    return listening


def _security(port: int) -> TransportSecuritySettings:
    """Return the names by which a client may ask.

    A page in a browser can make its own name lead here; then it asks by that name, and is
    refused.
    """
    places = [f"{name}:{port}" for name in (HOST, "localhost")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=places,
        allowed_origins=[f"http://{place}" for place in places],
    )

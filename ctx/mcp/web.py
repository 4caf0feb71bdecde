"""MCP over HTTP, for clients on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from ctx.app.loopback import HOST, names
from ctx.errors import OK
from ctx.streams import complain

if TYPE_CHECKING:
    import socket

    from mcp.server.lowlevel import Server

PATH = "/mcp"
_SESSIONS = 100  # clients at once; one that is silent for half an hour is forgotten by the SDK
_PATIENCE = 1  # seconds that answers may take to be written after Ctrl-C


def run(server: Server[object], listening: socket.socket) -> int:
    """Serve until Ctrl-C; return 0."""
    port = listening.getsockname()[1]
    places = names(port)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=_SESSIONS,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=places,
            allowed_origins=[f"http://{place}" for place in places],
        ),
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

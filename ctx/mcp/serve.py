"""``ctx mcp``: starting the server, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import TYPE_CHECKING

from ctx.app.loopback import listening
from ctx.errors import OK, UsageError, install
from ctx.streams import complain

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


class _Lines(logging.Handler):
    """Prints what the SDK logs in the form of ctx: a line on standard error, and no traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        cause = f": {type(error).__name__}: {error}" if error else ""
        complain(f"{record.getMessage()}{cause}")


def run(dir_: str, *, http: bool, port: str | None) -> int:
    """Serve until the client goes or Ctrl-C; UsageError without the SDK or the port."""
    if port is not None and not http:
        raise UsageError("PORT: is for --http", f"ctx mcp --http {port}")
    server = _server(dir_)
    logging.basicConfig(handlers=[_Lines(logging.WARNING)])
    if http:
        from ctx.mcp import web

        return web.run(server, listening("PORT", port))
    from ctx.mcp import pipe

    pipe.greet()
    asyncio.run(pipe.serve(server, pipe.claim()))
    return OK


def _server(dir_: str) -> Server[object]:
    """Return the server; UsageError where there is no SDK that it could be made with."""
    try:
        from ctx.mcp import server
    except ImportError as error:
        raise UsageError(
            f"the MCP SDK is not installed, or not in a version that ctx knows: {error}",
            install("mcp"),
        ) from error
    gc.freeze()  # what the imports made stays
    gc.enable()  # which a command does without
    return server.make_server(dir_)

"""``ctx mcp``: the server, for hosts to start."""

from typing import Annotated

import typer

from ctx.app.options import PacketOptions
from ctx.cli.options import taking


@taking("dir")
def mcp(
    options: PacketOptions,
    port: Annotated[
        str | None, typer.Argument(metavar="[PORT]", help="With --http; else any that is free.")
    ] = None,
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Serve HTTP, for clients on this machine only.")
    ] = False,
) -> int:
    """Serve packets, search and more to any agent that speaks MCP, over standard input and output.

    A host starts it; it ends with its client. Needs the extra `mcp`. Exit codes:
    0 the client went, or Ctrl-C with --http, 2 usage, no SDK, or a port that cannot be had,
    6 standard input or output is closed, 130 Ctrl-C.
    """
    from ctx.mcp import serve  # asyncio: not for help

    return serve.run(options.dir or "", http=http, port=port)

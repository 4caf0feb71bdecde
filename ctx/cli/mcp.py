"""``ctx mcp``: the server, for hosts to start."""

from ctx.app.options import PacketOptions
from ctx.cli.options import taking


@taking("dir")
def mcp(
    options: PacketOptions,
    port: str | None = None,
    *,
    http: bool = False,
) -> int:
    """Serve packets, search and more to any agent that speaks MCP, over standard input and output.

    A host starts it; it ends with its client. Needs the extra `mcp`. Exit codes:
    0 the client went, or Ctrl-C with --http, 2 usage, no SDK, or a port that cannot be had,
    6 standard input or output is closed, 130 Ctrl-C.
    """
    from ctx.mcp import serve  # asyncio: not for help

    return serve.run(options.dir or "", http=http, port=port)

"""``ctx serve``: the directory as pages, for a browser on this machine."""

from ctx.app.options import PacketOptions
from ctx.cli.options import taking


@taking("dir")
def serve(
    options: PacketOptions,
    *,
    port: str | None = None,
    open: bool = False,  # noqa: A002 - the name of the option
) -> int:
    """Show packet, entries, search, sessions, sources and findings in a browser.

    Prints the address, which holds a secret, and serves this machine only until Ctrl-C. What is
    changed there is written as by `ctx add` and `ctx task`. Exit codes: 0 Ctrl-C, 2 usage, or a
    port that cannot be had, 4 no context directory.
    """
    from ctx.serve import server  # http.server: not for help

    show = None
    if open:
        import webbrowser

        show = webbrowser.open
    return server.run(options.dir or "", port, show)

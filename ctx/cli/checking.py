"""``ctx check``, as typer knows it."""

from __future__ import annotations

from typing import Annotated

import typer

from ctx.app.options import PacketOptions
from ctx.cli import options
from ctx.world import World


def check(
    *,
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Ask this rule only; again for more (--json names all)."),
    ] = None,
    severity: Annotated[
        str,
        typer.Option(metavar="KIND", help="Look for nothing milder: error, or warning for all."),
    ] = "warning",
    dir_: Annotated[str | None, options.DIR] = None,
    as_of: Annotated[str | None, options.AS_OF] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:  # fmt: skip
    """Find what is wrong in the directory: file, line, rule, and what to do about it.

    Changes nothing. Exit codes: 0 nothing found, 1 something was, 2 usage, 4 no context
    directory, 6 unreadable directory.
    """
    from ctx.cli.check import run

    return run(
        PacketOptions(dir=dir_, as_of=as_of), rule or (), World(), severity=severity, as_json=json
    )

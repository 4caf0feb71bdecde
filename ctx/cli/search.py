"""``ctx search``: the entries and turns that a query is about."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from ctx.app.find import find
from ctx.app.search import Options, found, packet_options
from ctx.app.workspace import Workspace
from ctx.cli.agent import query_of
from ctx.errors import OK
from ctx.streams import complain, safe, safe_json, write_out

if TYPE_CHECKING:
    from ctx.app.options import PacketOptions
    from ctx.world import World


def run(options: Options, given: PacketOptions, world: World) -> int:
    """Print what is found; return the exit code."""
    root = find(given.dir or "", world)  # before standard input is read
    options = options._replace(query=query_of(options.query, "QUERY"))
    gc.disable()  # the process ends before a collection could pay for itself
    answer = found(options, Workspace(packet_options(options, given), world, root=root))
    for warning in answer.warnings:
        complain(warning)
    text = safe_json(answer.text) if options.as_json else safe(answer.text)
    write_out(text.encode("utf-8", "replace"))
    return OK

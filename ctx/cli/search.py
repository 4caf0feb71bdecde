"""``ctx search``: the entries and turns that a query is about."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from ctx.app.find import find
from ctx.app.search import Options, found
from ctx.cli.agent import query_of
from ctx.errors import OK
from ctx.streams import complain, safe, safe_json, write_out

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.world import World


def run(options: Options, flags: Mapping[str, object], world: World) -> int:
    """Print what is found; return the exit code."""
    root = find(str(flags.get("dir") or ""), world)
    options = options._replace(query=query_of(options.query, "QUERY"))
    gc.disable()  # the process ends before a collection could pay for itself
    answer = found(options, flags, root, world)
    for warning in answer.warnings:
        complain(warning)
    text = safe_json(answer.text) if options.as_json else safe(answer.text)
    write_out(text.encode("utf-8", "replace"))
    return OK

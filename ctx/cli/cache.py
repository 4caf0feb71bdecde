"""``ctx cache``: show what is kept, where and how much, or clear it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ctx.app.cache import Kept, Options, as_object, clear_kept, here, sizes
from ctx.errors import OK, UsageError
from ctx.store.sweep import MOST_CACHE
from ctx.streams import safe, safe_json, write_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.world import World

_MB = 1024 * 1024


def run(options: Options, world: World) -> int:
    """Show what is kept, or clear it; return the exit code."""
    if not options.clear and (options.everything or options.state):
        raise UsageError("--all and --state say what to clear", "add --clear")
    root, places = here(options, world)
    if options.clear:
        before = sizes(places, world)
        kinds = before if options.state else before[:1]
        removed = {one.kind: clear_kept(one, options) for one in kinds}
        lines = [f"removed {_size(many)} of {kind}" for kind, many in removed.items()]
        told: dict[str, object] = {"removed": removed}
    else:
        kept = sizes(places, world)
        lines, told = list(_lines(root, kept)), as_object(root, kept)
    text = json.dumps(told, ensure_ascii=False, indent=1) if options.as_json else "\n".join(lines)
    if world.at_terminal():
        text = safe_json(text) if options.as_json else safe(text)
    write_out(f"{text}\n".encode("utf-8", "replace"))
    return OK


def _lines(root: str, kept: tuple[Kept, Kept]) -> Iterator[str]:
    if root:
        yield root
        for one in kept:
            yield _line(one.kind, one.own_bytes, one.own)
    many = max(one.directories for one in kept)
    yield f"all directories: {many:,}"
    for one in kept:
        yield _line(one.kind, one.all_bytes, one.home)
    yield f"most of cache: {MOST_CACHE // _MB} MiB, then what was unused for the longest time goes"


def _line(kind: str, many: int, path: str) -> str:
    if path:
        return f"  {kind}  {_size(many):>10}  {path}"
    name = f"CTX_{kind.upper()}_DIR"
    return f"  {kind}  nothing is kept: no directory that is yours alone ({name} names one)"


def _size(many: int) -> str:
    return f"{many / 1024:,.1f} KiB" if many < _MB else f"{many / _MB:,.1f} MiB"

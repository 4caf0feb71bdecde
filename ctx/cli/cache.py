"""``ctx cache``: show what is kept, where and how much, or clear it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.find import find
from ctx.errors import OK, NoDirectoryError, UsageError
from ctx.store.places import Places, cache_home, prepare, state_home
from ctx.store.sweep import MOST_CACHE, clear, folders, size
from ctx.streams import (
    safe,
    safe_json,
    write_out,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.world import World

_MB = 1024 * 1024


class Options(NamedTuple):
    """What the command was given."""

    dir: str
    clear: bool
    everything: bool
    state: bool
    as_json: bool


class _Kept(NamedTuple):
    """What is kept of one kind."""

    kind: str
    home: str
    own: str
    """The folder of this directory; empty for none."""
    own_bytes: int
    all_bytes: int
    directories: int


def run(options: Options, world: World) -> int:
    """Show what is kept, or clear it; return the exit code."""
    if not options.clear and (options.everything or options.state):
        raise UsageError("--all and --state say what to clear", "add --clear")
    root, places = _here(options, world)
    if options.clear:
        before = _kept(places, world)
        kinds = before if options.state else before[:1]
        removed = {one.kind: _clear(one, options) for one in kinds}
        lines = [f"removed {_size(many)} of {kind}" for kind, many in removed.items()]
        told: dict[str, object] = {"removed": removed}
    else:
        kept = _kept(places, world)
        lines, told = list(_lines(root, kept)), _object(root, kept)
    text = json.dumps(told, ensure_ascii=False, indent=1) if options.as_json else "\n".join(lines)
    if world.at_terminal():
        text = safe_json(text) if options.as_json else safe(text)
    write_out(f"{text}\n".encode("utf-8", "replace"))
    return OK


def _here(options: Options, world: World) -> tuple[str, Places]:
    """Return the context directory and its folders, empty where all are meant and none is here."""
    try:
        root = find(options.dir, world)
    except NoDirectoryError:
        if options.dir or (options.clear and not options.everything):
            raise
        return "", Places()
    return root, prepare(root, world.environ, world.home)


def _kept(places: Places, world: World) -> tuple[_Kept, _Kept]:
    return (
        _of("cache", cache_home(world.environ, world.home), places.cache, places),
        _of("state", state_home(world.environ, world.home), places.state, places),
    )


def _of(kind: str, home: str, own: str, places: Places) -> _Kept:
    if places.real and not own:
        home = ""  # it could not be made, or is not this user's alone
    every = folders(home)
    total = sum(one.bytes for one in every)
    return _Kept(kind, home, own, size(own) if own else 0, total, len(every))


def _clear(kept: _Kept, options: Options) -> int:
    if options.everything:
        return sum(clear(folder.path) for folder in folders(kept.home))
    return clear(kept.own) if kept.own and os.path.isdir(kept.own) else 0


def _lines(root: str, kept: tuple[_Kept, _Kept]) -> Iterator[str]:
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


def _object(root: str, kept: tuple[_Kept, _Kept]) -> dict[str, object]:
    return {
        "directory": root or None,
        **{one.kind: {"path": one.own or None, "bytes": one.own_bytes} for one in kept},
        "all": {
            one.kind: {
                "path": one.home or None, "bytes": one.all_bytes, "directories": one.directories,
            }
            for one in kept
        },
        "most_cache_bytes": MOST_CACHE,
    }  # fmt: skip

"""``ctx cache``: show what is kept, where and how much, or clear it."""

from collections.abc import Iterator

from ctx.app.cache import Kept, as_json, clear_kept, here, sizes
from ctx.app.options import PacketOptions
from ctx.cli.options import taking
from ctx.cli.terminal import write_answer
from ctx.errors import UsageError
from ctx.store.sweep import MOST_CACHE
from ctx.text.names import masked_all, shown_line
from ctx.world import World

_MB = 1024 * 1024


@taking("dir", "json")
def cache(
    options: PacketOptions,
    *,
    clear: bool = False,
    all_: bool = False,
    state: bool = False,
    json: bool = False,
) -> None:
    """Show what ctx keeps, where and how much, or clear it.

    The cache is rebuilt when it is needed. State, such as imported sessions, is not: only --state
    clears it. Exit codes: 0 done, 2 usage, 4 no context directory.
    """
    if not clear and (all_ or state):
        raise UsageError("--all and --state choose what to clear", "add --clear")
    world = World()
    root, places = here(options.dir or "", world, needed=clear and not all_)
    kept, removed = sizes(places, world), dict[str, int]()
    if clear:
        cleared = kept if state else kept[:1]
        removed = {one.kind: clear_kept(one, everything=all_) for one in cleared}
        lines = [f"removed {_size(many)} of {kind}" for kind, many in removed.items()]
    else:
        lines = list(_lines(root, kept))
    value = {"removed": removed} if clear else masked_all(as_json(root, kept))
    write_answer(value, map(shown_line, lines), as_json=json)


def _lines(root: str, kept: tuple[Kept, Kept]) -> Iterator[str]:
    if root:
        yield root
        for one in kept:
            yield _line(one.kind, one.own_bytes, one.own)
    yield f"all directories: {max(one.directories for one in kept):,}"
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

"""``ctx explain``: why a packet says what it says, and what it would take to say more."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from ctx.app.build import in_focus
from ctx.app.explain.as_json import as_object
from ctx.app.explain.look import look
from ctx.app.explain.sweep import STEPS
from ctx.app.find import find
from ctx.app.packet import notes
from ctx.app.workspace import Workspace
from ctx.cli.agent import with_query
from ctx.cli.progress import progress
from ctx.edit import atomic
from ctx.errors import OK, UsageError
from ctx.streams import complain, safe_json, write_out

if TYPE_CHECKING:
    from ctx.app.explain.look import Looked
    from ctx.app.options import PacketOptions
    from ctx.world import World


def run(  # noqa: PLR0913 - the options that are no part of what is asked for
    options: PacketOptions,
    world: World,
    *,
    wanted: str = "",
    html: str | None = None,
    everything: bool = False,
    as_json: bool = False,
) -> int:
    """Explain the packet that ``options`` ask for, or one entry of it; return the exit code."""
    _check(html, wanted, as_json=as_json)
    options = with_query(options)
    root = find(options.dir or "", world)
    workspace = Workspace(in_focus(options, root, world, complain), world, root=root)
    workspace.loaded  # noqa: B018 - wrong settings end the call before anything is shown
    with progress("packets", STEPS + 1, world, counts="packets") as tick:
        looked = look(workspace, wanted=wanted, tick=tick)
    for note in notes(looked.packet, workspace):
        complain(note)
    if looked.unmade:
        complain(
            f"made {len(looked.steps)} packets of {len(looked.steps) + looked.unmade}, as there is "
            f"much to say: what an entry takes may be up to {looked.within:,} tokens less"
        )
    if html is not None:
        _deliver(html, looked)
    elif as_json:
        text = json.dumps(as_object(looked), ensure_ascii=False, indent=1) + "\n"
        write_out(safe_json(text).encode("utf-8", "replace"))
    else:
        from ctx.cli.explain_drawn import show

        show(looked, world, everything=everything)
    return OK


def _check(html: str | None, wanted: str, *, as_json: bool) -> None:
    """Raise UsageError for a page that cannot be written as it is asked for."""
    if html is None:
        return
    if as_json or wanted:
        other = "--json" if as_json else "an entry"
        raise UsageError(f"--html: shows all of it, and not {other}", "ask for one of the two")
    if html == "" or os.path.isdir(html):
        what = f"{html} is a directory" if html else "no file is named"
        raise UsageError(f"--html: {what}", "name a file, or - for standard output")


def _deliver(html: str, looked: Looked) -> None:
    """Write the page to a file, whole or not at all, or to standard output."""
    from ctx.app.explain.page import page_of

    data = page_of(looked).encode("utf-8", "replace")
    if html == "-":
        write_out(data)
    else:
        atomic.write(html, data)
        complain(f"{html}: written, {len(data):,} bytes")

"""``ctx session import --from-repository``: what older versions kept, out of the repository."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from ctx.app.session_state import COMMITTED, own, state_of
from ctx.cli.session.import_ import parse
from ctx.errors import OK, FileError, UsageError
from ctx.read.files import shown
from ctx.read.sessions import FOLDER
from ctx.read.transcripts import stored
from ctx.sessions import migration
from ctx.streams import complain, write_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.world import World


def run(root: str, others: Sequence[str], world: World, *, as_json: bool) -> int:
    """Move the files of sessions that were never committed; return the exit code.

    ``others`` is what was named beside: nothing may be.
    """
    if others:
        raise UsageError(
            "--from-repository: takes no FILE and no other option but --dir and --json"
        )
    try:
        held = stored.foreign(root)
    except OSError as error:
        raise FileError(f"{root}/{FOLDER}: cannot be read: {error.strerror}") from error
    wanted = own(root, held, world)
    left = {path: COMMITTED for path in held if path not in wanted}
    moved = _moved(root, wanted, left, world, as_json=as_json) if wanted else []
    for path, why in left.items():
        complain(f"{shown(path)}: {why}")
    if as_json:
        told = {"moved": moved, "left": [{"file": path, "why": why} for path, why in left.items()]}
        write_out(f"{json.dumps(told, indent=1)}\n".encode())
    elif not held:
        complain(f"{root}/{FOLDER}: holds nothing to move")
    return FileError.exit_code if left else OK


def _moved(
    root: str, wanted: Sequence[str], left: dict[str, str], world: World, *, as_json: bool
) -> list[str]:
    """Move files; return those that have moved, and tell ``left`` why the others stay."""
    state = state_of(root, world, make=True)
    moved: list[str] = []
    for path, why in migration.take(root, state, wanted):
        if why:
            left[path] = why
            continue
        moved.append(path)
        if not as_json:
            write_out(f"{shown(path)}: moved to {state}\n".encode("utf-8", "replace"))
    names = [os.path.basename(path) for path in moved if os.path.dirname(path) == FOLDER]
    if names:
        parse(names, root, state, world)
    return moved

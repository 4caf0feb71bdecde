"""``ctx session list``: what is stored, newest first."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from ctx.app.session_state import foreign, state_of
from ctx.cli.session.state import complain_of_none
from ctx.errors import OK, FileError
from ctx.read.files import RefusedError, shown
from ctx.read.sessions import FOLDER
from ctx.read.transcripts import own, stored
from ctx.streams import complain, safe_json, write_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.read.transcripts.stored import Summary
    from ctx.world import World


def run(root: str, world: World, *, as_json: bool) -> int:
    """List the sessions of a context directory; return the exit code."""
    state = state_of(root, world)
    rows = sorted(_summaries(state), key=_age)
    if as_json:
        folder = os.path.join(state, FOLDER)
        told = [row._replace(id=shown(row.id), file=shown(row.file))._asdict() for row in rows]
        found = {"folder": folder, "sessions": told}
        write_out(f"{safe_json(json.dumps(found, indent=1))}\n".encode())
    else:
        write_out("".join(f"{line}\n" for line in _lines(rows)).encode("utf-8", "replace"))
    if not rows:
        complain_of_none(root)
    elif line := foreign(root):
        complain(line)
    return OK


def _summaries(state: str) -> Iterator[Summary]:
    try:
        for name in stored.names(state):
            try:
                yield stored.summary(state, name)
            except RefusedError as error:
                complain(str(error))
    except OSError as error:
        raise FileError(f"{state}/{FOLDER}: cannot be read: {error.strerror}") from error


def _age(row: Summary) -> tuple[float, str]:
    """Sort newest first, what tells no time last, and by id what is left."""
    time = own.moment(row.last)
    return (-time.timestamp() if time else float("inf"), row.id)


def _lines(rows: list[Summary]) -> Iterator[str]:
    width = max((len(shown(row.id)) for row in rows), default=0)
    for row in rows:
        times = f"{shown(row.first) or 'undated'}  {shown(row.last)}".rstrip()
        yield f"{shown(row.id):<{width}}  {row.turns:>7,} turns  {row.bytes:>11,} bytes  {times}"

"""What commands of sessions say where none is stored, or summaries are out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.app.session_state import foreign
from ctx.read import lineage
from ctx.read.files import shown
from ctx.streams import complain

if TYPE_CHECKING:
    pass


if TYPE_CHECKING:
    pass


def complain_of_none(root: str) -> None:
    """Say that no session is stored, and what lies in the repository instead."""
    complain("no sessions are stored here (`ctx session import FILE` stores one)")
    if line := foreign(root):
        complain(line)


def complain_of_stale(state: str, name: str) -> None:
    """Say that turns which were summarised were edited since; raises as ``lineage.stale`` does."""
    changed = lineage.stale(state, name)
    if changed:
        many = "summary stands" if changed == 1 else "summaries stand"
        complain(
            f"{lineage.FOLDER}/{shown(name)}: {changed:,} {many} for turns that were edited since "
            "(delete this file, and `ctx session compact` makes it anew)"
        )

"""Where the sessions of a context directory are kept, and what lies in the repository instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.app.session_state import foreign
from ctx.streams import complain

if TYPE_CHECKING:
    pass


def complain_of_none(root: str) -> None:
    """Say that no session is stored, and what lies in the repository instead."""
    complain("no sessions are stored here (`ctx session import FILE` stores one)")
    if line := foreign(root):
        complain(line)

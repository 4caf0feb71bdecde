"""What an attack tried, and what did not hold."""

from __future__ import annotations

from typing import NamedTuple


class Result(NamedTuple):
    """The outcome of one attack: one row of the table."""

    what: str
    """What was attacked, in a few words."""
    tried: int
    """Number of cases."""
    failed: tuple[str, ...] = ()
    """A line for each case in which the promise did not hold: the input, and what came of it."""
    skipped: str = ""
    """Why nothing was tried, such as a program that is not installed; else empty."""

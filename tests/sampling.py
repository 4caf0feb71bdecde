"""Which cases of a large matrix run: some of them, or all where ``CTX_TEST_ALL`` is set."""

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")
ALL = bool(os.environ.get("CTX_TEST_ALL"))
EVERY = 1 if ALL else 17
"""Of the moments at which a program can die, each so-many-th is tried."""


def sampled(cases: Sequence[Case], every: int, start: int = 0) -> list[Case]:
    """Return each ``every``-th case from ``start`` on, or all of them if they are asked for.

    Tests of one matrix that start at different cases see all of it together.
    """
    return list(cases if ALL else cases[start::every])


def moment(number: int, way: str, step: int) -> int:
    """Return the call before which run ``number`` dies, or the byte: these are ``step`` apart."""
    return number * EVERY * (step if way in ("bytes", "full") else 1)

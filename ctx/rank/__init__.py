"""What matters now: one ranker a file, one signature, an ordered registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.errors import UsageError
from ctx.rank.urgency import by_urgency, in_focus

if TYPE_CHECKING:
    from ctx.model import Ranker

__all__ = ["RANKERS", "by_urgency", "in_focus", "ranker"]

RANKERS = ("brackets",)
"""The registry: a ranker is a module of this package that has a function ``rank``."""


def ranker(name: str) -> Ranker:
    """Return the ranker called ``name``; UsageError where there is none."""
    if name not in RANKERS:
        raise UsageError(f"--ranker: there is no ranker {name!r}", f"one of {', '.join(RANKERS)}")
    from importlib import import_module  # only the ranker that is asked for

    rank: Ranker = import_module(f"ctx.rank.{name}").rank
    return rank

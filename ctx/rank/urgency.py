"""The order of open tasks: in progress, then priority, then newest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.model import Scored

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx.model import Entry

IN_PROGRESS = 4.0
"""More than any priority (1 low, 2 medium, 3 high), so that work in hand comes first."""
BLOCKED = -0.5
"""Below its equals, above the next lower priority: nobody can go on with it now."""


def by_urgency(tasks: Iterable[Entry]) -> list[Scored]:
    """Return the open ones of ``tasks``, most urgent first.

    ``score`` is in [-0.5, 7.0]: 4 in progress, plus the priority, less a half where
    blocked. Ties: newer first, then file order.
    """
    scored = [_scored(task) for task in tasks if task.status not in ("done", "skipped")]
    scored.sort(key=lambda one: one.entry.timestamp, reverse=True)
    scored.sort(key=lambda one: -one.score)
    return scored


def _scored(task: Entry) -> Scored:
    parts = (
        ("in progress", IN_PROGRESS if task.status == "in-progress" else 0.0),
        ("priority", float(task.priority)),
        ("blocked", BLOCKED if task.status == "blocked" else 0.0),
    )
    return Scored(task, sum(value for _, value in parts), parts)


def in_focus(ranked: Iterable[Scored], tokens: int) -> tuple[Entry, ...]:
    """Return the tasks that a packet has room for: what is worked on now.

    The most urgent ones up to ``tokens``; of these only the ones in progress or of high
    priority, where there are any.
    """
    held: list[Entry] = []
    for one in ranked:
        tokens -= one.entry.size
        if tokens < 0 and held:
            break
        held.append(one.entry)
    urgent = [task for task in held if task.status == "in-progress" or task.priority >= _HIGH]
    return tuple(urgent or held)


_HIGH = 3

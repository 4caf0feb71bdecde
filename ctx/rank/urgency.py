"""The order of open tasks: in progress, then priority, then newest."""

from collections.abc import Iterable

from ctx.model import Entry, Scored

IN_PROGRESS = 4.0  # more than any priority (1 to 3), so that tasks in progress come first
BLOCKED = -0.5  # below its equals, above the next lower priority: nobody can go on with it now
_HIGH = 3


def by_urgency(tasks: Iterable[Entry]) -> list[Scored]:
    """Return the open ones of ``tasks`` by score, in [-0.5, 7.0], then newer, then in order."""
    scored = []
    for task in tasks:
        if task.status not in ("done", "skipped"):
            parts = (
                ("in progress", IN_PROGRESS if task.status == "in-progress" else 0.0),
                ("priority", float(task.priority)),
                ("blocked", BLOCKED if task.status == "blocked" else 0.0),
            )
            scored.append(Scored(task, sum(value for _, value in parts), parts))
    scored.sort(key=lambda task: task.entry.timestamp, reverse=True)
    scored.sort(key=lambda task: -task.score)
    return scored


def in_focus(ranked: Iterable[Scored], tokens: int) -> tuple[Entry, ...]:
    """Return the most urgent tasks up to a power of four of ``tokens``, those in hand if any."""
    tokens = 1 << (tokens.bit_length() - 1) // 2 * 2 if tokens > 0 else 0
    fitting: list[Entry] = []
    for task in ranked:
        tokens -= task.entry.size
        if tokens < 0 and fitting:
            break
        fitting.append(task.entry)
    urgent = [task for task in fitting if task.status == "in-progress" or task.priority >= _HIGH]
    return tuple(urgent or fitting)

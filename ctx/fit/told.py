"""What a packet tells its session, as the session's memory keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.detail import digest_at
from ctx.model import BY_WORTH, Known, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ctx.model import Level, Measure, Said, Selection

ORDER = "#read order"
"""What the memory calls the list of files to read: no entry has such an id."""


def told(
    selection: Selection, benefits: Mapping[str, float], measure: Measure
) -> tuple[Known, ...]:
    """Return what ``selection`` tells, at its level and price; ``benefits`` are by entry id.

    What was chosen for its worth now, and said by more than its title, is memory that can be
    had back for something else; so are the turns of the tail, which moves on. Everything else
    is pinned: rules, tasks and conventions are in every packet, and titles cost little
    (``planner.md``, KV policy).
    """
    return tuple(_told(selection, benefits, measure))


def _told(selection: Selection, benefits: Mapping[str, float], measure: Measure) -> Iterator[Known]:
    if selection.read_order:
        yield Known(ORDER, "title", order_digest(selection), 0, 0.0, 0.0, pinned=True)
    for section in selection.sections:
        for one in (*section.said, *section.noted):
            yield known_of(one, benefits.get(one.entry.id, 0.0), measure)


def known_of(one: Said, benefit: float, measure: Measure) -> Known:
    """Return what saying ``one`` tells a session; its ``benefit`` is in [0, 1]."""
    entry, level = one.entry, one.level
    return Known(
        entry.id,
        level,
        digest_at(entry, level),
        measure.unit(one),
        benefit,
        0.0,
        pinned=not is_loose(one),
        key_digest=digest_at(entry, "key") if level == "full" else "",
        title_digest="" if level == "title" else digest_at(entry, "title"),
    )


def is_loose(one: Said) -> bool:
    """Whether what is said takes memory that can be had back."""
    return one.level != "title" and one.entry.section in BY_WORTH


def order_digest(selection: Selection) -> str:
    """Return what stands for the list of files to read."""
    return digest_of("\n".join(selection.read_order))


def level_digest(one: Said) -> tuple[str, Level, str]:
    """Return id, level and digest of what is said."""
    return one.entry.id, one.level, digest_at(one.entry, one.level)

"""Everything that may be said, before anything is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx.model import Scored, SectionName


class Offer(NamedTuple):
    """What the planners choose from, each section in its order."""

    ranked: Mapping[SectionName, list[Scored]]
    places: Mapping[SectionName, str]
    """The files of each section, as the reader finds them."""
    read_order: Sequence[str]
    usual: int
    """How many names of the read order are always shown."""
    warnings: Sequence[str]

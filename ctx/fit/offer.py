"""Everything that may be said, before anything is chosen."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

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

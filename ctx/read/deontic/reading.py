"""What the deontic reader answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ctx.read.deontic import conflict

if TYPE_CHECKING:
    from ctx.model import Modality
    from ctx.read.deontic.instruction import Instruction


class Reading(NamedTuple):
    """What a paragraph instructs."""

    instructions: tuple[Instruction, ...]
    """In the order of the text; empty for a paragraph that does not instruct."""

    @property
    def modality(self) -> Modality | Literal[""]:
        """The modality that binds: forbidden over obligatory over permitted."""
        found = {one.modality for one in self.instructions}
        return next((one for one in BINDING if one in found), "")

    @property
    def conflicts(self) -> tuple[tuple[Instruction, Instruction], ...]:
        """The same action obliged and forbidden: the first of each, in the order of the text."""
        return tuple(conflict.pairs(self.instructions))


BINDING: tuple[Modality, ...] = ("forbidden", "obligatory", "permitted")

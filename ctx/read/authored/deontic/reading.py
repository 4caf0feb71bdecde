"""What the deontic reader returns: instructions, the modality that binds, and conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ctx.read.authored.deontic.forms import BREAK, tag
from ctx.read.authored.deontic.lexicon import AGENTS, BE, BETWEEN, DETERMINERS, MODALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctx.model import Modality
    from ctx.read.authored.deontic.clause import Found


class Instruction(NamedTuple):
    """One thing that the agent is told."""

    modality: Modality
    start: int
    """Where its sentence begins, in characters of the text."""
    end: int
    """Where its sentence ends."""
    cue: str
    """What showed it: modal, prohibition, permission, imperative, identity, default, lead-in,
    label, fragment, priority."""
    action: str
    """What is to be done, as stems, behind the condition it is under, if any; empty where that
    cannot be told."""


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
        return tuple(pairs(self.instructions))


BINDING: tuple[Modality, ...] = ("forbidden", "obligatory", "permitted")


_LONGEST = 25
_ENDS = frozenset(("so", "because", "but", "then"))
_UNNAMED = DETERMINERS | BETWEEN | BE | MODALS | {"to", "be", "do"}


def action(words: Sequence[str], found: Found) -> str:
    """Return condition, subject (unless it is the agent), verb and objects as stems."""
    from ctx.text.words import words as stems

    subject = words[found.subject : found.verb]
    if AGENTS.intersection(subject) or "we" in subject:
        subject = ()
    kept: list[str] = []
    for word in words[found.verb : found.verb + _LONGEST]:
        if not word or tag(word) & BREAK or word in _ENDS:
            break
        kept.append(word)
    named = [word for word in (*subject, *kept) if word not in _UNNAMED]
    return " ".join(stems(" ".join((*found.under, *named)))) if named else ""


def pairs(instructions: Iterable[Instruction]) -> list[tuple[Instruction, Instruction]]:
    """Return the first of each of two that oblige to and forbid one action."""
    first: dict[str, dict[str, Instruction]] = {}
    for one in instructions:
        if one.action and one.modality != "permitted":
            first.setdefault(one.action, {}).setdefault(one.modality, one)
    both = (sorted(two.values(), key=_place) for two in first.values() if len(two) > 1)
    return sorted((one, other) for one, other in both)


def _place(one: Instruction) -> tuple[int, int]:
    return one.start, one.end

"""Actions: what is told to be done, so that what is obliged can meet what is forbidden.

Two instructions are of one action when verb, objects and condition are the same words, bare of
articles and endings. Under different conditions, or one with a condition and one without, they
are a rule and its exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.deontic.forms import BREAK, tag
from ctx.read.deontic.lexicon import AGENTS, BE, BETWEEN, DETERMINERS, MODALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctx.read.deontic.clause import Found
    from ctx.read.deontic.instruction import Instruction

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

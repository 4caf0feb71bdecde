"""One thing that a text instructs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ctx.model import Modality


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

"""Whether ctx stored what people and models wrote, and nothing else."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple


class Turn(NamedTuple):
    """What a person or a model wrote."""

    role: str
    """``user`` or ``assistant``."""
    text: str


def wrong(said: Iterable[Turn], stored: Iterable[Turn]) -> list[str]:
    """Return a line for each turn that is not stored, not written, or stored twice."""
    expected, found = Counter(said), Counter(stored)
    lost = [f"not stored: {turn.role}: {turn.text}" for turn in (expected - found).elements()]
    more = [f"not written: {turn.role}: {turn.text}" for turn in (found - expected).elements()]
    return [line[:160] for line in lost + more]

"""Hints for a mistyped name."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def meant(typed: str, known: Sequence[str], others: Iterable[str] = ()) -> str:
    """Return the hint for ``typed``: the nearest of ``known`` or ``others``, else all ``known``."""
    close = get_close_matches(typed.strip().lower()[:100], [*known, *others], 1)
    return f"did you mean {close[0]}?" if close else f"one of {', '.join(known)}"

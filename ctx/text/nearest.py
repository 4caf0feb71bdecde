"""Hints for a mistyped name."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def meant(typed: str, known: Sequence[str], others: Iterable[str] = ()) -> str:
    """Return the hint for ``typed``, which is none of ``known``: the nearest, else all of them.

    ``others`` are further names that may be meant; they are not listed.
    """
    close = get_close_matches(typed.strip().lower()[:100], [*known, *others], 1)
    return f"did you mean {close[0]}?" if close else f"one of {', '.join(known)}"

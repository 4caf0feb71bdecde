"""Whole numbers as people type them."""

from __future__ import annotations

from ctx.config import quoted
from ctx.errors import UsageError

_MOST_DIGITS = 18
"""Of a number; one that has more is as good as endless."""


def whole(flag: str, text: str, kind: str = "", *, least: int = 0) -> int:
    """Return the number that ``flag`` was given; UsageError where it is none from ``least`` on.

    ``kind`` is what a message calls it.
    """
    digits = text.strip()
    sound = digits.isascii() and digits.isdigit()
    number = int(digits.lstrip("0")[:_MOST_DIGITS] or "0") if sound else -1
    if number < least:
        kind = kind or f"a whole number of {least} or more"
        raise UsageError(f"{flag}: {quoted(text)} is not {kind}")
    return number

"""Whole numbers as people type them."""

from __future__ import annotations

from ctx.config.kinds import is_digits, quoted
from ctx.errors import UsageError

_MOST_DIGITS = 18
"""Digits of a number that are read; the rest of a longer one changes nothing."""


def whole(flag: str, text: str, kind: str = "", *, least: int = 0) -> int:
    """Return the number in ``text``; UsageError where it is none from ``least`` on.

    The message names ``flag``, and the number as ``kind``.
    """
    digits = text.strip()
    number = int(digits.lstrip("0")[:_MOST_DIGITS] or "0") if is_digits(digits) else -1
    if number < least:
        kind = kind or f"a whole number of {least} or more"
        raise UsageError(f"{flag}: {quoted(text)} is not {kind}")
    return number

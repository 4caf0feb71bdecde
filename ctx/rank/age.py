"""How old an entry is, in seconds, by the day or the minute that it names."""

from __future__ import annotations

from datetime import date, time, timedelta
from math import inf

_DAY = 86_400.0


def age(timestamp: str, as_of: date) -> float:
    """Return the seconds from ``Entry.timestamp`` to the end of ``as_of``, 0 at least.

    To its end, since a packet of a day must not change by the hour; what has no clock counts
    as of the end of its day. Infinite for what is not dated.
    """
    try:
        day = date.fromisoformat(timestamp[:10])
    except ValueError:
        return inf
    days = (as_of - day).days
    clock = _clock(timestamp[11:])
    return max(0.0, days * _DAY + (_DAY - clock.total_seconds() if clock is not None else 0.0))


def _clock(text: str) -> timedelta | None:
    """Return the time of day of ``HHMMSS`` or ``HHMM``; None without one."""
    if not text:
        return None
    try:
        found = time.fromisoformat(text[:6].ljust(6, "0"))
    except ValueError:
        return None
    return timedelta(hours=found.hour, minutes=found.minute, seconds=found.second)

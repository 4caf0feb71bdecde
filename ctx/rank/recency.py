"""How a score falls with age."""

from collections.abc import Mapping
from datetime import date, time
from math import exp, inf, isfinite
from typing import Final

_DAY = 86_400.0


def age(timestamp: str, as_of: date) -> float:
    """Return the seconds from ``Entry.timestamp`` to the end of ``as_of``, 0 at least.

    To its end, since a packet of a day must not change by the hour; a timestamp without a time
    is the end of its day. Infinite without a date.
    """
    try:
        day = date.fromisoformat(timestamp[:10])
    except ValueError:
        return inf
    return max(0.0, (as_of - day).days * _DAY + _rest_of_day(timestamp[11:]))


def _rest_of_day(clock: str) -> float:
    """Return the seconds after ``HHMMSS`` or ``HHMM`` of a day; 0 where it is not a time."""
    if not clock:
        return 0.0
    try:
        at = time.fromisoformat(clock[:6].ljust(6, "0"))
    except ValueError:
        return 0.0
    return _DAY - (at.hour * 3600 + at.minute * 60 + at.second)


LAMBDA_S: Final[Mapping[str, float]] = {"session": 1e-4, "project": 1e-5, "global": 2e-6}
"""λ_s by scope, per second: half-lives of about 1.9 hours, 19 hours and 4 days."""
SCOPE_S: Final[Mapping[str, float]] = {"session": 1.0, "project": 0.6, "global": 0.3}
"""S(d) by scope (section 1.3: tuned, not derived)."""

_USUAL = "project"
"""What an unknown scope counts as."""


def rate(scope: str, rates: Mapping[str, float] = LAMBDA_S) -> float:
    """Return λ_s of ``scope``, per second (section 2).

    A scope that ``rates`` leave out keeps its default; an unknown one counts as the project's.
    """
    known = scope if scope in LAMBDA_S else _USUAL
    return rates.get(known, LAMBDA_S[known])


def recency(age: float, lambda_: float) -> float:
    """Return R(d) = exp(−λ·Δt), in [0, 1] (section 2); the same formula is r(d) of section 7.3.

    ``age`` is Δt in seconds. The future counts as now, NaN as infinitely old. 0 only where a
    float can no longer hold the result.

    Raises ValueError unless ``lambda_``, per second, is finite and at least 0.
    """
    if not (isfinite(lambda_) and lambda_ >= 0):
        raise ValueError(f"a decay constant is finite and at least 0, not {lambda_}")
    if lambda_ == 0:
        return 1.0  # 0 · inf is NaN
    return exp(-lambda_ * (inf if age != age else max(age, 0.0)))  # noqa: PLR0124 -- NaN


def scope_weight(scope: str, weights: Mapping[str, float] = SCOPE_S) -> float:
    """Return S(d): 1.0 session, 0.6 project, 0.3 global (section 1).

    A scope that ``weights`` leave out keeps its default; an unknown one counts as the project's.
    """
    known = scope if scope in SCOPE_S else _USUAL
    return weights.get(known, SCOPE_S[known])

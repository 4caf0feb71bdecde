"""The worth of an entry before anything is asked: its age, its use and its authority.

Source: ``retrieval-math``, section 7.3; the symbols are its own.
"""

from math import fsum, log1p
from typing import NamedTuple

from ctx.model import Kind
from ctx.rank.score import unit, unit_sum

LAMBDA_R = 2.7e-7
"""λ_r, per second: a half-life of about 30 days. The source leaves it open and forbids using
λ_s; this is the middle bracket of ``brackets``."""
AUTHORED = 1.0
"""a(d) of background from an authored document."""
UNKNOWN = 0.5
"""a(d) of an entry without a rating: neither trusted nor distrusted."""


class Shares(NamedTuple):
    """Weights of the three parts of authority (section 7.3); normalised as in section 1."""

    alpha_r: float = 0.5
    """α_r: weight of recency."""
    alpha_f: float = 0.2
    """α_f: weight of how often the entry was used."""
    alpha_a: float = 0.3
    """α_a: weight of its trust."""


DEFAULTS = Shares()


def frequency(acc: float, most: float) -> float:
    """Return f(d) = log(1 + acc(d)) / log(1 + max acc + 1), in [0, 1) (section 7.3).

    ``acc`` is how often the entry was in a packet or shown, ``most`` the maximum over the
    corpus. Only the denominator has the extra 1, so that a corpus without any access divides
    by log 2 and an entry without access scores exactly 0. Negative counts and NaN are 0; a
    count over ``most``, which is then out of date, is ``most``.
    """
    most = most if most > 0 else 0.0
    acc = min(acc, most) if acc > 0 else 0.0
    return unit(log1p(acc) / log1p(most + 1))  # inf / inf is NaN, so 0


def standing(kind: Kind, trust: float | None) -> float:
    """Return a(d), in [0, 1] (section 7.3): 1.0 for background, else ``trust``, else 0.5.

    ``trust`` is the entry's own, clamped; None and NaN mean that its author gave none.
    """
    if kind == "lore":
        return AUTHORED
    if trust is None or trust != trust:  # noqa: PLR0124 -- NaN
        return UNKNOWN
    return unit(trust)


def authority(r: float, f: float, a: float, shares: Shares = DEFAULTS) -> float:
    """Return ω(d) = α_r·r(d) + α_f·f(d) + α_a·a(d), in [0, 1] (section 7.3).

    ``r`` is ``recency`` with λ_r, ``f`` is ``frequency``, ``a`` is ``standing``; all are
    clamped to [0, 1], NaN is 0.
    """
    alpha_r, alpha_f, alpha_a = unit_sum(shares, DEFAULTS)
    return unit(fsum((alpha_r * unit(r), alpha_f * unit(f), alpha_a * unit(a))))

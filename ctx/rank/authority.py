"""What an entry is worth before anything is asked: its age, its use and its standing.

Source: ``retrieval-math``, section 7.3; the symbols are its own.
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from math import fsum, log1p
from typing import NamedTuple

from ctx.model import Kind
from ctx.rank.score import unit, unit_sum

LAMBDA_R = 2.7e-7
"""λ_r, per second: a half-life of about 30 days. The source leaves it open, and forbids to put
λ_s in its place; this is the middle bracket of ``brackets``."""
AUTHORED = 1.0
"""a(d) of what an authored document tells."""
UNKNOWN = 0.5
"""a(d) of an entry that nobody rated: neither trusted nor distrusted."""


class Shares(NamedTuple):
    """What authority is made of (section 7.3); normalised as the weights of section 1 are."""

    alpha_r: float = 0.5
    """α_r: weight of recency."""
    alpha_f: float = 0.2
    """α_f: weight of how often the entry was used."""
    alpha_a: float = 0.3
    """α_a: weight of its standing."""


DEFAULTS = Shares()


def frequency(acc: float, most: float) -> float:
    """Return f(d) = log(1 + acc(d)) / log(1 + max acc + 1), in [0, 1) (section 7.3).

    ``acc`` is how often the entry was said or shown, ``most`` the most that any entry of the
    corpus was. The denominator alone has one more, so that a corpus without any access divides
    by log 2, and an entry without any access scores 0 exactly. Counts below 0 and NaN are 0;
    a count over ``most``, which is then out of date, is ``most``.
    """
    most = most if most > 0 else 0.0
    acc = min(acc, most) if acc > 0 else 0.0
    return unit(log1p(acc) / log1p(most + 1))  # of two infinities nothing is left: NaN, so 0


def standing(kind: Kind, trust: float | None) -> float:
    """Return a(d), in [0, 1] (section 7.3): 1.0 for authored lore, else ``trust``, else 0.5.

    ``trust`` is the entry's own, None where its author did not say; clamped, NaN is unsaid.
    """
    if kind == "lore":
        return AUTHORED
    if trust is None or trust != trust:  # noqa: PLR0124 -- NaN
        return UNKNOWN
    return unit(trust)


def authority(r: float, f: float, a: float, shares: Shares = DEFAULTS) -> float:
    """Return ω(d) = α_r·r(d) + α_f·f(d) + α_a·a(d), in [0, 1] (section 7.3).

    ``r`` is ``decay.recency`` with λ_r, ``f`` is ``frequency``, ``a`` is ``standing``; all
    are clamped to [0, 1], NaN is 0.
    """
    alpha_r, alpha_f, alpha_a = unit_sum(shares, DEFAULTS)
    return unit(fsum((alpha_r * unit(r), alpha_f * unit(f), alpha_a * unit(a))))

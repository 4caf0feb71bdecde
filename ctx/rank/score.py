"""The hybrid score of one entry: similarity, recency and scope, mixed, times quality.

Source: ``retrieval-math``, section 1; the symbols are its own.
"""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple


class Mix(NamedTuple):
    """Weights of the hybrid score (section 1, defaults of its last list).

    They need not be normalised or in range: every function here does that.
    """

    alpha: float = 0.7
    """α: weight of the similarity."""
    beta: float = 0.2
    """β: weight of recency."""
    gamma: float = 0.1
    """γ: weight of the scope."""
    delta: float = 0.5
    """δ in [0, 1]: how much of the score a summary without any confidence loses."""


DEFAULTS = Mix()


def unit(value: float) -> float:
    """Return ``value`` clamped to [0, 1]; NaN is 0."""
    return min(value, 1.0) if value > 0 else 0.0


def unit_sum(weights: Sequence[float], defaults: Sequence[float]) -> tuple[float, ...]:
    """Return ``weights`` clamped to [0, 1] and scaled onto a sum of 1 (section 1).

    An infinite weight clamps to 1 or 0, NaN counts as 0. Where all are 0, the ``defaults`` are
    used: a mix of nothing would call all entries equal.
    """
    clamped = [unit(weight) for weight in weights]
    total = fsum(clamped)
    if total == 0:
        return tuple(defaults)
    return tuple(weight / total for weight in clamped)


def normalised(mix: Mix) -> Mix:
    """Return ``mix`` with α + β + γ = 1 and δ in [0, 1] (section 1.1); a δ of NaN is 0."""
    alpha, beta, gamma = unit_sum(mix[:3], DEFAULTS[:3])
    return Mix(alpha, beta, gamma, unit(mix.delta))


def base(cos: float, recency: float, scope: float, mix: Mix = DEFAULTS) -> float:
    """Return the weighted sum α·cos(q,d) + β·R(d) + γ·S(d), in [0, 1] (section 1).

    ``cos`` may be negative, which counts as 0 (its note on retrieval similarity); ``recency``
    and ``scope`` are clamped to [0, 1] likewise.
    """
    alpha, beta, gamma, _ = normalised(mix)
    # Convex, so in [0, 1] but for rounding.
    return unit(fsum((alpha * unit(cos), beta * unit(recency), gamma * unit(scope))))


def decay_rate(confidence: float) -> float:
    """Return 1 − confidence(s), in [0, 1] (section 5.5); NaN is no confidence."""
    return 1.0 - unit(confidence)


def quality(decay_rate: float | None, delta: float = DEFAULTS.delta) -> float:
    """Return Q(d) = 1 − δ·decay_rate(d), in [1 − δ, 1] (section 1).

    ``decay_rate`` in [0, 1] says how unsure a summary is; None for other entries, whose Q is 1.
    Both are clamped.
    """
    return 1.0 if decay_rate is None else 1.0 - unit(delta) * unit(decay_rate)


def score(
    cos: float,
    recency: float,
    scope: float,
    decay_rate: float | None = None,
    mix: Mix = DEFAULTS,
) -> float:
    """Return base(d)·Q(d), in [0, 1] (section 1)."""
    return base(cos, recency, scope, mix) * quality(decay_rate, mix.delta)

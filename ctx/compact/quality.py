"""How well a summary stands for its sources.

Source: ``retrieval-math``, sections 5.2 to 5.5; the symbols are its own.
"""

from __future__ import annotations

from math import exp, fsum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Vectors

TAU = 0.65
"""τ_preserve: an abstractive summary with less alignment is refused (5.3)."""
LAMBDA = 0.8
"""λ: what the geometry weighs where a model says how sure it was; the rest is its (5.4)."""


def align(vectors: Vectors, summary_at: int, sources: Sequence[int]) -> float:
    """Return Q_align(s, C) = cos(v_s, mean v_i), in [-1, 1] (section 5.2).

    0 where the summary says nothing, or the sources cancel out.
    """
    return vectors.to_mean(sources)[summary_at] if sources else 0.0


def cover(vectors: Vectors, summary_at: int, sources: Sequence[int]) -> float:
    """Return Q_cover(s, C) = mean of max(0, cos(v_s, v_i)), in [0, 1] (section 5.2)."""
    cosines = vectors.cosines(summary_at)
    return fsum(_unit(cosines[place]) for place in sources) / max(len(sources), 1)


def confidence(align: float, cover: float, mean_logprob: float | None = None) -> float:
    """Return how far the summary is to be trusted, in [0, 1] (sections 5.2 and 5.4).

    The mean of alignment and coverage, clamped; where a model says how sure it was, λ of that
    and 1 − λ of exp(mean log p). A logarithm over 0 counts as 0; NaN, which says nothing, is
    0 for the former two, and no logarithm.
    """
    geometry = _unit((_number(align) + _number(cover)) / 2)
    if mean_logprob is None or mean_logprob != mean_logprob:  # noqa: PLR0124 - NaN
        return geometry
    return _unit(LAMBDA * geometry + (1 - LAMBDA) * exp(min(mean_logprob, 0.0)))


def _number(value: float) -> float:
    """Return ``value``, clamped to [-1, 1]; NaN is 0."""
    return max(-1.0, min(value, 1.0)) if value < 0 else _unit(value)


def _unit(value: float) -> float:
    """Return ``value`` clamped to [0, 1]; NaN is 0."""
    return min(value, 1.0) if value > 0 else 0.0

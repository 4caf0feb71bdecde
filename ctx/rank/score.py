"""The formulas of scores: similarity, recency, scope, authority, keywords.

Source: ``retrieval-math``, sections 1, 2, 5.5 and 7.3 to 7.6; the symbols are its own.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, time
from math import exp, fsum, inf, isfinite, log1p
from typing import Final, NamedTuple

from ctx.model import Kind

# Sections 1 and 5.5: the hybrid score


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


# Section 2: how a score falls with age

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
    rest = 0.0  # seconds after ``HHMMSS`` or ``HHMM`` of its day
    if timestamp[11:]:
        with suppress(ValueError):
            clock = time.fromisoformat(timestamp[11:17].ljust(6, "0"))
            rest = _DAY - (clock.hour * 3600 + clock.minute * 60 + clock.second)
    return max(0.0, (as_of - day).days * _DAY + rest)


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


# Section 7.3: the worth of an entry before anything is asked

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


_SHARES = Shares()


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


def authority(r: float, f: float, a: float, shares: Shares = _SHARES) -> float:
    """Return ω(d) = α_r·r(d) + α_f·f(d) + α_a·a(d), in [0, 1] (section 7.3).

    ``r`` is ``recency`` with λ_r, ``f`` is ``frequency``, ``a`` is ``standing``; all are
    clamped to [0, 1], NaN is 0.
    """
    alpha_r, alpha_f, alpha_a = unit_sum(shares, _SHARES)
    return unit(fsum((alpha_r * unit(r), alpha_f * unit(f), alpha_a * unit(a))))


# Sections 7.5 and 7.6: keywords

KAPPA = 0.3
"""κ: what full keyword coverage adds to the similarity, before it is normalised (7.6)."""


def m_norm(held: int, keywords_: int) -> float:
    """Return M_norm(K,d) = |K ∩ terms(d)| / max(|K|, 1), in [0, 1] (section 7.5).

    ``held`` of the ``keywords_`` are in the entry. 0 without keywords.
    """
    return unit(held / max(keywords_, 1))


def s_final(omega: float, sim: float, covered: float, kappa: float = KAPPA) -> float:
    """Return S_final(d) = ω·max(sim, 0)·(1 + κ·M_norm) / (1 + κ), in [0, ω] (sections 7.5, 7.6).

    ``omega`` is ω(d) in [0, 1], ``sim`` in [-1, 1], ``covered`` is M_norm, in [0, 1]; all are
    clamped, NaN is 0.

    Raises ValueError unless ``kappa`` is finite and at least 0.
    """
    if not (isfinite(kappa) and kappa >= 0):
        raise ValueError(f"κ is finite and at least 0, not {kappa}")
    # The quotient first: it is at most 1, so that rounding never lifts the product over ω.
    return unit(omega) * (unit(sim) * min((1 + kappa * unit(covered)) / (1 + kappa), 1.0))

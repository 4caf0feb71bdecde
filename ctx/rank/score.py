"""The formulas of scores (``retrieval-math``, sections 1, 2, 5.5 and 7.3 to 7.6)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, time
from math import exp, fsum, inf, log1p

from ctx.model import Kind


def unit(value: float) -> float:
    """Return ``value`` clamped to [0, 1]; NaN is 0."""
    return min(value, 1.0) if value > 0 else 0.0


WEIGHTS = (0.7, 0.2, 0.1)  # α, β and γ: weights of similarity, recency and scope
DELTA = 0.5  # how much of the score a summary without any confidence loses


def convex(*weights: float) -> tuple[float, ...]:
    """Return ``weights`` clamped to [0, 1] and scaled to the sum 1; all 0 are 1 and else 0."""
    clamped = tuple(map(unit, weights))
    total = fsum(clamped)
    scaled = tuple(weight / total for weight in clamped) if total else ()
    return scaled or (1.0, *(0.0 for _ in weights[1:]))


def base(cos: float, recency: float, scope: float, weights: Sequence[float] = WEIGHTS) -> float:
    """Return α·cos(q,d) + β·R(d) + γ·S(d), in [0, 1] (section 1).

    All three are clamped to [0, 1]; ``weights`` are scaled to the sum 1.
    """
    alpha, beta, gamma = convex(*weights)
    # Convex, so in [0, 1] but for rounding.
    return unit(fsum((alpha * unit(cos), beta * unit(recency), gamma * unit(scope))))


def decay_rate(confidence: float) -> float:
    """Return 1 − confidence(s), in [0, 1] (section 5.5); NaN is no confidence."""
    return 1.0 - unit(confidence)


def quality(decay_rate: float | None) -> float:
    """Return Q(d) = 1 − δ·decay_rate(d), in [1 − δ, 1] (section 1); 1 for what is no summary."""
    return 1.0 if decay_rate is None else 1.0 - DELTA * unit(decay_rate)


def score(
    cos: float,
    recency: float,
    scope: float,
    decay_rate: float | None = None,
    weights: Sequence[float] = WEIGHTS,
) -> float:
    """Return base(d)·Q(d), in [0, 1] (section 1)."""
    return base(cos, recency, scope, weights) * quality(decay_rate)


LAMBDA_S = {
    "session": 1e-4,
    "project": 1e-5,
    "global": 2e-6,
}  # λ_s, per second: half-lives of about 1.9 hours, 19 hours and 4 days
SCOPE_S = {"session": 1.0, "project": 0.6, "global": 0.3}  # s(d) (section 1.3: tuned, not derived)
_DAY = 86_400.0


def rate(scope: str, decay: Mapping[str, float] = LAMBDA_S) -> float:
    """Return λ_s of ``scope``, per second (section 2); an unknown one counts as the project's."""
    return decay.get(scope, decay["project"])


def scope_weight(scope: str) -> float:
    """Return S(d) (section 1); an unknown scope counts as the project's."""
    return SCOPE_S.get(scope, SCOPE_S["project"])


def recency(age: float, lambda_: float) -> float:
    """Return R(d) = exp(−λ·Δt), in [0, 1] (sections 2 and 7.3).

    ``age`` is Δt in seconds, the future counting as now and NaN as infinite; ``lambda_`` is 0 or
    more, per second.
    """
    return exp(-lambda_ * max(age, 0.0)) if age < inf else 0.0


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


LAMBDA_R = 2.7e-7  # λ_r, per second: a half-life of about 30 days, as the source forbids λ_s
ALPHA_R, ALPHA_F, ALPHA_A = 0.5, 0.2, 0.3  # weights of recency, of use, and of trust
AUTHORED = 1.0  # a(d) of background from an authored document
UNKNOWN = 0.5  # a(d) of an entry without a rating: neither trusted nor distrusted


def frequency(acc: float, most: float) -> float:
    """Return f(d) = log(1 + acc(d)) / log(1 + max acc + 1), in [0, 1) (section 7.3).

    ``acc`` is how often the entry was in a packet or shown, ``most`` the maximum over the corpus;
    negative counts and NaN are 0. The extra 1 makes it 0 in a corpus without any access.
    """
    most = most if most > 0 else 0.0
    acc = min(acc, most) if acc > 0 else 0.0
    return unit(log1p(acc) / log1p(most + 1))  # inf / inf is NaN, so 0


def standing(kind: Kind, trust: float | None) -> float:
    """Return a(d), in [0, 1] (section 7.3): 1.0 for background, else ``trust``, clamped, or 0.5."""
    if kind == "lore":
        return AUTHORED
    if trust is None or trust != trust:  # noqa: PLR0124 -- NaN
        return UNKNOWN
    return unit(trust)


def authority(r: float, f: float, a: float) -> float:
    """Return ω(d) = α_r·r(d) + α_f·f(d) + α_a·a(d), in [0, 1] (7.3); all clamped, NaN is 0."""
    return unit(fsum((ALPHA_R * unit(r), ALPHA_F * unit(f), ALPHA_A * unit(a))))


KAPPA = 0.3  # κ: what full keyword coverage adds to the similarity, before it is normalised (7.6)


def m_norm(held: int, keywords_: int) -> float:
    """Return M_norm(K,d) = |K ∩ terms(d)| / max(|K|, 1), in [0, 1] (section 7.5)."""
    return unit(held / max(keywords_, 1))


def s_final(omega: float, sim: float, covered: float) -> float:
    """Return S_final(d) = ω·max(sim, 0)·(1 + κ·M_norm) / (1 + κ), in [0, ω] (7.5, 7.6)."""
    # The quotient first: it is at most 1, so that rounding never lifts the product over ω.
    return unit(omega) * (unit(sim) * min((1 + KAPPA * unit(covered)) / (1 + KAPPA), 1.0))

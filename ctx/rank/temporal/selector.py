"""The selector: entries that together cover what a temporal query relates.

Source: ``temporal-retrieval``, sections 9.4.2 to 9.8; the symbols are its own.
"""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from math import fsum
from typing import NamedTuple

from ctx.rank.score import unit
from ctx.rank.temporal import DEFAULTS, Settings, weights
from ctx.rank.temporal.question import Indication, Slot


class Candidate(NamedTuple):
    """A document d as the selector sees it."""

    key: str
    s_final: float
    """S_final(d), in [0, 1] (7.5)."""
    sim: float
    """sim(q, d), in [-1, 1] (7.4)."""
    density: float
    """A(d), in [0, 1] (9.3)."""
    words: AbstractSet[str] = frozenset()
    """terms(d), by which slots are matched without an embedder."""
    near: Callable[[Slot], float] | None = None
    """The similarity of d to a slot, in [-1, 1], with an embedder."""
    weight: float = 1.0
    """In [0, 1]: S_proj is multiplied by it, so that a long document must earn its tokens."""


class Chosen(NamedTuple):
    """A selected document, and why."""

    key: str
    s_proj: float
    """S_proj(d, S, q) for the S selected before it, in [0, 1]."""
    s_final: float
    s_cov: float
    """S_cov(d, S, q), in [0, 1]."""
    density: float
    """A(d)."""
    marginal: float
    """ΔΦ(d, S, q), in [0, 1]."""
    slots: tuple[int, ...]
    """The slots it covers first, counted from 0."""


def phi(slot: Slot, candidate: Candidate, settings: Settings = DEFAULTS) -> bool:
    """Return φ_j(d): whether ``candidate`` matches ``slot`` (section 9.4.2).

    By similarity ≥ θ_e where there is one (NaN matches nothing), else by the share of the
    slot's words that it holds.
    """
    if candidate.near is not None:
        return candidate.near(slot) >= settings.theta_e
    held = len(slot.words & candidate.words)
    return held > 0 and held >= settings.overlap * len(slot.words)


def marginal(covers: AbstractSet[int], covered: AbstractSet[int], slots: int) -> float:
    """Return ΔΦ(d, S, q), in [0, 1]: the share of slots that d covers and S does not (9.4.3).

    ``covers`` are the slots that d matches, ``covered`` those that any of S does, ``slots`` is
    |E(q)|. Never more for a larger S; 0 without slots.
    """
    return len(covers - covered) / max(slots, 1)


def s_cov(s_final: float, density: float, delta_phi: float, settings: Settings = DEFAULTS) -> float:
    """Return S_cov = μ·S_final + ν·A + ρ·ΔΦ, in [0, 1] (section 9.5). All are clamped."""
    mu, nu, rho = weights(settings)
    return unit(fsum((mu * unit(s_final), nu * unit(density), rho * unit(delta_phi))))


def s_proj(xi: float, s_final: float, cov: float, settings: Settings = DEFAULTS) -> float:
    """Return S_proj = (1 − ξ)·S_final + ξ·S_cov, in [0, 1] (section 9.5). All are clamped."""
    part = unit(xi) if settings.blend else 1.0
    return unit((1 - part) * unit(s_final) + part * unit(cov))


def select(
    pool: Iterable[Candidate],
    slots: Sequence[Slot],
    indication: Indication,
    settings: Settings = DEFAULTS,
) -> list[Chosen]:
    """Return S*(q) in the order of selection, at most k_cov of ``pool`` (section 9.7).

    Greedy by S_proj, ties by key; it stops below θ_stop. S_proj never rises from one to the
    next. Of two candidates with one key the better counts. Empty where the query is not active.
    """
    if not indication.active:
        return []
    left = _prepared(pool, slots, settings)
    covered: frozenset[int] = frozenset()
    chosen: list[Chosen] = []
    while left and len(chosen) < settings.k_cov:
        candidates = left.values()
        best = min(
            (_chosen(ready, covered, len(slots), indication.xi, settings) for ready in candidates),
            key=lambda choice: (-choice.s_proj, choice.key),
        )
        if best.s_proj < settings.theta_stop:
            break
        covered |= left.pop(best.key).covers
        chosen.append(best)
    return chosen


def project(chosen: Iterable[Chosen], projection: Iterable[str]) -> list[str]:
    """Return keys in order: the selected, then the normal projection, each once.

    The source replaces C₂ by S* (section 9.8); a packet has room for both, so that nothing is
    lost to a query that only looks temporal.
    """
    return list(dict.fromkeys([*(choice.key for choice in chosen), *projection]))


class _Ready(NamedTuple):
    """A candidate, and the slots it matches: computed once, since that may embed."""

    candidate: Candidate
    covers: frozenset[int]


def _prepared(
    pool: Iterable[Candidate], slots: Sequence[Slot], settings: Settings
) -> dict[str, _Ready]:
    best: dict[str, Candidate] = {}
    for candidate in pool:
        known = best.get(candidate.key)
        if known is None or _worth(candidate) > _worth(known):
            best[candidate.key] = candidate
    numbered = list(enumerate(slots)) if settings.coverage else []
    return {
        key: _Ready(
            candidate, frozenset(j for j, slot in numbered if phi(slot, candidate, settings))
        )
        for key, candidate in best.items()
    }


def _worth(candidate: Candidate) -> tuple[float, float, float]:
    return unit(candidate.s_final), unit(candidate.density), unit(candidate.sim)


def _chosen(
    ready: _Ready, covered: AbstractSet[int], slots: int, xi: float, settings: Settings
) -> Chosen:
    candidate = ready.candidate
    s_final, density = unit(candidate.s_final), unit(candidate.density)
    delta_phi = marginal(ready.covers, covered, slots)
    cov = s_cov(s_final, density, delta_phi, settings)
    score = unit(candidate.weight) * s_proj(xi, s_final, cov, settings)
    fresh = tuple(sorted(ready.covers - covered))
    return Chosen(candidate.key, score, s_final, cov, density, delta_phi, fresh)

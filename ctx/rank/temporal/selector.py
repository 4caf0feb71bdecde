"""The selector: what together covers a temporal query (``temporal-retrieval``, 9.4.2 to 9.8)."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from math import fsum
from typing import NamedTuple

from ctx.rank.score import unit
from ctx.rank.temporal import DEFAULTS, Settings, weights
from ctx.rank.temporal.question import Indication, Slot


class Candidate(NamedTuple):
    """A document d as the selector sees it."""

    position: int
    s_final: float
    """S_final(d), in [0, 1] (7.5)."""
    density: float
    """A(d), in [0, 1] (9.3)."""
    words: AbstractSet[str] = frozenset()
    """terms(d), by which slots are matched."""
    meanings: tuple[float, ...] = ()
    """Its similarity to each slot, in [-1, 1]; empty without an embedder."""
    weight: float = 1.0
    """In [0, 1]: S_proj is multiplied by it, so that a long document must earn its tokens."""


class Chosen(NamedTuple):
    """A selected document."""

    position: int
    s_proj: float
    """S_proj(d, S, q) for the S selected before it, in [0, 1]."""


def phi(slot: Slot, candidate: Candidate, settings: Settings = DEFAULTS, sim: float = -1) -> bool:
    """Return φ_j(d): whether ``candidate`` matches ``slot`` (9.4.2).

    By meaning, where ``sim`` is at least θ_e, or by enough of the slot's words: a name of two
    words is seldom that near to a long text which holds it.
    """
    held = len(slot.words & candidate.words)
    return sim >= settings.theta_e or (held > 0 and held >= settings.overlap * len(slot.words))


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

    Greedy by S_proj, ties by position; it stops below θ_stop. S_proj never rises from one to the
    next. Empty where the query is not active.
    """
    if not indication.active:
        return []
    unknown = (-1.0,) * len(slots)
    numbered = list(enumerate(slots)) if settings.coverage else []
    left = {
        candidate: frozenset(
            j
            for j, slot in numbered
            if phi(slot, candidate, settings, (candidate.meanings or unknown)[j])
        )
        for candidate in pool
    }
    covered: frozenset[int] = frozenset()
    chosen: dict[Candidate, Chosen] = {}

    def choice(candidate: Candidate) -> Chosen:
        delta_phi = marginal(left[candidate], covered, len(slots))
        cov = s_cov(candidate.s_final, candidate.density, delta_phi, settings)
        score = s_proj(indication.xi, candidate.s_final, cov, settings)
        return Chosen(candidate.position, unit(candidate.weight) * score)

    while len(chosen) < min(settings.k_cov, len(left)):
        choices = {candidate: choice(candidate) for candidate in left if candidate not in chosen}
        best = min(choices, key=lambda each: (-choices[each].s_proj, each.position))
        if choices[best].s_proj < settings.theta_stop:
            break
        covered |= left[best]
        chosen[best] = choices[best]
    return list(chosen.values())


def project(chosen: Iterable[Chosen], projection: Iterable[int]) -> list[int]:
    """Return positions in order: the selected, then the normal projection, each once.

    The source replaces C₂ by S* (section 9.8); a packet has room for both, so that nothing is
    lost to a query that only looks temporal.
    """
    return list(dict.fromkeys([*(choice.position for choice in chosen), *projection]))

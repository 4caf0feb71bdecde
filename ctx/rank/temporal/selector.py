"""The selector: what together covers a temporal query (``temporal-retrieval``, 9.4.2 to 9.8)."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from math import fsum

from ctx.rank.score import unit
from ctx.rank.temporal.question import Indication, Slot
from ctx.typed import NamedTuple

OVERLAP = 0.5  # the share of a slot's words from which an entry matches it (9.4.2)
THETA_E = 0.5  # θ_e: the similarity to a slot from which an entry matches it (9.4.2)
MU, NU, RHO = 0.6, 0.2, 0.2  # weights of S_final, A and ΔΦ, 1 in sum (9.5)
K_COV = 3  # most entries selected (9.7)
THETA_STOP = 0.1  # θ_stop: the S_proj below which selection stops (9.7)


class Candidate(NamedTuple):
    """A document d as the selector sees it."""

    position: int
    s_final: float  # s_final(d), in [0, 1] (7.5)
    density: float  # a(d), in [0, 1] (9.3)
    words: AbstractSet[str] = frozenset()  # terms(d), by which slots are matched
    meanings: tuple[float, ...] = ()  # its similarity to each slot; empty without an embedder
    weight: float = 1.0  # in [0, 1], a factor of S_proj: a long document must earn its tokens


class Chosen(NamedTuple):
    """A selected document."""

    position: int
    s_proj: float  # s_proj(d, S, q) for the S selected before it, in [0, 1]


def phi(slot: Slot, candidate: Candidate, sim: float = -1) -> bool:
    """Return φ_j(d): whether ``candidate`` matches ``slot``, by meaning or enough words (9.4.2)."""
    held = len(slot.words & candidate.words)
    return sim >= THETA_E or (held > 0 and held >= OVERLAP * len(slot.words))


def marginal(covers: AbstractSet[int], covered: AbstractSet[int], slots: int) -> float:
    """Return ΔΦ(d, S, q), in [0, 1]: the share of slots that d covers and S does not (9.4.3)."""
    return len(covers - covered) / max(slots, 1)


def s_cov(s_final: float, density: float, delta_phi: float) -> float:
    """Return S_cov = μ·S_final + ν·A + ρ·ΔΦ, in [0, 1] (section 9.5). All are clamped."""
    return unit(fsum((MU * unit(s_final), NU * unit(density), RHO * unit(delta_phi))))


def s_proj(xi: float, s_final: float, cov: float) -> float:
    """Return S_proj = (1 − ξ)·S_final + ξ·S_cov, in [0, 1] (section 9.5). All are clamped."""
    return unit((1 - unit(xi)) * unit(s_final) + unit(xi) * unit(cov))


def select(
    pool: Iterable[Candidate], slots: Sequence[Slot], indication: Indication
) -> list[Chosen]:
    """Return S*(q), greedily by S_proj, ties by position, k_cov at most (9.7); none if inactive."""
    if not indication.active:
        return []
    unknown = (-1.0,) * len(slots)
    left = {
        candidate: frozenset(
            j
            for j, slot in enumerate(slots)
            if phi(slot, candidate, (candidate.meanings or unknown)[j])
        )
        for candidate in pool
    }
    covered: frozenset[int] = frozenset()
    chosen: dict[Candidate, Chosen] = {}

    def choice(candidate: Candidate) -> Chosen:
        delta_phi = marginal(left[candidate], covered, len(slots))
        cov = s_cov(candidate.s_final, candidate.density, delta_phi)
        score = s_proj(indication.xi, candidate.s_final, cov)
        return Chosen(candidate.position, unit(candidate.weight) * score)

    while len(chosen) < min(K_COV, len(left)):
        choices = {candidate: choice(candidate) for candidate in left if candidate not in chosen}
        best = min(choices, key=lambda each: (-choices[each].s_proj, each.position))
        if choices[best].s_proj < THETA_STOP:
            break
        covered |= left[best]
        chosen[best] = choices[best]
    return list(chosen.values())


def project(chosen: Iterable[Chosen], projection: Iterable[int]) -> list[int]:
    """Return positions: the selected, then all others, which the source leaves out (9.8)."""
    return list(dict.fromkeys([*(choice.position for choice in chosen), *projection]))

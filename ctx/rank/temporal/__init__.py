"""Questions about time: sets of dated entries that answer together.

Source: ``temporal-retrieval``, section 9; the symbols are its own. Here are its figures, and a
switch for each of its parts.
"""

from typing import NamedTuple

from ctx.rank.score import convex


class Settings(NamedTuple):
    """Figures and switches of the temporal extension."""

    enabled: bool = True
    """Off: no query is temporal, and nothing changes."""
    guarded: bool = True
    """Off: every "before", "first" or "since" counts, whatever its meaning in the sentence."""
    density: bool = True
    """Off: A(d) does not count, and the weights of the other parts are scaled up (9.5)."""
    coverage: bool = True
    """Off: ΔΦ does not count, likewise (9.5)."""
    blend: bool = True
    """Off: an active query is scored by S_cov alone, as if ξ were 1 (9.5)."""
    theta_xi: float = 0.3
    """θ_ξ: the ξ from which a query is temporal (9.2)."""
    xi_norm: float = 1.5
    """θ_ξ^norm > 0: the weight of patterns that saturates ξ (9.2)."""
    anchor_norm: int = 3
    """θ_A^norm > 0: the distinct anchors that saturate A (9.3)."""
    m_max: int = 4
    """Most event slots of a query (9.4.1)."""
    overlap: float = 0.5
    """In [0, 1]: the share of a slot's words from which an entry matches it (9.4.2)."""
    theta_e: float = 0.5
    """θ_e in [-1, 1]: the similarity to a slot from which an entry matches it (9.4.2)."""
    mu: float = 0.6
    """μ: weight of S_final (9.5)."""
    nu: float = 0.2
    """ν: weight of A (9.5)."""
    rho: float = 0.2
    """ρ: weight of ΔΦ (9.5)."""
    theta_rec: float = 0.15
    """θ_rec: the similarity from which an entry that pass 1 or 2 drops is recovered (9.6)."""
    k_rec: int = 10
    """Most entries recovered (9.6)."""
    k_cov: int = 3
    """Most entries selected (9.7)."""
    theta_stop: float = 0.1
    """θ_stop in [0, 1]: the S_proj below which selection stops (9.7)."""


DEFAULTS = Settings()


def weights(settings: Settings) -> tuple[float, float, float]:
    """Return μ, ν and ρ, each in [0, 1] and 1 in sum (9.5).

    Clamped and scaled. A part that is switched off weighs 0 and the others are scaled up, so that
    θ_stop keeps its meaning. Where all are 0, S_final decides alone.
    """
    nu = settings.nu if settings.density else 0.0
    rho = settings.rho if settings.coverage else 0.0
    mu, nu, rho = convex(settings.mu, nu, rho)
    return mu, nu, rho

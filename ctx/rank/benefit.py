"""What a fragment brings: what it shares with the gaze, how new it is, whether it cites.

Source: ``acs-planner``, section Core Scoring Function; the symbols are its own.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from math import exp

ALPHA = 0.6
"""α: weight of entity overlap."""
BETA = 0.3
"""β: weight of recency."""
GAMMA = 0.1
"""γ: weight of citations."""
WEEK = 168.0
"""Hours in which recency falls to 1/e."""
CITED = 1.0
UNCITED = 0.5


def recency(age_hours: float) -> float:
    """Return exp(−age/168), in [0, 1] (section Recency Scoring); an age below 0 counts as 0."""
    return exp(-max(0.0, age_hours) / WEEK)


def availability(citations: int) -> float:
    """Return 1.0 with at least one citation, else 0.5 (section Core Scoring Function)."""
    return CITED if citations > 0 else UNCITED


def benefit(overlap: float, recent: float, available: float) -> float:
    """Return α·overlap + β·recency + γ·citation availability, in [0, 1] (section 1).

    All three are in [0, 1].
    """
    return ALPHA * overlap + BETA * recent + GAMMA * available

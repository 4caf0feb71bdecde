"""Questions about time: sets of dated entries that answer together.

Source: ``temporal-retrieval``, section 9. English only: other languages score ξ = 0, and
nothing changes for them.
"""

from ctx.rank.temporal.dates import anchors, density
from ctx.rank.temporal.events import Indication, Slot, indicate, slots
from ctx.rank.temporal.selector import (
    Candidate,
    Chosen,
    marginal,
    phi,
    project,
    s_cov,
    s_proj,
    select,
)
from ctx.rank.temporal.settings import DEFAULTS, Settings, weights

__all__ = [
    "DEFAULTS",
    "Candidate",
    "Chosen",
    "Indication",
    "Settings",
    "Slot",
    "anchors",
    "density",
    "indicate",
    "marginal",
    "phi",
    "project",
    "s_cov",
    "s_proj",
    "select",
    "slots",
    "weights",
]

"""G: whether a turn deserves to become durable knowledge.

Source: ``compaction.md``, Promotion: G = (1 − T)·G_conv + T·G_tech, all in [0, 1].
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from typing import NamedTuple

from ctx.promote.construction import construction
from ctx.promote.conversational import conversational
from ctx.promote.novelty import Novelty
from ctx.promote.prose import said, unit
from ctx.promote.settled import settled
from ctx.promote.specifics import specifics
from ctx.promote.technicality import technicality
from ctx.promote.weights import (
    CONSTRUCTION,
    CONVERSATIONAL,
    FAINT,
    NOVELTY,
    RECURRENCE,
    SETTLED,
    SPECIFICS,
)

LEAST = 0.35
"""A turn whose G is at least this is proposed."""


class Parts(NamedTuple):
    """The signals of one turn, each in [0, 1]; the letters are the source's."""

    t: float = 0.0
    """T: how technical it is."""
    h: float = 1.0
    """H: how new it is."""
    f: float = 0.0
    """F: how often its session says the like."""
    s: float = 0.0
    """S: how often memory says the like."""
    r: float = 0.0
    """R = F·(1 − S)."""
    d_nl: float = 0.0
    """Marks of knowledge in talk."""
    p: float = 0.0
    """How concrete it is."""
    a: float = 0.0
    """What it settles."""
    d_tech: float = 0.0
    """What it says of how things are built."""

    @property
    def g_conv(self) -> float:
        """.35·H + .40·R + .25·D_nl."""
        parts = (NOVELTY * unit(self.h), RECURRENCE * unit(self.r))
        return unit(sum(parts) + CONVERSATIONAL * unit(self.d_nl))

    @property
    def g_tech(self) -> float:
        """.40·P + .35·A + .25·D_tech."""
        parts = (SPECIFICS * unit(self.p), SETTLED * unit(self.a))
        return unit(sum(parts) + CONSTRUCTION * unit(self.d_tech))

    def with_novelty(self, found: Novelty) -> "Parts":
        """Return these with H, F, S and R as ``found``."""
        return self._replace(h=found.h, f=found.f, s=found.s, r=found.r)


NOTHING = Parts()
"""Of a turn that says nothing, on an empty memory."""


def score(parts: Parts) -> float:
    """Return G = (1 − T)·G_conv + T·G_tech, in [0, 1] and between the two."""
    t, conv, tech = unit(parts.t), parts.g_conv, parts.g_tech
    mixed = (1 - t) * conv + t * tech
    # Rounding must not carry it past either of them.
    return min(max(mixed, min(conv, tech)), max(conv, tech))


def of_text(text: str) -> Parts:
    """Return the signals that a turn's text tells; the others are as on an empty memory.

    P, A and D_tech are left out where they decide nothing: of talk that says nothing.
    """
    turn = said(text)
    talk = Parts(t=technicality(turn), d_nl=conversational(turn))
    if not talk.t and not says_something(talk):
        return talk
    return talk._replace(p=specifics(turn), a=settled(turn), d_tech=construction(turn))


def says_something(parts: Parts) -> bool:
    """Return whether a turn has marks of knowledge: talk its own, a technical turn either's.

    On an empty memory H = 1, and H alone brings G to ``LEAST``: without this condition every
    greeting would be proposed.
    """
    tech = max(unit(parts.a), unit(parts.d_tech)) if parts.t > 0 else 0.0
    return max(unit(parts.d_nl), tech) >= FAINT


def passes(parts: Parts) -> bool:
    """Return whether a turn is proposed: it says something, and G ≥ ``LEAST``."""
    return says_something(parts) and score(parts) >= LEAST


def may_pass(parts: Parts) -> bool:
    """Return whether a turn could be proposed if all were new and recurred: G is monotone."""
    return passes(parts._replace(h=1.0, r=1.0))

"""Elevated guidance: rules that a user gave in a session, where they bear on the query.

Source: ``compaction``, step 4. They are never summed up: what somebody forbade must not be
melted into what was talked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.fit.ledger import Apart
from ctx.fit.offer import Total

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx.fit.ledger import Ledger
    from ctx.fit.offer import Offer
    from ctx.model import Entry, Scored

SHARE = 0.15
"""Of the budget, at most."""


class Guidance:
    """Chooses what is said as guidance; what finds no room there is offered as a turn."""

    def __init__(self, choice: Offer, without: Iterable[Entry]) -> None:
        """Offer what ``choice`` has, save the turns ``without``, which the tail may say."""
        elsewhere = {entry.id for entry in without}
        ranked = choice.ranked.get("elevated", [])
        offered = _once(one for one in ranked if one.entry.id not in elsewhere)
        self.run = Apart("elevated", offered, Total(0, 0), "", 0)

    def say(self, ledger: Ledger, budget: int) -> None:
        """Say whole turns, best first, within the share of ``budget`` tokens."""
        run = self.run
        run.budget = int(SHARE * budget)
        for place in range(len(run.ranked)):
            ledger.say(run, place, "full", run.budget - run.used)

    def said(self) -> list[Entry]:
        """Return the turns that are said, to be said nowhere else."""
        return [self.run.entry(place) for place in sorted(self.run.levels)]


def _once(ranked: Iterable[Scored]) -> list[Scored]:
    """Return what is ranked without what was said in the same words before it."""
    first: dict[str, Scored] = {}
    for one in ranked:
        first.setdefault(" ".join(one.entry.body.casefold().split()), one)
    return list(first.values())

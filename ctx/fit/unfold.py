"""Turns instead of their summary, where there is room for them after all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.fit.lineage import below, is_summary
from ctx.model import Said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx.fit.ledger import Ledger, Run

UNSPENT = 0.05
"""Of the budget, at most, where that has every turn said or stood for."""


def unfold(ledger: Ledger, run: Run) -> None:
    """Say what summaries stand for, best first, as far as the budget goes.

    Of the last one as many as fit, where much would go unspent otherwise: a summary saves room
    that is missing, and none that is left.
    """
    if not any(is_summary(run.entry(place)) for place in run.levels):
        return
    sources = below(run.ranked)
    while any(_whole(ledger, run, place, sources) for place in _said(run)):
        pass  # what was made of summaries is now these: they may be unfolded in turn
    if ledger.left > UNSPENT * ledger.budget:
        for place in _said(run):
            places = _all_of(run, place, sources)
            if places and ledger.unfold(run, place, places, titles=True):
                return


def _said(run: Run) -> list[int]:
    """Return the places of the summaries that are said, best first."""
    return [place for place in sorted(run.levels) if is_summary(run.entry(place))]


def _whole(ledger: Ledger, run: Run, place: int, sources: Mapping[str, Sequence[int]]) -> bool:
    places = _all_of(run, place, sources)
    least = sum(ledger.measure.least(Said(run.ranked[at], "full")) for at in places)
    freed = ledger.measure.unit(Said(run.ranked[place], run.levels[place]))
    if not places or least > ledger.left + freed:
        return False
    return ledger.unfold(run, place, places)


def _all_of(run: Run, place: int, sources: Mapping[str, Sequence[int]]) -> Sequence[int]:
    """Return the places of all that a summary was made of; none where some of it is not offered."""
    entry = run.entry(place)
    places = sources.get(entry.id, ())
    whole = sum(run.entry(at).covers for at in places) == entry.covers
    return places if whole else ()

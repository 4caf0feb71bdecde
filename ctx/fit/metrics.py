"""The figures of a plan. Source: ``acs-planner``, section Performance Metrics."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from ctx.fit.preference import score
from ctx.model import BY_WORTH, Metrics, Pick, digest_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.fit.offer import Weighed
    from ctx.model import Fragment, Level, Measure, Planned, Request, Selection

_DIGITS = 4


def picks(selection: Selection, planned: Planned, measure: Measure) -> list[Pick]:
    """Return what was chosen, the best score first."""
    prospects = {one.scored.entry.id: one for one in planned.prospects}
    chosen = []
    for section in selection.sections:
        for said in (*section.said, *section.noted):
            if section.name == "tail" or said.entry.section not in BY_WORTH:
                continue
            cost = measure.unit(said)
            prospect = prospects.get(said.entry.id)
            if prospect is None:
                worth = said.scored.score
                chosen.append(Pick(said, cost, worth, worth, 0))
                continue
            found = _at(prospect.fragments(), said.level)
            worth = score(found.benefit, cost)
            chosen.append(Pick(said, cost, found.benefit, worth, found.covers))
    return sorted(chosen, key=lambda pick: (-pick.score, pick.said.entry.id))


def _at(fragments: Sequence[Fragment], level: Level) -> Fragment:
    return next((one for one in fragments if one.level == level), fragments[0])


def metrics(
    chosen: Sequence[Pick], weighed: Weighed, request: Request, selection: Selection
) -> Metrics:
    """Return the figures of a plan; all are zero where the budget is."""
    planned = weighed.planned
    covered = 0
    for pick in chosen:
        covered |= pick.covers
    count = len(chosen)
    sources = {pick.said.entry.source for pick in chosen}
    return Metrics(
        request_id=_identity(request, selection),
        planner=request.planner,
        planner_ms=round(weighed.seconds * 1000, 1),
        candidate_count=weighed.candidates if request.budget else 0,
        tokens_selected=sum(pick.cost for pick in chosen),
        coverage_entities=_share(covered.bit_count(), len(planned.terms)),
        diversity_score=_share(len(sources), count),
        mean_benefit=_share(fsum(pick.benefit for pick in chosen), count),
        top3=tuple((pick.said.entry.id, round(pick.score, _DIGITS)) for pick in chosen[:3]),
    )


def _identity(request: Request, selection: Selection) -> str:
    """Return 16 hex digits for a request and what was chosen for it, the same everywhere."""
    asked = (request.as_of, request.budget, request.format, request.query, request.planner)
    said = [
        (one.entry.id, one.level)
        for section in selection.sections
        for one in (*section.said, *section.noted)
    ]
    return digest_of(repr((asked, request.ranker, request.focus, request.session, said)))


def _share(part: float, whole: int) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0

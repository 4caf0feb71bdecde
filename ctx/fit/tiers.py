"""The tiered plan: rules, then tasks, conventions, decisions and learnings, each with its share.

Source: ``smart-retrieval``, sections Section Priority Tiers and Graceful Degradation.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ctx.fit.degrade import PATIENCE, fill, fits_whole, offer, prefix
from ctx.fit.frame import frame
from ctx.fit.law import keep
from ctx.fit.ledger import Ledger, Run
from ctx.model import Said, Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.fit.offer import Offer
    from ctx.model import Measure, Request, Scored, SectionName, Selection

LEAST_SHARE = 0.30
"""Of what remains, for decisions and for learnings each, where both exist."""


def plan(choice: Offer, request: Request, measure: Measure) -> Selection:
    """Choose what fits the request's budget: the hard tier always, the rest by its shares."""
    rules = _rules(choice.ranked.get("rules", []), measure)
    framed = frame(request, rules, choice, measure)
    if framed.full:
        return framed.selection
    ledger = Ledger(measure, request.budget, framed.spent)
    runs = {name: _run(name, choice) for name in ("tasks", "conventions", "decisions", "learnings")}
    for run in runs.values():
        ledger.reserve(run)
    fill(ledger, runs["tasks"], int(request.tasks_share * request.budget))
    _soft(ledger, runs["conventions"], int(request.conventions_share * request.budget))
    _variant(ledger, runs["decisions"], runs["learnings"])
    order = list(runs.values())
    _flow_back(ledger, order)
    _superseded(ledger, order, choice)
    return keep(ledger, order, framed.selection, _flow_back)


def _run(name: SectionName, choice: Offer) -> Run:
    current = [one for one in choice.ranked.get(name, []) if not _is_gone(one)]
    return Run(name, current, choice.places.get(name, ""))


def _superseded(ledger: Ledger, runs: Sequence[Run], choice: Offer) -> None:
    """Say what is out of date as well where everything fits: all of it, or nothing."""
    if any(run.unsaid or "title" in run.levels.values() for run in runs):
        return
    gone = [
        Run(run.name, [one for one in choice.ranked.get(run.name, []) if _is_gone(one)], "")
        for run in runs
    ]
    if sum(one.entry.size for run in gone for one in run.ranked) > 2 * ledger.left:
        return
    costs = [ledger.price(run, at, "full") for run in gone for at in range(len(run.ranked))]
    if sum(costs) <= ledger.left:
        for run, more in zip(runs, gone, strict=True):
            run.ranked += more.ranked
            prefix(ledger, run, ledger.left)


def _is_gone(one: Scored) -> bool:
    return one.entry.status == "superseded"


def _rules(ranked: list[Scored], measure: Measure) -> Section:
    said = tuple(Said(one, "full") for one in ranked)
    used = sum(map(measure.unit, said))
    groups = {(one.entry.source, one.entry.group): one.entry for one in ranked}
    runs = {(one.entry.source, one.entry.group, one.entry.lead): one.entry for one in ranked}
    used += sum(map(measure.group, groups.values())) + sum(map(measure.run, runs.values()))
    return Section("rules", used, used, said, (), 0, "")


def _soft(ledger: Ledger, run: Run, share: int) -> None:
    """Say conventions and soft rules: the longest prefix in authored order."""
    run.budget = allowance = max(0, min(share, ledger.left + run.reserved))
    if fits_whole(ledger, run, allowance):
        prefix(ledger, run, ledger.left)
    else:
        prefix(ledger, run, allowance - run.reserved)


def _variant(ledger: Ledger, decisions: Run, learnings: Run) -> None:
    """Split what remains in proportion to content, at least 30 % each where both exist."""
    room = ledger.left + decisions.reserved + learnings.reserved
    both = Run("decisions", decisions.ranked + learnings.ranked, "")
    if fits_whole(ledger, both, room):
        share = room  # no split needed: each takes what it needs
    else:
        share = int(room * _proportion(_content(decisions), _content(learnings)))
    fill(ledger, decisions, share)
    fill(ledger, learnings, ledger.left + learnings.reserved)


def _content(run: Run) -> int:
    return sum(scored.entry.size + scored.entry.title_size for scored in run.ranked)


def _proportion(one: int, other: int) -> float:
    if not one or not other:
        return 1.0 if one else 0.0
    return min(1 - LEAST_SHARE, max(LEAST_SHARE, one / (one + other)))


def _flow_back(ledger: Ledger, runs: Sequence[Run]) -> None:
    """Spend what is left on sections that were cut short, in the order of the tiers."""
    tasks, conventions, *variant = runs
    prefix(ledger, conventions, ledger.left)
    for run in (tasks, *variant):
        offer(ledger, run, islice(run.short(), PATIENCE), "full", ledger.left)
    for run in variant:
        offer(ledger, run, islice(run.short(), PATIENCE), "key", ledger.left)
    for run in (tasks, *variant, conventions):
        offer(ledger, run, run.missing(), "title", ledger.left)

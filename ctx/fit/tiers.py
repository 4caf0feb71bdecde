"""The tiered plan: rules, then tasks, conventions, decisions and learnings, each with its share.

Source: ``smart-retrieval``, sections Section Priority Tiers and Graceful Degradation.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ctx.fit.degrade import PATIENCE, SLOPPY, fill, offer, offer_titles, prefix, say_all
from ctx.fit.frame import frame
from ctx.fit.law import keep
from ctx.fit.ledger import Ledger, Run
from ctx.fit.offer import Offer, Total
from ctx.model import Said, Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Measure, Request, Scored, SectionName, Selection

_NAMES: tuple[SectionName, ...] = ("tasks", "conventions", "decisions", "learnings")
LEAST_SHARE = 0.30
"""Of what remains, for decisions and for learnings each, where both exist."""


def plan(choice: Offer, request: Request, measure: Measure) -> Selection:
    """Choose what fits the request's budget: the hard tier always, the rest by its shares."""
    rules = _rules(choice.ranked.get("rules", []), measure)
    framed = frame(request, rules, choice, measure)
    if framed.full:
        return framed.selection
    # What is out of date is said beside everything else, or not at all.
    for gone in (True, False):
        everything = _everything(choice, request.budget, framed.selection, measure, gone=gone)
        if everything:
            return everything
    runs = [_run(name, choice, measure) for name in _NAMES]
    ledger = Ledger(measure, runs, request.budget, framed.spent)
    for run in runs:
        ledger.reserve(run)
    tasks, conventions, decisions, learnings = runs
    fill(ledger, tasks, int(request.tasks_share * request.budget))
    _soft(ledger, conventions, int(request.conventions_share * request.budget))
    _variant(ledger, decisions, learnings)
    _flow_back(ledger, runs)
    return keep(ledger, runs, framed.selection, _flow_back)


def _everything(
    choice: Offer, budget: int, base: Selection, measure: Measure, *, gone: bool
) -> Selection | None:
    """Return a packet that says all of it whole, None where that does not fit.

    It is counted as a whole: where nothing is left out, no line has to say so.
    """
    runs = [_run(name, choice, measure, gone=gone) for name in _NAMES]
    if sum(run.total.tokens for run in runs) > SLOPPY * budget:
        return None
    ledger = Ledger(measure, runs, 2 * budget, 0)
    for run in runs:
        prefix(ledger, run, ledger.left)
        run.budget = run.used
    if any(run.unsaid for run in runs):
        return None
    selection = base._replace(sections=(*base.sections, *(run.section() for run in runs)))
    return selection if measure.whole(selection) <= budget else None


def _run(name: SectionName, choice: Offer, measure: Measure, *, gone: bool = False) -> Run:
    ranked = choice.ranked.get(name, [])
    total = choice.totals.get(name, Total(0, 0))
    if gone:
        old = [one.entry.size for one in ranked if _is_gone(one)]
        total = Total(total.entries + len(old), total.tokens + sum(old))
    else:
        ranked = [one for one in ranked if not _is_gone(one)]
    return Run(name, ranked, total, choice.places.get(name, ""), measure.date())


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
    if not say_all(ledger, [run], allowance):
        prefix(ledger, run, allowance - run.reserved)


def _variant(ledger: Ledger, decisions: Run, learnings: Run) -> None:
    """Split what remains in proportion to content, at least 30 % each where both exist."""
    room = ledger.left + decisions.reserved + learnings.reserved
    if say_all(ledger, [decisions, learnings], room):
        decisions.budget, learnings.budget = decisions.used, room - decisions.used
        return
    share = _proportion(decisions.total.tokens, learnings.total.tokens)
    fill(ledger, decisions, int(room * share))
    fill(ledger, learnings, ledger.left + learnings.reserved)


def _proportion(one: int, other: int) -> float:
    if not one or not other:
        return 1.0 if one else 0.0
    return min(1 - LEAST_SHARE, max(LEAST_SHARE, one / (one + other)))


def _flow_back(ledger: Ledger, runs: Sequence[Run]) -> None:
    """Spend what is left on sections that were cut short, in the order of the tiers."""
    tasks, conventions, *variant = runs
    prefix(ledger, conventions, ledger.left)
    for run in (tasks, *variant):
        offer(ledger, run, islice(run.short(), PATIENCE), "full")
    for run in variant:
        offer(ledger, run, islice(run.short(), PATIENCE), "key")
    for run in (tasks, *variant, conventions):
        offer_titles(ledger, run, ledger.left)

"""The tiered plan: rules, then tasks, the session's tail, conventions, and what matters now.

Source: ``smart-retrieval``, sections Section Priority Tiers and Graceful Degradation, and the
assembly law in ``shares``.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ctx.fit.continuity import Tail
from ctx.fit.degrade import PATIENCE, SLOPPY, fill, offer, offer_titles, prefix, say_all
from ctx.fit.found import say_found
from ctx.fit.frame import frame
from ctx.fit.law import keep
from ctx.fit.ledger import Ledger, Run, sections
from ctx.fit.offer import Offer, Total
from ctx.fit.shares import soft_limit, tasks_limit, variant_limit
from ctx.model import Said, Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Entry, Measure, Request, Scored, SectionName, Selection

LEAST_SHARE = 0.30
"""Of what remains, for decisions and for learnings each, where both exist."""


def plan(choice: Offer, request: Request, measure: Measure) -> Selection:
    """Choose what fits the request's budget: what must be said, the rest by its shares."""
    rules = _rules(choice.ranked.get("rules", []), measure)
    tail = Tail(choice.thread, request, measure)
    framed = frame(request, rules, tail.bases(), choice, measure)
    if framed.full:
        return framed.selection
    base = framed.selection._replace(sections=(rules,))
    # What is out of date is said beside everything else, or not at all.
    for gone in (True, False):
        everything = _everything(choice, request.budget, base, tail, gone=gone)
        if everything:
            return everything
    tail.keep(framed.tail)
    tasks = _run("tasks", choice, measure)
    conventions, decisions, learnings, lore = variants = [
        _run(name, choice, measure) for name in ("conventions", "decisions", "learnings", "lore")
    ]
    runs = [tasks, tail.run, *variants]
    ledger = Ledger(measure, runs, request.budget, framed.spent)
    for run in (tasks, *variants):
        ledger.reserve(run)
    fill(ledger, tasks, _tasks_room(ledger, variants, choice, request))
    _soft(ledger, conventions, request)
    tail.extend(ledger)
    turns = _run("turns", choice, measure, tail.said())
    runs.append(turns)
    ledger.reserve(turns)
    say_found(ledger, (decisions, learnings, lore, turns), choice.found)
    _variant(ledger, decisions, learnings)
    fill(ledger, lore, ledger.left + lore.reserved)
    fill(ledger, turns, ledger.left + turns.reserved)
    _flow_back(ledger, runs)
    return keep(ledger, runs, base, framed.selection, _flow_back)


def _everything(
    choice: Offer, budget: int, base: Selection, tail: Tail, *, gone: bool
) -> Selection | None:
    """Return a packet that says all of it whole, None where that does not fit.

    It is counted as a whole: where nothing is left out, no line has to say so.
    """
    measure = tail.measure
    tail.keep_all()
    runs = [_run("tasks", choice, measure, gone=gone), tail.run]
    runs += [_run(name, choice, measure, gone=gone) for name in ("conventions", *_VARIANTS)]
    runs.append(_run("turns", choice, measure, tail.said(), gone=gone))
    if sum(run.total.tokens for run in runs) > SLOPPY * budget:
        return None
    ledger = Ledger(measure, runs, 2 * budget, 0)
    for run in runs:
        prefix(ledger, run, ledger.left)
        run.budget = run.used
    if any(run.unsaid for run in runs):
        return None
    selection = base._replace(sections=(*base.sections, *sections(runs)))
    return selection if measure.whole(selection) <= budget else None


_VARIANTS: tuple[SectionName, ...] = ("decisions", "learnings", "lore")


def _run(
    name: SectionName,
    choice: Offer,
    measure: Measure,
    without: Sequence[Entry] = (),
    *,
    gone: bool = False,
) -> Run:
    """Return what a section offers: without what is out of date, and said elsewhere."""
    ranked = choice.ranked.get(name, [])
    total = choice.totals.get(name, Total(0, 0))
    if gone:
        old = [one.entry.size for one in ranked if _is_gone(one)]
        total = Total(total.entries + len(old), total.tokens + sum(old))
    else:
        ranked = [one for one in ranked if not _is_gone(one)]
    if without:
        elsewhere = {entry.id for entry in without}
        ranked = [one for one in ranked if one.entry.id not in elsewhere]
        size = sum(entry.size for entry in without)
        total = Total(total.entries - len(without), total.tokens - size)
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


def _tasks_room(ledger: Ledger, variants: Sequence[Run], choice: Offer, request: Request) -> int:
    """Return what tasks may cost beside what the sections after them need at least."""
    conventions, *others = variants
    budget, reserved = request.budget, sum(run.reserved for run in variants)
    soft = min(conventions.total.tokens, int(request.conventions_share * budget))
    turns = choice.totals.get("turns", Total(0, 0)).tokens
    variant = sum(run.total.tokens for run in others) + turns
    return tasks_limit(budget, request.tasks_share, ledger.spent - reserved, soft, variant)


def _soft(ledger: Ledger, run: Run, request: Request) -> None:
    """Say conventions and soft rules: the longest prefix in authored order."""
    before = ledger.spent - run.reserved
    run.budget = allowance = soft_limit(request.budget, request.conventions_share, before)
    if not say_all(ledger, [run], allowance):
        prefix(ledger, run, allowance - run.reserved)


def _variant(ledger: Ledger, decisions: Run, learnings: Run) -> None:
    """Split what remains in proportion to content, at least 30 % each where both exist."""
    reserved = decisions.reserved + learnings.reserved
    room = variant_limit(ledger.budget, ledger.spent - reserved)
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
    by_name = {run.name: run for run in runs}
    tasks, conventions = by_name["tasks"], by_name["conventions"]
    variant = [by_name[name] for name in (*_VARIANTS, "turns")]
    prefix(ledger, conventions, ledger.left)
    for run in (tasks, *variant):
        offer(ledger, run, islice(run.short(), PATIENCE), "full")
    for run in variant:
        offer(ledger, run, islice(run.short(), PATIENCE), "key")
    for run in (tasks, *variant, conventions):
        offer_titles(ledger, run, ledger.left)

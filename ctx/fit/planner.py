"""The walk from ranked entries to a selection that keeps the budget."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ctx.errors import UsageError
from ctx.fit.budget_guard import keep
from ctx.fit.continuity import Tail
from ctx.fit.degrade import PATIENCE, SLOPPY, fill, offer, offer_titles, prefix, say_all, unfold
from ctx.fit.figures import apart
from ctx.fit.ledger import Apart, Ledger, Run, is_summary, sections
from ctx.fit.offer import Total, soft_limit, tasks_limit
from ctx.fit.overhead import frame
from ctx.model import Said, Section
from ctx.text.levels import is_prose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctx.fit.offer import Offer
    from ctx.model import Entry, Measure, Request, Scored, SectionName, Selection


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


PLANNERS = ("tiered", "acs")
"""The registry: a planner is a module of this package that has a function ``choose``."""

STEP = 0.05
"""Of the budget: what tasks cost is rounded up to it, as far as the others are concerned."""
_VARIANTS: tuple[SectionName, ...] = ("decisions", "learnings", "lore")


class Room(NamedTuple):
    """What a planner fills: the sections that are said by what they are worth now."""

    ledger: Ledger
    decisions: Run
    learnings: Run
    lore: Run
    turns: Run

    @property
    def runs(self) -> tuple[Run, ...]:
        """All sections, in reading order."""
        return (self.decisions, self.learnings, self.lore, self.turns)


class Chosen(NamedTuple):
    """What a planner has to say of its choice."""

    overshoot: str = ""
    """Why it passes the budget, as it was allowed to; empty where it does not."""
    note: str = ""
    """What the person who asked should know; empty for nothing."""


class Planner(Protocol):
    """Chooses what is said of what matters now."""

    def __call__(self, room: Room, choice: Offer, request: Request) -> Chosen:
        """Say what it chooses within ``room``."""
        ...


def planner(name: str) -> Planner:
    """Return the planner called ``name``; UsageError where there is none."""
    if name not in PLANNERS:
        known = ", ".join(PLANNERS)
        raise UsageError(f"--planner: there is no planner {name!r}", f"one of {known}")
    choose: Planner = import_module(f"ctx.fit.planners.{name}").choose
    return choose


def plan(choice: Offer, request: Request, measure: Measure) -> Selection:
    """Choose what fits the request's budget: what must be said, the rest by its planner.

    Raises UsageError for an unknown planner.
    """
    choose = planner(request.planner)
    rules = _rules(choice.ranked.get("rules", []), measure)
    tail = Tail(None if request.rules_only else choice.thread, request, measure)
    framed = frame(request, rules, tail.bases(), choice, measure)
    if framed.full or request.rules_only:
        return framed.selection
    base = framed.selection._replace(sections=(rules,))
    budget = max(framed.spent, request.budget - apart(request))
    everything = _everything(choice, budget, base, tail)
    if everything:
        return everything
    tail.keep(framed.tail)
    runs = [_run("tasks", choice, measure), tail.run]
    runs += [_run(name, choice, measure) for name in ("conventions", *_VARIANTS)]
    ledger = Ledger(measure, runs, budget, framed.spent)
    room = _by_shares(ledger, runs, tail, choice, request)
    chosen = choose(room, choice, request)
    if chosen.overshoot:
        selection = base._replace(sections=(*base.sections, *sections(runs)))
        return _overshooting(selection, chosen.overshoot, request.budget, measure)
    ledger.release()
    _flow_back(ledger, runs)
    kept = keep(ledger, runs, base, framed.selection, _flow_back)
    return kept._replace(note=chosen.note)


def _by_shares(
    ledger: Ledger, runs: list[Run], tail: Tail, choice: Offer, request: Request
) -> Room:
    """Say what comes before all that is weighed; return what is left for a planner to fill.

    ``runs`` are tasks, tail, conventions, decisions, learnings and lore; turns join them here,
    since those of the tail are not among them.
    """
    tasks, _, conventions, decisions, learnings, lore = runs
    weighed = (conventions, decisions, learnings, lore)
    for run in (tasks, *weighed):
        ledger.reserve(run)
    allowed = _tasks_room(ledger, weighed, choice, request)
    fill(ledger, tasks, allowed)
    ledger.hold(_above(tasks.used, allowed, request.budget))
    _soft(ledger, conventions, request)
    guidance = Guidance(choice, tail.reach())
    runs.append(guidance.run)
    guidance.say(ledger, request.budget)
    tail.extend(ledger)
    turns = _run("turns", choice, ledger.measure, [*tail.said(), *guidance.said()])
    runs.append(turns)
    ledger.reserve(turns)
    return Room(ledger, decisions, learnings, lore, turns)


def _overshooting(selection: Selection, why: str, budget: int, measure: Measure) -> Selection:
    """Return ``selection`` saying by how much it passes the budget, if it does.

    It may not, after all: its pieces were priced one by one, and some of the budget was kept.
    """
    if measure.whole(selection) <= budget:
        return selection
    told = selection._replace(overshoot=why)
    for _ in range(2):  # the notice is part of what it gives the cost of
        notice = f"{measure.whole(told):,} tokens, over the budget of {budget:,}: {why}"
        told = selection._replace(overshoot=notice)
    return told


def _everything(choice: Offer, budget: int, base: Selection, tail: Tail) -> Selection | None:
    """Return a packet that says all of it whole, None where that does not fit.

    What is out of date is said beside everything else, or not at all.
    """
    with_gone = _all_of_it(choice, budget, base, tail, gone=True)
    return with_gone or _all_of_it(choice, budget, base, tail, gone=False)


def _all_of_it(
    choice: Offer, budget: int, base: Selection, tail: Tail, *, gone: bool
) -> Selection | None:
    """Return a packet that says all of it whole, ``gone`` or not; None where that does not fit.

    It is counted as a whole: where nothing is left out, no line has to say so.
    """
    measure = tail.measure
    tail.keep_all()
    runs = [_run("tasks", choice, measure, gone=gone), tail.run]
    runs += [_run(name, choice, measure, gone=gone) for name in ("conventions", *_VARIANTS)]
    ledger = Ledger(measure, runs, 2 * budget, 0)
    guidance = Guidance(choice, tail.said())
    guidance.say(ledger, budget)
    said = [*tail.said(), *guidance.said()]
    runs += [guidance.run, _run("turns", choice, measure, said, gone=gone, summaries=False)]
    if sum(run.total.tokens for run in runs) > SLOPPY * budget:
        return None
    for run in runs:
        prefix(ledger, run, ledger.left)
        run.budget = run.used
    if any(run.unsaid for run in runs):
        return None
    selection = base._replace(sections=(*base.sections, *sections(runs)))
    return selection if measure.whole(selection) <= budget else None


def _run(  # noqa: PLR0913 - what, and what of it
    name: SectionName,
    choice: Offer,
    measure: Measure,
    without: Sequence[Entry] = (),
    *,
    gone: bool = False,
    summaries: bool = True,
) -> Run:
    """Return what a section offers: without what is out of date, and said elsewhere.

    Summaries stand for turns that are offered as well: where all is said, they are not.
    """
    ranked = choice.ranked.get(name, [])
    total = choice.totals.get(name, Total(0, 0))
    if gone:
        old = [one.entry.size for one in ranked if _is_gone(one)]
        total = Total(total.entries + len(old), total.tokens + sum(old))
    else:
        ranked = [one for one in ranked if not _is_gone(one)]
    if not summaries:
        ranked = [one for one in ranked if not is_summary(one.entry)]
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
    runs = {
        (entry.source, entry.group, entry.lead, is_prose(entry)): entry
        for entry in (one.entry for one in ranked)
    }
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


def _above(used: int, allowed: int, budget: int) -> int:
    """Return the tokens up to the next step of what tasks may cost, within what is allowed.

    So much is kept from what follows: a few words more in a task must not change what is said
    of everything else, since providers cache prompts by prefix.
    """
    step = max(1, int(STEP * budget))
    return max(0, min(-(-used // step) * step, allowed) - used)


def _flow_back(ledger: Ledger, runs: Sequence[Run]) -> None:
    """Spend what is left: on titles, then on sections that were cut short, tasks first.

    They change most, and stand late: what is spent on them keeps the beginning of a packet.
    """
    by_name = {run.name: run for run in runs}
    tasks, conventions = by_name["tasks"], by_name["conventions"]
    variant = [by_name[name] for name in (*_VARIANTS, "turns")]
    for run in (tasks, *variant):
        offer_titles(ledger, run, ledger.left)
    offer(ledger, tasks, islice(tasks.short(), PATIENCE), "full")
    prefix(ledger, conventions, ledger.left)
    for run in variant:
        offer(ledger, run, islice(ledger.free(run, run.short()), PATIENCE), "full")
    unfold(ledger, by_name["turns"])
    for run in variant:
        offer(ledger, run, islice(ledger.free(run, run.short()), PATIENCE), "key")
    offer_titles(ledger, conventions, ledger.left)

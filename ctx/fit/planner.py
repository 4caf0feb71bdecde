"""From ranked entries to a selection within the budget."""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

from ctx.errors import UsageError
from ctx.fit.continuity import Tail
from ctx.fit.degrade import SLOPPY, Chain, Prefix, Shares, Stream, entries, include, unfold
from ctx.fit.ledger import Apart, Ledger, Move, Run, is_summary, sections
from ctx.fit.offer import LEAST_VARIANT, Offer, Total, apart
from ctx.fit.overhead import cost_of, overhead
from ctx.model import Entry, Included, Measure, Request, Scored, Section, SectionName, Selection
from ctx.typed import NamedTuple

PLANNERS = ("tiered", "acs")  # modules of ``ctx.fit.planners`` that have a function ``choose``
SHARE = 0.15  # least share of the budget for what users instructed, where there is as much
FIRST = 0.85  # share up to which that comes before the last turns of the session
_VARIANTS: tuple[SectionName, ...] = ("decisions", "learnings", "lore")


class Room(NamedTuple):
    """What a planner fills."""

    ledger: Ledger
    decisions: Run
    learnings: Run
    lore: Run
    turns: Run
    tasks: Run
    conventions: Run
    shares: tuple[float, float] = (0.0, 0.0)  # of tasks and of conventions, of all that is left
    taken: int = 0  # tokens of that for turns that precede the planner's choice

    @property
    def runs(self) -> tuple[Run, ...]:
        """The sections whose entries are included by their worth now, in reading order."""
        return (self.decisions, self.learnings, self.lore, self.turns)

    def order(self, others: Stream | None = None, first: Stream | None = None) -> Stream:
        """Return the order of tasks, conventions (behind all of ``first``) and ``others``."""
        others = others or Chain(*(entries(self.ledger, run) for run in self.runs))
        of_tasks, of_conventions = self.shares
        return Shares(
            (entries(self.ledger, self.tasks), of_tasks),
            (Prefix(self.ledger, self.conventions, first), of_conventions),
            (Chain(others, used=self.taken), 1 - of_tasks - of_conventions),
        )


class Chosen(NamedTuple):
    """The order in which entries get what is left, and notices about the choice."""

    overshoot: str = ""  # why it exceeds the budget, as it was allowed to; empty if it does not
    note: str = ""  # what the person who asked should know; empty for nothing
    order: Stream | None = None  # none for the usual order


Planner = Callable[[Room, Offer, Request], Chosen]
"""Includes what it chooses within the room, and returns in which order the rest follows."""


def planner(name: str) -> Planner:
    """Return the planner called ``name``; UsageError if it is unknown."""
    if name not in PLANNERS:
        known = ", ".join(PLANNERS)
        raise UsageError(f"--planner: there is no planner {name!r}", f"one of {known}")
    choose: Planner = import_module(f"ctx.fit.planners.{name}").choose
    return choose


def plan(choice: Offer, request: Request, measure: Measure) -> Selection:
    """Choose what fits the request's budget; UsageError for an unknown planner."""
    choose = planner(request.planner)
    whole = tuple(Included(rule, "full") for rule in choice.ranked.get("rules", []))
    used = cost_of(whole, measure)
    rules = Section("rules", used, used, whole, (), 0, "")
    tail = Tail(None if request.rules_only else choice.thread, request, measure)
    tails = tail.bases()
    start = overhead(request, rules, tails, choice, measure)
    if start.full or request.rules_only:
        return start.selection
    lacking = _wanted(choice, request, measure) - (request.budget - start.spent)
    every = map(tails.__getitem__, range(len(tails) if lacking > 0 else 0))
    fewer = [each for each in every if len(each.included) <= start.tail]
    for each in fewer:  # turns at the end of the session give way, the earliest first
        freed = fewer[0].used - each.used + measure.heading("tail") * (not each.included)
        if freed >= lacking or not each.included:
            start = start._replace(tail=len(each.included), spent=start.spent - freed)
            break
    base = start.selection._replace(sections=start.selection.sections[:1])
    budget = max(start.spent, request.budget - apart(request))
    # Superseded entries are included beside everything else, or not at all.
    for old in (True, False):
        if everything := _all_of_it(choice, budget, base, tail, old=old):
            return everything
    tail.keep(start.tail)
    runs = [_run("tasks", choice), tail.run]
    runs += [_run(name, choice) for name in ("conventions", *_VARIANTS)]
    ledger = Ledger(measure, runs, budget, start.spent)
    room = _room(ledger, runs, tail, choice, request)
    chosen = choose(room, choice, request)
    if chosen.overshoot:
        selection = base._replace(sections=(*base.sections, *sections(runs)))
        return _overshooting(selection, chosen.overshoot, request.budget, measure)
    selection = keep(ledger, runs, base, start.selection, chosen.order or room.order())
    return selection._replace(note=chosen.note)


def _room(ledger: Ledger, runs: list[Run], tail: Tail, choice: Offer, request: Request) -> Room:
    """Include the turns before the planner's choice, add them to ``runs``, and return the rest."""
    tasks, _, conventions, decisions, learnings, lore = runs
    for run in (tasks, conventions, decisions, learnings, lore):
        ledger.reserve(run)
    settings = request.settings
    scale = max(1.0, (settings.tasks_share + settings.conventions_share) / (1 - LEAST_VARIANT))
    shares = settings.tasks_share / scale, settings.conventions_share / scale
    # Shares of all that rules and notices leave, what turns take of it included.
    left = ledger.left
    for run, share in zip((tasks, conventions), shares, strict=True):
        run.budget = int(share * left)
    for place, scored in enumerate(conventions.ranked):
        if scored.entry.is_for_files and not ledger.include(conventions, place, "full", left):
            break  # in one order, so that no budget takes away what a smaller one includes
    others = sum(min(run.budget, run.total.tokens) for run in (tasks, conventions))
    tail.extend(ledger, others + _wanted(choice, request, ledger.measure))
    guidance = _guidance(ledger, choice, tail.run.included(), request.budget)
    runs.append(guidance)
    taken = left - ledger.left
    turns = _run("turns", choice, [*tail.run.included(), *guidance.included()])
    runs.append(turns)
    ledger.reserve(turns)
    fixed = tasks, conventions
    return Room(ledger, decisions, learnings, lore, turns, *fixed, shares, taken)


def _wanted(choice: Offer, request: Request, measure: Measure) -> int:
    """Return the tokens that what users instructed gets before the last turns of the session."""
    elevated = choice.ranked.get("elevated", [])
    quotes = [Included(each, "full") for each in elevated if each.entry.modality]
    cost = measure.heading("elevated") + sum(map(measure.unit, quotes)) if quotes else 0
    return min(cost, int(FIRST * request.budget))


def _guidance(ledger: Ledger, choice: Offer, without: Iterable[Entry], budget: int) -> Apart:
    """Include what users instructed, not ``without``, in its share or in what others leave."""
    elsewhere = {entry.id for entry in without}
    first: dict[str, Scored] = {}
    for turn in choice.ranked.get("elevated", []):
        if turn.entry.turn_id not in elsewhere:
            first.setdefault(" ".join(turn.entry.body.casefold().split()), turn)
    run = Apart("elevated", list(first.values()), Total(0, 0), "")
    names: tuple[SectionName, ...] = ("tasks", "conventions", *_VARIANTS)
    others = sum(choice.totals.get(name, Total(0, 0)).tokens for name in names)
    run.budget = max(int(SHARE * budget), ledger.left - others)
    for place in range(len(run.ranked)):
        ledger.include(run, place, "full", run.budget - run.used)
    return run


def _overshooting(selection: Selection, why: str, budget: int, measure: Measure) -> Selection:
    """Return ``selection`` with a notice of how far it exceeds the budget, if it does."""
    if measure.whole(selection) <= budget:
        return selection
    notice = why
    for _ in range(2):  # the notice is part of the cost that it gives
        cost = measure.whole(selection._replace(overshoot=notice))
        notice = f"{cost:,} tokens, over the budget of {budget:,}: {why}"
    return selection._replace(overshoot=notice)


def _all_of_it(
    choice: Offer, budget: int, base: Selection, tail: Tail, *, old: bool
) -> Selection | None:
    """Return a packet of everything whole, superseded too if ``old``; None if that does not fit."""
    measure = tail.measure
    tail.keep(len(tail.reach()))
    runs = [_run("tasks", choice, old=old), tail.run]
    runs += [_run(name, choice, old=old) for name in ("conventions", *_VARIANTS)]
    ledger = Ledger(measure, runs, 2 * budget, 0)
    guidance = _guidance(ledger, choice, tail.run.included(), budget)
    turns = [*tail.run.included(), *guidance.included()]
    runs += [guidance, _run("turns", choice, turns, old=old, summaries=False)]
    if sum(run.total.tokens for run in runs) > SLOPPY * budget:
        return None
    for run in runs:
        include(ledger, Prefix(ledger, run), ledger.left)
        run.budget = run.used
    if any(run.omitted for run in runs):
        return None
    selection = base._replace(sections=(*base.sections, *sections(runs)), complete=not base.notice)
    return selection if measure.whole(selection) <= budget else None


def _run(
    name: SectionName,
    choice: Offer,
    without: Sequence[Entry] = (),
    *,
    old: bool = False,
    summaries: bool = True,
) -> Run:
    """Return what a section offers, not ``without``; superseded entries only if ``old``."""
    ranked = choice.ranked.get(name, [])
    total = choice.totals.get(name, Total(0, 0))
    if old:
        sizes = [scored.entry.size for scored in ranked if scored.entry.status == "superseded"]
        total = Total(total.entries + len(sizes), total.tokens + sum(sizes))
    else:
        ranked = [scored for scored in ranked if scored.entry.status != "superseded"]
    if not summaries:
        ranked = [scored for scored in ranked if not is_summary(scored.entry)]
    if without:
        elsewhere = {entry.id for entry in without}
        ranked = [scored for scored in ranked if scored.entry.id not in elsewhere]
        size = sum(entry.size for entry in without)
        total = Total(total.entries - len(without), total.tokens - size)
    return Run(name, ranked, total, choice.places.get(name, ""))


def keep(
    ledger: Ledger, runs: Sequence[Run], base: Selection, least: Selection, order: Stream
) -> Selection:
    """Return the selection of ``runs`` on ``base``, rendered and counted, within the budget.

    A tokenizer may count the sum of priced pieces otherwise, so the whole is counted after them,
    and ``order`` goes on until its next step does not fit. ``least``, the overhead, fits.
    """
    turns = next(run for run in runs if run.name == "turns")
    selection: Selection | None = None
    while True:
        mark = ledger.mark()
        step = include(ledger, order)
        if selection and ledger.mark() == mark:
            return selection._replace(next_id=step.run.entry(step.place).id if step else "")
        folded = None if step else ledger.mark()
        if folded is not None:
            unfold(ledger, turns)
        selection = _selection(runs, base)
        ledger.spent = ledger.measure.whole(selection)
        if ledger.spent > ledger.budget:
            return _shorten(ledger, runs, base, least)
        if folded is not None and ledger.mark() != folded:
            return selection  # what summaries cover is no longer in the order


def _selection(runs: Sequence[Run], base: Selection) -> Selection:
    return base._replace(sections=(*base.sections, *sections(runs)))


def _shorten(ledger: Ledger, runs: Sequence[Run], base: Selection, least: Selection) -> Selection:
    """Undo the last inclusions, as few as will do, so that the whole fits."""
    undone: list[Sequence[Move]] = []
    fits = _after(ledger, runs, base, undone, 0)
    over, step = 0, 1
    while fits is None:
        over, before = len(undone), over
        fits = _after(ledger, runs, base, undone, over + step)
        step *= 2
        if fits is None and len(undone) == over == before:
            if (counted := next((run for run in reversed(runs) if run.counted), None)) is None:
                return least
            counted.counted = False  # no room even for the line that counts omitted entries
    enough = len(undone)
    while enough - over > 1:
        middle = (enough + over) // 2
        if less := _after(ledger, runs, base, undone, middle):
            fits, enough = less, middle
        else:
            over = middle
    last = undone[-1][-1] if undone else None
    return fits._replace(next_id=last.run.entry(last.place).id if last else "")


def _after(
    ledger: Ledger, runs: Sequence[Run], base: Selection, undone: list[Sequence[Move]], count: int
) -> Selection | None:
    """Return the selection less the last ``count`` inclusions, now ``undone``, if that fits."""
    while len(undone) < count and (moves := ledger.undo()):
        undone.append(moves)
    while len(undone) > count:
        ledger.redo(undone.pop())
    selection = _selection(runs, base)
    return selection if ledger.measure.whole(selection) <= ledger.budget else None

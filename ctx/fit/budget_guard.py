"""The guard of the budget: the rendered packet never exceeds it, and uses it."""

from collections.abc import Sequence

from ctx.fit.degrade import Stream, include, unfold
from ctx.fit.ledger import Ledger, Move, Run, sections
from ctx.model import Selection


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

"""The guard of the budget: the rendered packet never exceeds it, and uses it."""

from collections.abc import Callable, Sequence
from heapq import nsmallest

from ctx.fit.ledger import Ledger, Run, sections
from ctx.model import Selection

WORTHWHILE = 0.005
"""Share of the budget: if less is left, only titles are added."""
TRIED = 8
"""Titles that seem slightly too long and are tried all the same."""

Spend = Callable[[Ledger, Sequence[Run]], None]


def keep(
    ledger: Ledger, runs: Sequence[Run], base: Selection, least: Selection, spend: Spend
) -> Selection:
    """Return the selection of ``runs`` on ``base``, rendered and counted, within the budget.

    Pieces are priced one by one; a tokenizer may count their sum otherwise. If the whole is
    longer, the last inclusions are undone until it fits. If it is much shorter, ``spend`` may
    use the difference: counting a whole packet costs as much as most of its planning. ``least``
    is the overhead, which fits.
    """
    selection = _shorten(ledger, runs, base, least)
    if ledger.left > WORTHWHILE * ledger.budget:
        spend(ledger, runs)
        selection = _shorten(ledger, runs, base, least)
    return _top_up(ledger, runs, base, selection)


def _selection(runs: Sequence[Run], base: Selection) -> Selection:
    return base._replace(sections=(*base.sections, *sections(runs)))


def _shorten(ledger: Ledger, runs: Sequence[Run], base: Selection, least: Selection) -> Selection:
    """Undo inclusions until the whole fits, and set the ledger to what the whole costs."""
    while True:
        selection = _selection(runs, base)
        ledger.spent = ledger.measure.whole(selection)
        if ledger.spent <= ledger.budget:
            return selection
        taken = False
        while ledger.spent > ledger.budget and ledger.undo():
            taken = True
        if not taken:
            counted = next((run for run in reversed(runs) if run.counted), None)
            if counted is None:
                return least
            counted.counted = False  # no room even for the line that counts omitted entries


def _top_up(
    ledger: Ledger, runs: Sequence[Run], base: Selection, selection: Selection
) -> Selection:
    """Add titles one at a time, the whole counted after each, until none fits.

    The pieces may cost a little more than what they add to the whole: a few titles that seem
    too long by that little are tried as well, the shortest first.
    """
    for run in runs:
        for place in list(run.missing()):
            longer = _with_title(ledger, runs, base, (run, place), 0)
            selection = longer or selection
    slack = ledger.measure.slack()
    longest = ledger.measure.longest_title(ledger.left + slack) if slack else 0
    short = [
        (run.title_sizes[place], number, place)
        for number, run in enumerate(runs)
        for place in run.missing()
        if run.title_sizes[place] <= longest
    ]
    for _, number, place in nsmallest(TRIED, short):
        longer = _with_title(ledger, runs, base, (runs[number], place), slack)
        selection = longer or selection
    return selection


def _with_title(
    ledger: Ledger, runs: Sequence[Run], base: Selection, title: tuple[Run, int], slack: int
) -> Selection | None:
    """Return the selection with one more title, None if that exceeds the budget."""
    run, place = title
    room = ledger.left + slack
    before = ledger.spent
    if run.title_sizes[place] > ledger.measure.longest_title(room):
        return None
    if not ledger.include(run, place, "title", room, slack):
        return None
    longer = _selection(runs, base)
    ledger.spent = ledger.measure.whole(longer)
    if ledger.spent <= ledger.budget:
        return longer
    ledger.undo()
    ledger.spent = before
    return None

"""The law of the budget: the rendered packet never passes it, and spends it."""

from collections.abc import Callable, Sequence

from ctx.fit.ledger import Ledger, Run, sections
from ctx.model import Selection

ROUNDS = 3
"""How often the difference between the sum of the pieces and the whole is spent again."""


Spend = Callable[[Ledger, Sequence[Run]], None]


def keep(
    ledger: Ledger, runs: Sequence[Run], base: Selection, least: Selection, spend: Spend
) -> Selection:
    """Return the selection of ``runs`` on ``base``, rendered and counted, within the budget.

    Pieces are priced one by one; a tokenizer may count their sum otherwise. Where the
    whole is longer, the last things said are taken back until it fits; where it is
    shorter, ``spend`` may use the difference. ``least`` is the frame, which is within it.
    """
    for _ in range(ROUNDS):
        selection = _shorten(ledger, runs, base, least)
        said = ledger.mark()
        spend(ledger, runs)
        if ledger.mark() == said:
            return selection
    return _top_up(ledger, runs, base, _shorten(ledger, runs, base, least))


def _selection(runs: Sequence[Run], base: Selection) -> Selection:
    return base._replace(sections=(*base.sections, *sections(runs)))


def _shorten(ledger: Ledger, runs: Sequence[Run], base: Selection, least: Selection) -> Selection:
    """Take back until the whole fits, and set the ledger to what the whole costs."""
    while True:
        selection = _selection(runs, base)
        ledger.spent = ledger.measure.whole(selection)
        if ledger.spent <= ledger.budget:
            return selection
        taken = False
        while ledger.spent > ledger.budget and ledger.take_back():
            taken = True
        if not taken:
            counted = next((run for run in reversed(runs) if run.counted), None)
            if counted is None:
                return least
            counted.counted = False  # there is no room even for the line that counts


def _top_up(
    ledger: Ledger, runs: Sequence[Run], base: Selection, selection: Selection
) -> Selection:
    """Say titles one at a time, the whole counted after each, until none fits."""
    for run in runs:
        for place in list(run.missing()):
            if run.title_sizes[place] > ledger.measure.longest_title(ledger.left):
                continue
            before = ledger.spent
            if not ledger.say(run, place, "title", ledger.left):
                continue
            longer = _selection(runs, base)
            ledger.spent = ledger.measure.whole(longer)
            if ledger.spent <= ledger.budget:
                selection = longer
            else:
                ledger.take_back()
                ledger.spent = before
    return selection

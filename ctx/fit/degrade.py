"""The ladder of detail within a section that overflows: whole, key lines, title, a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx.fit.ledger import Ledger, Run
    from ctx.model import Level

WHOLE_SHARE = 0.8
"""Share of a section's allowance for whole entries; the rest names the others by title."""
PATIENCE = 32
"""Entries in a row that may not fit before the search for a smaller one ends."""
_SLOPPY = 1.6
"""How far the estimate of a section may pass its allowance before pricing is not worth it."""


def fill(ledger: Ledger, run: Run, allowance: int) -> None:
    """Say what ``run`` offers within ``allowance`` tokens.

    All of it whole if that fits; else whole entries, best first, up to about four fifths,
    then the titles of the rest. An entry larger than the section is said by its key lines.
    """
    run.budget = allowance = max(0, min(allowance, ledger.left + run.reserved))
    if fits_whole(ledger, run, allowance):
        for place in range(len(run.ranked)):
            ledger.say(run, place, "full", ledger.left)
        return
    allowance -= run.reserved
    whole = int(WHOLE_SHARE * allowance)
    start = ledger.spent
    missed = 0
    for place in run.missing():
        room = whole - (ledger.spent - start)
        if say_best(ledger, run, place, room, too_large=run.entry(place).size > whole):
            missed = 0
        elif (missed := missed + 1) >= PATIENCE:
            break
    offer(ledger, run, run.missing(), "title", allowance - (ledger.spent - start))


def say_best(ledger: Ledger, run: Run, place: int, room: int, *, too_large: bool) -> bool:
    """Say an entry whole, or by its key lines where it is larger than its section."""
    if not too_large:
        return ledger.say(run, place, "full", room)
    return ledger.say(run, place, "key", room)


def fits_whole(ledger: Ledger, run: Run, allowance: int) -> bool:
    """Whether everything that ``run`` offers can be said whole within ``allowance``."""
    estimate = sum(scored.entry.size for scored in run.ranked)
    if estimate > _SLOPPY * allowance:
        return False
    # Prices of the first entry hold the headings; the rest is units, and groups priced apart
    # each time, so the sum is at least the truth.
    total = 0
    for place in range(len(run.ranked)):
        total += ledger.price(run, place, "full")
        if total > allowance:
            return False
    return True


def prefix(ledger: Ledger, run: Run, room: int) -> None:
    """Say whole entries in their order until the first that does not fit ``room`` tokens."""
    start = ledger.spent
    for place in run.short():
        if not ledger.say(run, place, "full", room - (ledger.spent - start)):
            return


def offer(ledger: Ledger, run: Run, places: Iterable[int], level: Level, room: int) -> None:
    """Say entries at ``level``, first fit, while they fit ``room`` tokens."""
    start = ledger.spent
    for place in places:
        ledger.say(run, place, level, room - (ledger.spent - start))

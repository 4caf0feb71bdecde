"""Which level of detail each entry gets: the whole entry, its key lines, its title, or nothing."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING

from ctx.fit.ledger import below, is_summary
from ctx.model import LEVELS, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx.fit.ledger import Ledger, Run
    from ctx.model import Level, Scored


WHOLE_SHARE = 0.8
"""Share of a section's allowance for whole entries; the rest names the others by title."""
PATIENCE = 16
"""Entries in a row that may not fit before the search for a smaller one ends."""
WHOLE_PATIENCE = 3
"""Entries in a row that may be passed over for a worse one that fits whole: the room is
better spent on the titles of the better ones."""
SLOPPY = 1.6
"""How far the estimate of a section may pass its allowance before pricing is not worth it."""


def fill(ledger: Ledger, run: Run, allowance: int) -> None:
    """Say what ``run`` offers within ``allowance`` tokens.

    All of it whole if that fits; else whole entries, best first, up to about four fifths,
    then the titles of the rest. An entry larger than the section is said by its key lines.
    """
    run.budget = allowance = max(0, min(allowance, ledger.left + run.reserved))
    if say_all(ledger, [run], allowance):
        return
    allowance -= run.reserved
    start = ledger.spent
    _fill_whole(ledger, run, int(WHOLE_SHARE * allowance))
    offer_titles(ledger, run, allowance - (ledger.spent - start))


def _fill_whole(ledger: Ledger, run: Run, allowance: int) -> None:
    start = ledger.spent
    missed = 0
    for place in ledger.free(run, run.missing()):
        room = allowance - (ledger.spent - start)
        # By its key lines only while nothing better was passed over for want of room.
        if ledger.say(run, place, "full", room) or (
            not missed
            and _too_large(ledger, run, place, allowance)
            and ledger.say(run, place, "key", room)
        ):
            missed = 0
        elif (missed := missed + 1) >= WHOLE_PATIENCE:
            return


def _too_large(ledger: Ledger, run: Run, place: int, allowance: int) -> bool:
    """Whether an entry is larger than its whole section: it would never find room whole."""
    guess = run.entry(place).size
    return 2 * guess > allowance and ledger.price(run, place, "full") > allowance


def say_all(ledger: Ledger, runs: Sequence[Run], allowance: int) -> bool:
    """Say all entries of ``runs`` whole if that fits ``allowance``; else say nothing."""
    own = [run.themselves() for run in runs]
    if any(run.unsaid > len(places) for run, places in zip(runs, own, strict=True)):
        return False  # the ranker left out what could not be mentioned
    if sum(run.total.tokens for run in runs) > SLOPPY * allowance:
        return False
    mark, start = ledger.mark(), ledger.spent
    for run, places in zip(runs, own, strict=True):
        for place in places:
            room = allowance - (ledger.spent - start)
            # What counting lines cost is free again once nothing is left out.
            reserved = sum(one.reserved for one in runs if one.unsaid)
            if not ledger.say(run, place, "full", room, extra=reserved):
                ledger.take_back_to(mark)
                return False
    return True


def prefix(ledger: Ledger, run: Run, room: int) -> None:
    """Say whole entries in their order until the first that does not fit ``room`` tokens."""
    start = ledger.spent
    for place in run.short():
        if not ledger.say(run, place, "full", room - (ledger.spent - start)):
            return


def offer(ledger: Ledger, run: Run, places: Iterable[int], level: Level) -> None:
    """Say entries at ``level``, first fit, while they fit what is left."""
    for place in places:
        ledger.say(run, place, level, ledger.left)


def offer_titles(ledger: Ledger, run: Run, room: int) -> None:
    """Say by title what is not said, first fit, while titles fit ``room`` tokens."""
    start = ledger.spent
    sizes = run.title_sizes
    longest = ledger.measure.longest_title(room)
    for place in ledger.free(run, run.missing()):
        # Most entries of a large directory end here: this line is all they may cost.
        if sizes[place] > longest:
            continue
        left = room - (ledger.spent - start)
        if ledger.say(run, place, "title", left):
            longest = ledger.measure.longest_title(room - (ledger.spent - start))


FOUND_SHARE = 0.9
"""Share of what is left for what is found; the rest names more by title, or counts it."""
BEST = 8
"""Found entries, by what they are worth, that are said at least by title before any others."""


def say_found(ledger: Ledger, runs: Sequence[Run], found: Sequence[Scored]) -> None:
    """Say what was ``found`` whole, best first; the very best by key lines or title, if need be.

    Best first means worth most for its length; the very best are so by themselves: a long entry
    that answers the question must not go unsaid for many short ones that hardly do.
    """
    places = {one.entry.id: (run, place) for run in runs for place, one in enumerate(run.ranked)}
    offered = [one for one in found if one.entry.id in places]  # not said already, in the tail
    best = nlargest(BEST, offered, key=lambda one: one.score)
    chosen = {one.entry.id for one in best}
    limit = ledger.spent + int(FOUND_SHARE * ledger.left)
    missed = 0
    for one in offered:
        run, place = places[one.entry.id]
        if ledger.forbids(run, place):
            continue
        levels = LEVELS if one.entry.id in chosen else LEVELS[:1]
        if any(ledger.say(run, place, level, limit - ledger.spent) for level in levels):
            missed = 0
        elif (missed := missed + 1) >= PATIENCE:
            break
    for one in best:
        run, place = places[one.entry.id]
        if place not in run.levels:
            any(ledger.say(run, place, level, ledger.left) for level in LEVELS)


UNSPENT = 0.05
"""Of the budget, at most, where that has every turn said or stood for."""


def unfold(ledger: Ledger, run: Run) -> None:
    """Say what summaries stand for, best first, as far as the budget goes.

    Of the last one as many as fit, where much would go unspent otherwise: a summary saves room
    that is missing, and none that is left.
    """
    if not any(is_summary(run.entry(place)) for place in run.levels):
        return
    sources = below(run.ranked)
    while any(_whole(ledger, run, place, sources) for place in _said(run)):
        pass  # what was made of summaries is now these: they may be unfolded in turn
    if ledger.left > UNSPENT * ledger.budget:
        for place in _said(run):
            places = _all_of(run, place, sources)
            if places and ledger.unfold(run, place, places, titles=True):
                return


def _said(run: Run) -> list[int]:
    """Return the places of the summaries that are said, best first."""
    return [place for place in sorted(run.levels) if is_summary(run.entry(place))]


def _whole(ledger: Ledger, run: Run, place: int, sources: Mapping[str, Sequence[int]]) -> bool:
    places = _all_of(run, place, sources)
    least = sum(ledger.measure.least(Said(run.ranked[at], "full")) for at in places)
    freed = ledger.measure.unit(Said(run.ranked[place], run.levels[place]))
    if not places or least > ledger.left + freed:
        return False
    return ledger.unfold(run, place, places)


def _all_of(run: Run, place: int, sources: Mapping[str, Sequence[int]]) -> Sequence[int]:
    """Return the places of all that a summary was made of; none where some of it is not offered."""
    entry = run.entry(place)
    places = sources.get(entry.id, ())
    whole = sum(run.entry(at).covers for at in places) == entry.covers
    return places if whole else ()

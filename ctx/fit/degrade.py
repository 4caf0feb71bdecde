"""Which level of detail each entry gets: the whole entry, its key lines, its title, or nothing."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from ctx.fit.ledger import Ledger, Run, below, is_summary
from ctx.model import LEVELS, Included, Level, Scored

WHOLE_SHARE = 0.8
"""Share of a section's allowance for whole entries; the rest lists the others by title."""
PATIENCE = 16
"""Entries in a row that may not fit before the search for a smaller one ends."""
WHOLE_PATIENCE = 3
"""Entries in a row that may be passed over for a worse one that fits whole: more would take
the room of the better ones' titles."""
SLOPPY = 1.6
"""Times its allowance that a section may be estimated at and still be worth pricing."""
FOUND_SHARE = 0.9
"""Share of what is left for what the query finds; the rest lists more by title, or counts it."""
BEST = 8
"""Found entries, by score, of which at least the title precedes any others."""
UNSPENT = 0.05
"""Share of the budget at most left, where that has every turn included or summarised."""


def fill(ledger: Ledger, run: Run, allowance: int) -> None:
    """Include what ``run`` offers within ``allowance`` tokens.

    All of it whole if that fits; else whole entries, best first, up to about four fifths, then
    the titles of the rest. An entry larger than the section is included by its key lines.
    """
    run.budget = allowance = max(0, min(allowance, ledger.left + run.reserved))
    if include_all(ledger, [run], allowance):
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
        # Key lines only while nothing better was passed over for want of room.
        if ledger.include(run, place, "full", room) or (
            not missed
            and 2 * run.entry(place).size > allowance
            and ledger.price(run, place, "full") > allowance  # larger than its whole section
            and ledger.include(run, place, "key", room)
        ):
            missed = 0
        elif (missed := missed + 1) >= WHOLE_PATIENCE:
            return


def include_all(ledger: Ledger, runs: Sequence[Run], allowance: int) -> bool:
    """Include all entries of ``runs`` whole if that fits ``allowance``; else none."""
    own = [run.themselves() for run in runs]
    if any(run.omitted > len(places) for run, places in zip(runs, own, strict=True)):
        return False  # the ranker returned fewer entries than there are
    if sum(run.total.tokens for run in runs) > SLOPPY * allowance:
        return False
    mark, start = ledger.mark(), ledger.spent
    for run, places in zip(runs, own, strict=True):
        for place in places:
            room = allowance - (ledger.spent - start)
            # The cost of counting lines is refunded once nothing is omitted.
            reserved = sum(run.reserved for run in runs if run.omitted)
            if not ledger.include(run, place, "full", room, extra=reserved):
                ledger.undo_to(mark)
                return False
    return True


def prefix(ledger: Ledger, run: Run, room: int) -> None:
    """Include whole entries in their order until the first that does not fit ``room`` tokens."""
    start = ledger.spent
    for place in run.short():
        if not ledger.include(run, place, "full", room - (ledger.spent - start)):
            return


def offer(ledger: Ledger, run: Run, places: Iterable[int], level: Level) -> None:
    """Include entries at ``level``, first fit, while they fit what is left."""
    for place in places:
        ledger.include(run, place, level, ledger.left)


def offer_titles(ledger: Ledger, run: Run, room: int) -> None:
    """Include the titles of omitted entries, first fit, while they fit ``room`` tokens."""
    start = ledger.spent
    sizes = run.title_sizes
    longest = ledger.measure.longest_title(room)
    for place in ledger.free(run, run.missing()):
        # Most entries of a large directory end here: this line is all they may cost.
        if sizes[place] > longest:
            continue
        left = room - (ledger.spent - start)
        if ledger.include(run, place, "title", left):
            longest = ledger.measure.longest_title(room - (ledger.spent - start))


def include_found(ledger: Ledger, runs: Sequence[Run], found: Sequence[Scored]) -> None:
    """Include the entries ``found`` whole, best for their length first.

    The very best, whatever their length, also by key lines or title: many short entries that
    hardly answer the question must not displace a long one that does.
    """
    places = {
        scored.entry.id: (run, place) for run in runs for place, scored in enumerate(run.ranked)
    }
    offered = [scored for scored in found if scored.entry.id in places]  # not in the tail
    best = nlargest(BEST, offered, key=lambda scored: scored.score)
    chosen = {scored.entry.id for scored in best}
    limit = ledger.spent + int(FOUND_SHARE * ledger.left)
    missed = 0
    for scored in offered:
        run, place = places[scored.entry.id]
        if ledger.forbids(run, place):
            continue
        levels = LEVELS if scored.entry.id in chosen else LEVELS[:1]
        if any(ledger.include(run, place, level, limit - ledger.spent) for level in levels):
            missed = 0
        elif (missed := missed + 1) >= PATIENCE:
            break
    for scored in best:
        run, place = places[scored.entry.id]
        if place not in run.levels:
            any(ledger.include(run, place, level, ledger.left) for level in LEVELS)


def unfold(ledger: Ledger, run: Run) -> None:
    """Replace summaries by what they summarise, best first, as far as the budget goes.

    The last one in part, where much of the budget would remain otherwise: a summary is for
    saving room.
    """
    if not any(is_summary(run.entry(place)) for place in run.levels):
        return
    sources = below(run.ranked)
    while any(_unfold_whole(ledger, run, place, sources) for place in _summaries(run)):
        pass  # summaries of summaries: what replaced one may be replaced in turn
    if ledger.left > UNSPENT * ledger.budget:
        for place in _summaries(run):
            places = _all_of(run, place, sources)
            if places and ledger.unfold(run, place, places, titles=True):
                return


def _summaries(run: Run) -> list[int]:
    """Return the places of the included summaries, best first."""
    return [place for place in sorted(run.levels) if is_summary(run.entry(place))]


def _unfold_whole(
    ledger: Ledger, run: Run, place: int, sources: Mapping[str, Sequence[int]]
) -> bool:
    places = _all_of(run, place, sources)
    least = sum(ledger.measure.least(Included(run.ranked[at], "full")) for at in places)
    freed = ledger.measure.unit(Included(run.ranked[place], run.levels[place]))
    if not places or least > ledger.left + freed:
        return False
    return ledger.unfold(run, place, places)


def _all_of(run: Run, place: int, sources: Mapping[str, Sequence[int]]) -> Sequence[int]:
    """Return the places of all that a summary was made of; none if some of it is not offered."""
    entry = run.entry(place)
    places = sources.get(entry.id, ())
    whole = sum(run.entry(at).covers for at in places) == entry.covers
    return places if whole else ()

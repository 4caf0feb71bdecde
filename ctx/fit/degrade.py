"""The order in which entries get room, and the level of detail that each step gives them.

The order depends on the entries alone, not on the budget: a packet is its beginning, as far as
the budget goes. So what a packet includes, one of a greater budget includes as well.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf

from ctx.fit.ledger import Ledger, Run, below, either, is_summary
from ctx.model import LEVELS, Included, Level
from ctx.typed import NamedTuple

WHOLE_SHARE = 0.8  # share of a section for entries in detail; the rest lists others by title
PATIENCE = 16  # entries in a row that wait for their size before the search for a smaller one ends
SMALL = 80  # tokens that an entry may cost at once, however little is included so far
LARGE = 1.0  # of what is included, that an entry may add at once: a larger one waits
SLOPPY = 1.6  # times the budget that all entries may be estimated at and still be worth pricing
UNSPENT = 0.05  # share of the budget at most left, where that has every turn included or summarised
GAP = 0.05  # share of the budget at most left before an entry that does not fit, if smaller ones do


class Step(NamedTuple):
    """An entry, and the level at which it is included next."""

    run: Run
    place: int
    level: Level
    cost: int  # tokens that it adds


class Stream:
    """Steps in their order."""

    used = 0  # tokens of the steps that were taken

    def next(self, most: float) -> Step | None:
        """Return the next step, one of at most ``most`` if there is one; None after the last."""
        raise NotImplementedError

    def take(self, step: Step) -> None:
        """Go on behind ``step``, which was the next."""
        self.used += step.cost


class Entries(Stream):
    """The entries of a section: whole in their order, and meanwhile titles of those behind."""

    def __init__(
        self,
        ledger: Ledger,
        offered: Iterable[tuple[Run, int]],
        titles: Iterable[tuple[Run, int]] = (),
    ) -> None:
        """Offer entries, each by its run and place; ``titles`` are those offered by title, too."""
        self._ledger = ledger
        self._offered = iter(offered)
        self._waiting: list[tuple[Run, int]] = []
        self._titles = iter(titles)
        self._title: tuple[Run, int] | None = None
        self._noted = 0
        self._next: tuple[Step, bool] | None = None  # the next step; whether it is a listed title

    def next(self, most: float) -> Step | None:
        """Return the step towards a whole entry or the next title, as they share the section."""
        if self._next is None or self._next[0].cost > most:
            self._next = self._chosen(most)
        return self._next[0] if self._next else None

    def take(self, step: Step) -> None:
        """Count what ``step`` costs."""
        super().take(step)
        if self._next and self._next[1]:
            self._noted += step.cost
        self._next = None

    def _chosen(self, most: float) -> tuple[Step, bool] | None:
        whole, title = self._whole(most), self._next_title()
        if whole is None or title is None:
            step = whole or title
            return (step, step is title) if step else None
        until = (self.used - self._noted + whole.cost) / WHOLE_SHARE
        is_title = (self._noted + title.cost) / (1 - WHOLE_SHARE) < until or whole.cost > most
        return (title, True) if is_title else (whole, False)

    def _whole(self, most: float) -> Step | None:
        """Return the step that makes the best entry whole: of those at ``most``, else of all."""
        first = None
        self._waiting = [each for each in self._waiting if not self._is_done(*each)]
        for run, place in self._known():
            step = self._step(run, place)
            # What a summary covers comes behind it, and never waits less.
            if step.cost <= most or is_summary(run.entry(place)):
                return step
            first = first or step
        return first

    def _known(self) -> Iterator[tuple[Run, int]]:
        """Yield the entries that wait, then further ones, ``PATIENCE`` in all."""
        yield from list(self._waiting)
        while len(self._waiting) < PATIENCE:
            if (offered := next(self._offered, None)) is None:
                return
            if not self._is_done(*offered):
                self._waiting.append(offered)
                yield offered

    def _is_done(self, run: Run, place: int) -> bool:
        known = run.levels.get(place)
        return known == "full" or (known is None and self._ledger.forbids(run, place))

    def _step(self, run: Run, place: int) -> Step:
        """Return the next level of an entry: of a long one its title, then its key lines."""
        ledger, known = self._ledger, run.levels.get(place)
        whole = Step(run, place, "full", ledger.price(run, place, "full"))
        if whole.cost <= SMALL or is_summary(run.entry(place)):
            return whole
        for level in reversed(LEVELS[1:]):
            is_more = known is None or LEVELS.index(level) < LEVELS.index(known)
            if is_more and ledger.measure.has(Included(run.ranked[place], level)):
                less = Step(run, place, level, ledger.price(run, place, level))
                if less.cost < whole.cost:
                    return less
        return whole

    def _next_title(self) -> Step | None:
        while True:
            if self._title is None:
                self._title = next(self._titles, None)
                if self._title is None:
                    return None
            run, place = self._title
            is_out = place not in run.levels and not self._ledger.forbids(run, place)
            if is_out and not is_summary(run.entry(place)):
                return Step(run, place, "title", self._ledger.price(run, place, "title"))
            self._title = None


class Prefix(Stream):
    """Whole entries in their order: none is passed over."""

    def __init__(self, ledger: Ledger, run: Run, after: Stream | None = None) -> None:
        self._ledger = ledger
        self._run = run
        self._places = iter(range(len(run.ranked)))
        self._place = next(self._places, None)
        self._after = after

    def next(self, most: float) -> Step | None:
        """Return the next entry."""
        while self._place is not None and self._run.levels.get(self._place) == "full":
            self._place = next(self._places, None)
        if self._place is None or (self._after and self._after.next(most)):
            return None
        cost = self._ledger.price(self._run, self._place, "full")
        return Step(self._run, self._place, "full", cost)


class Chain(Stream):
    """Streams one after the other."""

    def __init__(self, *streams: Stream, used: int = 0) -> None:
        self._streams = streams
        self._current = streams[0]
        self.used = used + sum(stream.used for stream in streams)

    def next(self, most: float) -> Step | None:
        """Return the next step of the first stream that has one."""
        for stream in self._streams:
            if step := stream.next(most):
                self._current = stream
                return step
        return None

    def take(self, step: Step) -> None:
        """Go on behind ``step``."""
        super().take(step)
        self._current.take(step)


class Shares(Stream):
    """Streams side by side: of any number of tokens each gets its share, in whole steps.

    The next step is the one for whose stream the fewest tokens in all would do. What a stream does
    not need is the last one's; what that does not need, the first one's.
    """

    def __init__(self, *streams: tuple[Stream, float]) -> None:
        """Take streams and their shares, 1 in sum; of equals the first comes first."""
        self._streams = streams
        self._current = streams[0][0]
        self.used = sum(stream.used for stream, _ in streams)

    def next(self, most: float) -> Step | None:
        """Return the step that its share allows first."""
        rows = [(stream, share, stream.next(most)) for stream, share in self._streams]
        pending = [(stream, share, step) for stream, share, step in rows if step]
        if not pending:
            return None
        heir = pending[-1 if rows[-1][2] else 0][0]
        unused = sum(stream.used for stream, _, step in rows if not step)
        others = sum(share for stream, share, _ in pending if stream is not heir)

        def key(row: tuple[Stream, float, Step]) -> tuple[bool, float]:
            stream, share, step = row
            used = stream.used + step.cost
            if stream is heir:
                used, share = used + unused, 1 - others
            return step.cost > most, used / share if share > 0 else inf

        self._current, _, step = min(pending, key=key)
        return step

    def take(self, step: Step) -> None:
        """Go on behind ``step``."""
        super().take(step)
        self._current.take(step)


def entries(ledger: Ledger, run: Run) -> Entries:
    """Return the steps of a section on its own; what a summary before it covers is no title."""
    places = range(len(run.ranked))
    titles: Iterable[int] = places
    if any(is_summary(run.entry(at)) for at in places):
        first = {scored.entry.id for scored in either(run.ranked)}
        titles = (at for at in places if run.entry(at).id in first)
    return Entries(ledger, ((run, at) for at in places), ((run, at) for at in titles))


def include(ledger: Ledger, order: Stream, room: int | None = None) -> Step | None:
    """Take steps while they fit ``room`` tokens; return the first that does not fit, if any.

    Behind it smaller steps are taken only until ``GAP`` of the budget is left.
    """
    limit = ledger.budget if room is None else ledger.spent + room
    blocked: Step | None = None
    most = max(SMALL, LARGE * order.used)
    while step := order.next(most):
        if ledger.include(step.run, step.place, step.level, limit - ledger.spent):
            order.take(step)
        elif blocked:
            break
        else:
            blocked = step
        if blocked and limit - ledger.spent <= GAP * ledger.budget:
            break
        most = limit - ledger.spent if blocked else max(SMALL, LARGE * order.used)
    if blocked and blocked.place not in blocked.run.levels:
        run, place, _, _ = blocked
        any(ledger.include(run, place, level, limit - ledger.spent) for level in LEVELS[1:])
    return blocked


def unfold(ledger: Ledger, run: Run) -> None:
    """Replace summaries by what they summarise, best first, up to the first that does not fit.

    None is passed over: turns in full are no worse than those behind them. That first one in part,
    where much of the budget would remain otherwise: a summary is for saving room.
    """
    if not any(is_summary(run.entry(place)) for place in run.levels):
        return
    sources = below(run.ranked)
    while True:
        summaries = (place for place in sorted(run.levels) if is_summary(run.entry(place)))
        known = ((place, _all_of(run, place, sources)) for place in summaries)
        place, places = next((each for each in known if each[1]), (0, ()))
        if not places or not ledger.unfold(run, place, places):
            break  # summaries of summaries: what replaced one may be replaced in turn
    if places and ledger.left > UNSPENT * ledger.budget:
        ledger.unfold(run, place, places, titles=True)


def _all_of(run: Run, place: int, sources: Mapping[str, Sequence[int]]) -> Sequence[int]:
    """Return the places of all that a summary was made of; none if some of it is not offered."""
    entry = run.entry(place)
    places = sources.get(entry.id, ())
    whole = sum(run.entry(at).covers for at in places) == entry.covers
    return places if whole else ()

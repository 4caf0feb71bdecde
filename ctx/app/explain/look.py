"""A packet from all sides: its account, the parts of scores, and what each decides."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ctx.app.explain.sweep import (
    STEPS,
    Once,
    Remembering,
    Run,
    Share,
    Step,
    Sweep,
    Takes,
    allowed,
    coarse_first,
    grid,
    history,
    step_of,
    takes,
)  # fmt: skip
from ctx.app.packet import check, request_of
from ctx.app.walk import directory, pack
from ctx.app.workspace import Workspace
from ctx.model import (
    LEVELS,
    SECTIONS,
    Context,
    Counter,
    Included,
    Level,
    Library,
    Packet,
    ParseCache,
    Request,
    Verdict,
)
from ctx.render import Costs
from ctx.text.tokens import counter

Tick = Callable[[int], None]  # takes how many steps are done

NO_SHARE = Share(0, 0, 0, 0, 0)  # of a section that a packet does not have
FEW = 12  # entries up to which it is found to the token what each of them takes
_ROOM = 1_000  # tokens that a packet may need beside its entries: headings, notices, the read order


class Row(NamedTuple):
    """One entry."""

    verdict: Verdict
    section: str  # where it is included, or would be
    costs: Mapping[Level, int]  # tokens of it at each level that it has
    takes: Takes


class Part(NamedTuple):
    """One section of the packet."""

    name: str
    asked: int
    """Tokens of all there is for it: whole, below the headings that it has now, and without what
    is out of date or covers other entries."""
    share: Share


class Looked(NamedTuple):
    """What a packet looks like from all sides."""

    packet: Packet
    parts: Sequence[Part]
    rows: Sequence[Row]  # of all entries: what is in first, then by what it would take
    steps: Sequence[Step]  # the same packet at budgets from nothing to 4 times its own
    within: int  # tokens that ``takes`` of ``rows`` may be too great by; 0 where it is to the token
    one: Row | None = None  # what was asked for by name, with what it takes to the token
    history: Sequence[Run] = ()
    """What becomes of it from the smallest budget that was tried to the greatest."""
    never: str = ""  # why no budget brings it in; empty where one does
    unmade: int = 0  # packets of the sweep that were not made, since all would have taken long

    @property
    def bounded(self) -> str:
        """What was not computed, as a line; empty where all was."""
        if not self.unmade:
            return ""
        return (
            f"made {len(self.steps)} packets of {len(self.steps) + self.unmade}, as there is much "
            f"to try: what an entry takes may be up to {self.within:,} tokens less; "
            "ctx explain --all makes every one"
        )

    @property
    def overhead(self) -> int:
        """Tokens of what belongs to no section: title, read order, instruction."""
        return max(0, self.packet.tokens - sum(part.share.used for part in self.parts))


def look(
    workspace: Workspace, *, wanted: str = "", whole: bool = False, tick: Tick | None = None
) -> Looked:
    """Return what the packet looks like; UsageError if ``wanted`` names no entry, or several.

    ``tick`` gets how many packets of the sweep are made: of very many entries few, without
    ``whole``. Nothing is delivered or counted.
    """
    check(workspace.options, workspace.settings)
    request = request_of(workspace)
    counting = Remembering(counter(workspace.settings.tokenizer))

    def work(cache: ParseCache, library: Library) -> Looked:
        context = directory(request, cache)
        return _Look(context, request, counting, Once(library)).at(wanted, tick, whole=whole)

    return workspace.walk(work, request)


class _Look:
    def __init__(
        self, context: Context, request: Request, counting: Counter, library: Library
    ) -> None:
        self._context = context
        self._request = request
        self._counting = counting
        self._library = library
        self._measure = Costs(request, counting)

    def packed(self, budget: int, *, explain: bool = False) -> Packet:
        request = self._request._replace(budget=budget, explain=explain)
        return pack(self._context, request, self._counting, self._library)

    def at(self, wanted: str, tick: Tick | None, *, whole: bool) -> Looked:
        """Return the packet, its sweep, and what is known of ``wanted``."""
        named = ""
        if wanted:
            from ctx.app.lookup import one  # the stemmer: only for a name

            named = one(wanted, self._context.entries).id
        packet = self.packed(self._request.budget, explain=True)
        entries = [verdict.scored.entry for verdict in packet.verdicts]
        most = allowed(len(entries), sum(entry.size for entry in entries))
        most = STEPS + 2 if whole else most
        budgets, own = grid(self._request.budget), step_of(packet)
        sweep = Sweep(lambda at: own if at == own.budget else step_of(self.packed(at)), most)
        sweep.at(own.budget)
        for done, budget in enumerate(coarse_first(budgets), 1):
            if not sweep.is_spent:
                sweep.at(budget)
            if tick:
                tick(done)
        steps = sweep.steps
        exact = _every(packet, sweep) if len(entries) <= FEW else steps
        rows = self._rows(packet, exact)
        is_exact = len(entries) <= FEW and not sweep.is_spent
        within = 0 if is_exact else max(b.budget - a.budget for a, b in pairwise(steps))
        unmade = len(budgets) - len(steps)
        looked = Looked(packet, _parts(packet, rows), rows, steps, within, unmade=unmade)
        sweep.most = len(sweep.steps) + most
        return self._deeper(looked, sweep, named) if named else looked

    def _rows(self, packet: Packet, steps: Sequence[Step]) -> list[Row]:
        places = {
            included.entry.id: section.name
            for section in packet.selection.sections
            for included in section.entries
        }

        def row(verdict: Verdict) -> Row:
            id_ = verdict.scored.entry.id
            where = places.get(id_, _section(verdict))
            levels = [Included(verdict.scored, level) for level in LEVELS]
            costs = {one.level: self._measure.unit(one) for one in levels if self._measure.has(one)}
            return Row(verdict, where, costs, takes(steps, id_))

        return sorted(map(row, packet.verdicts), key=_by_reach)

    def _deeper(self, looked: Looked, sweep: Sweep, id_: str) -> Looked:
        """Return the same with what it takes to include an entry, to the token."""
        row = next(row for row in looked.rows if row.verdict.scored.entry.id == id_)
        ceiling = self._ceiling(looked)
        row = row._replace(takes=sweep.finely(id_, ceiling))
        never = ""
        if row.takes.title is None:
            # There everything is included that can be: what is out there, is out for a reason.
            last = self.packed(ceiling, explain=True).verdicts
            never = next(each.reason for each in last if each.scored.entry.id == id_)
        runs = history(sweep.steps, id_)
        return looked._replace(one=row, history=runs, never=never.removeprefix("omitted: "))

    def _ceiling(self, looked: Looked) -> int:
        """Return a budget in which there is room for all there is, however it is counted."""
        counted = sum(row.costs["full"] for row in looked.rows)
        entries = [row.verdict.scored.entry for row in looked.rows]
        guessed = sum(entry.size + entry.title_size for entry in entries)
        return max(looked.steps[-1].budget, 2 * max(counted, guessed) + looked.overhead + _ROOM)


def _every(packet: Packet, sweep: Sweep) -> Sequence[Step]:
    """Return the packets of ``sweep`` with those that show to the token what each entry takes."""
    ids = [verdict.scored.entry.id for verdict in packet.verdicts]
    most = sweep.steps[-1].budget
    made = -1
    while made < len(sweep.steps):  # what shows one entry may show more of another
        made = len(sweep.steps)
        for id_ in ids:
            sweep.exactly(id_, most)
    return sweep.steps


def _section(verdict: Verdict) -> str:
    """Return the section that an entry would be in: turns that give rules are turns too."""
    section = verdict.scored.entry.section
    return "turns" if section == "elevated" else section


def _by_reach(row: Row) -> tuple[float, float, float]:
    """Order by what it takes to include an entry at all, then whole, then by score."""
    title, full = (span.start if span else float("inf") for span in row.takes)
    return title, full, -row.verdict.scored.score


def _parts(packet: Packet, rows: Sequence[Row]) -> list[Part]:
    """Return the sections that there are, in reading order, with all that is asked of each."""
    shares = step_of(packet).shares
    total = {name: share.used for name, share in shares.items()}
    for row in rows:
        verdict = row.verdict
        if verdict.outcome != "out":
            total[row.section] += row.costs["full"] - verdict.tokens
        elif verdict.scored.entry.kind != "summary" and verdict.scored.entry.is_current:
            total[row.section] = total.get(row.section, 0) + row.costs["full"]
    return [
        Part(name, total[name], shares.get(name, NO_SHARE)) for name in SECTIONS if name in total
    ]

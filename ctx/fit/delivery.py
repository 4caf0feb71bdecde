"""What a session received: what is new to it, what is out of date, and the figures of a packet."""

from __future__ import annotations

from heapq import nlargest
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from ctx.fit.figures import furnish
from ctx.fit.kv_cache import MAX_ITEMS, STALE, Update, is_known, policy, update
from ctx.fit.offer import Told, Weighed, anything
from ctx.fit.preference import score
from ctx.model import (
    BY_WORTH,
    LEVELS,
    NEVER,
    SECTIONS,
    Context,
    Entry,
    Gone,
    Known,
    KVPolicy,
    Level,
    Measure,
    Memory,
    Metrics,
    Pick,
    Plan,
    Planned,
    Request,
    Said,
    Scored,
    Section,
    Selection,
    digest_of,
)
from ctx.text.levels import dated_title, digest_at, key_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ctx.model import Fragment


ORDER = "#read order"
"""What the memory calls the list of files to read: no entry has such an id."""


def told(
    selection: Selection, benefits: Mapping[str, float], measure: Measure
) -> tuple[Known, ...]:
    """Return what ``selection`` tells, at its level and price; ``benefits`` are by entry id.

    What was chosen for its worth now, and said by more than its title, is memory that can be
    had back for something else; so are the turns of the tail, which moves on. Everything else
    is pinned: rules, tasks and conventions are in every packet, and titles cost little
    (``planner.md``, KV policy).
    """
    return tuple(_told(selection, benefits, measure))


def _told(selection: Selection, benefits: Mapping[str, float], measure: Measure) -> Iterator[Known]:
    if selection.read_order:
        yield Known(ORDER, "title", order_digest(selection), 0, 0.0, 0.0, pinned=True)
    for section in selection.sections:
        for one in (*section.said, *section.noted):
            yield known_of(one, benefits.get(one.entry.id, 0.0), measure)


def known_of(one: Said, benefit: float, measure: Measure) -> Known:
    """Return what saying ``one`` tells a session; its ``benefit`` is in [0, 1]."""
    entry, level = one.entry, one.level
    return Known(
        entry.id,
        level,
        digest_at(entry, level),
        measure.unit(one),
        benefit,
        0.0,
        pinned=not is_loose(one),
        key_digest=digest_at(entry, "key") if level == "full" else "",
        title_digest="" if level == "title" else digest_at(entry, "title"),
    )


def is_loose(one: Said) -> bool:
    """Whether what is said takes memory that can be had back."""
    return one.level != "title" and one.entry.section in BY_WORTH


def order_digest(selection: Selection) -> str:
    """Return what stands for the list of files to read."""
    return digest_of("\n".join(selection.read_order))


def level_digest(one: Said) -> tuple[str, Level, str]:
    """Return id, level and digest of what is said."""
    return one.entry.id, one.level, digest_at(one.entry, one.level)


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


_OVER = frozenset({"done", "skipped", "superseded"})


class Outdated(NamedTuple):
    """What a session was told and is not so any more, by id."""

    gone: dict[str, Gone]
    """Said by no file, or as out of date."""
    changed: dict[str, Entry]
    """Said otherwise: as it is now."""


def outdated(context: Context, memory: Memory | None) -> Outdated:
    """Compare what a session was told with what the files say now."""
    told = {} if memory is None else memory.items
    known = {key for key, item in told.items() if item.digest != NEVER and key[:1] != "#"}
    # A file's name may hold a # of its own.
    sources = {key[:at] for key in known for at, char in enumerate(key) if char == "#"}
    there = {
        entry.id: entry
        for source in context.sources
        for part in source.parts
        if part.source in sources
        for entry in map(part.entry, range(len(part)))
        if entry.id in known
    }
    found = Outdated({key: Gone(key, "", "removed") for key in sorted(known - there.keys())}, {})
    for key, entry in there.items():
        same = told[key].digest == digest_at(entry, told[key].level)
        if entry.status in _OVER and not same:  # else it was told as what it is
            found.gone[key] = Gone(key, dated_title(entry._replace(status="")), entry.status)
        elif not same:
            found.changed[key] = entry
    return found


def news(
    selection: Selection,
    memory: Memory,
    budget: int,
    measure: Measure,
    *,
    silent: bool = False,
) -> Selection:
    """Return what of ``selection`` the session does not know from ``memory``.

    All of it where the news would cost more. So news cost no more than ``selection``, and pass
    the budget only where that does; that there is none is said all the same, or costs nothing
    where that is ``silent``.
    """
    said = selection._replace(
        sections=tuple(section for one in selection.sections if (section := _new(one, memory))),
        warnings=(),
        news=True,
    )
    if is_known(memory, ORDER, "title", order_digest(selection)):
        said = said._replace(read_order=(), read_more=0)
    bare, all_of_it = measure.whole(said), measure.whole(selection)
    if said.is_silent and (silent or bare <= budget):
        return said._replace(overshoot="")
    if bare > all_of_it:
        return selection
    if bare <= budget:
        said = said._replace(overshoot="")  # it does not pass the budget any more
    return said


def _new(section: Section, memory: Memory) -> Section | None:
    """Return what a section says that is not known; None where all of it is."""

    def unknown(run: tuple[Said, ...]) -> tuple[Said, ...]:
        return tuple(
            one
            for one in run
            if one.entry.status != "superseded" and not is_known(memory, *level_digest(one))
        )

    said, noted = unknown(section.said), unknown(section.noted)
    # What is left out is no news: how many there are was said once.
    return section._replace(said=said, noted=noted, unsaid=0) if said or noted else None


def with_changed(
    said: Selection, changed: Iterable[Entry], budget: int, measure: Measure
) -> tuple[Selection, list[Said]]:
    """Return ``said`` with what was told otherwise, as fully as it fits; and what that is.

    The agent may act on what is not so any more, whether or not the entry matters now.
    """
    added = []
    for entry in changed:
        levels = (level for level in LEVELS if level != "key" or key_lines(entry))
        for one in (Said(Scored(entry, 0.0, ()), level) for level in levels):
            longer = _with(said, one)
            if measure.whole(longer) <= budget:
                said = longer
                added.append(one)
                break
    return said, added


def _with(selection: Selection, one: Said) -> Selection:
    """Return ``selection`` with one thing more at the end of its section."""
    name = one.entry.section
    sections = {section.name: section for section in selection.sections}
    section = sections.get(name, Section(name, 0, 0, (), (), 0, ""))
    listed = one.level == "title"
    sections[name] = section._replace(
        said=section.said if listed else (*section.said, one),
        noted=(*section.noted, one) if listed else section.noted,
    )
    return selection._replace(sections=tuple(sections[n] for n in SECTIONS if n in sections))


def naming(said: Selection, gone: tuple[Gone, ...], budget: int, measure: Measure) -> Selection:
    """Return ``said`` with as much of what is ``gone`` as the budget holds, and how much more."""

    def named(count: int) -> Selection:
        return said._replace(gone=gone[:count], unnamed=len(gone) - count if count else 0)

    return _most(named, len(gone), budget, measure)


def forgetting(
    said: Selection, lost: tuple[str, ...], request: Request, measure: Measure
) -> Selection:
    """Return ``said`` with as many ids of what may be forgotten as the budget holds.

    In JSON only: they are for hosts. An agent would take what still holds for revoked.
    """
    if request.format != "json":
        return said
    return _most(
        lambda count: said._replace(forget=lost[:count]), len(lost), request.budget, measure
    )


def _most(
    longer: Callable[[int], Selection], most: int, budget: int, measure: Measure
) -> Selection:
    """Return ``longer`` of the greatest number up to ``most`` that the budget holds; else of 0."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if measure.whole(longer(middle)) <= budget:
            low = middle
        else:
            high = middle - 1
    return longer(low)


_DIGITS = 4


def picks(selection: Selection, planned: Planned, measure: Measure) -> list[Pick]:
    """Return what was chosen, the best score first."""
    prospects = {one.scored.entry.id: one for one in planned.prospects}
    chosen = []
    for section in selection.sections:
        for said in (*section.said, *section.noted):
            if section.name == "tail" or said.entry.section not in BY_WORTH:
                continue
            cost = measure.unit(said)
            prospect = prospects.get(said.entry.id)
            if prospect is None:
                worth = said.scored.score
                chosen.append(Pick(said, cost, worth, worth, 0))
                continue
            found = _at(prospect.fragments(), said.level)
            worth = score(found.benefit, cost)
            chosen.append(Pick(said, cost, found.benefit, worth, found.covers))
    return sorted(chosen, key=lambda pick: (-pick.score, pick.said.entry.id))


def _at(fragments: Sequence[Fragment], level: Level) -> Fragment:
    return next((one for one in fragments if one.level == level), fragments[0])


def metrics(
    chosen: Sequence[Pick], weighed: Weighed, request: Request, selection: Selection
) -> Metrics:
    """Return the figures of a plan; all are zero where the budget is."""
    planned = weighed.planned
    covered = 0
    for pick in chosen:
        covered |= pick.covers
    count = len(chosen)
    sources = {pick.said.entry.source for pick in chosen}
    return Metrics(
        request_id=_identity(request, selection),
        planner=request.planner,
        planner_ms=round(weighed.seconds * 1000, 1),
        candidate_count=weighed.candidates if request.budget else 0,
        tokens_selected=sum(pick.cost for pick in chosen),
        coverage_entities=_share(covered.bit_count(), len(planned.terms)),
        diversity_score=_share(len(sources), count),
        mean_benefit=_share(fsum(pick.benefit for pick in chosen), count),
        top3=tuple((pick.said.entry.id, round(pick.score, _DIGITS)) for pick in chosen[:3]),
    )


def _identity(request: Request, selection: Selection) -> str:
    """Return 16 hex digits for a request and what was chosen for it, the same everywhere."""
    asked = (request.as_of, request.budget, request.format, request.query, request.planner)
    said = [
        (one.entry.id, one.level)
        for section in selection.sections
        for one in (*section.said, *section.noted)
    ]
    return digest_of(repr((asked, request.ranker, request.focus, request.session, said)))


def _share(part: float, whole: int) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


def tell(
    selection: Selection, weighed: Weighed, context: Context, request: Request, measure: Measure
) -> Told:
    """Return ``selection`` as who asked hears it: figures, news, and what the session knows."""
    request = request._replace(memory=current(request.memory, request.now))
    chosen = picks(selection, weighed.planned, measure)
    plan = Plan(chosen, weighed.planned.terms, metrics(chosen, weighed, request, selection), None)
    over = outdated(context, request.memory)
    found = ties(chosen, weighed.planned, *over)._replace(sayable=weighed.sayable)
    heard = remembered(selection, plan, found, request, measure)
    return heard._replace(selection=furnish(heard.selection, heard.plan, request, measure))


class Ties(NamedTuple):
    """What the files say of entries that a session was told; all are ids."""

    gone: Mapping[str, Gone] = {}
    """Said by no file any more, or as out of date."""
    changed: Mapping[str, Entry] = {}
    """Said otherwise than the session was told: as they are now."""
    needed: frozenset[str] = frozenset()
    """What the chosen entries link to."""
    best: frozenset[str] = frozenset()
    """The best candidates, whether they were chosen or not."""
    sayable: Callable[[Entry], bool] = anything
    """Whether an entry may be said where the agent's window is filling up."""


def current(memory: Memory | None, now: float) -> Memory | None:
    """Return ``memory`` as it holds at ``now``, seconds since the epoch.

    What was told more than a day ago may have left the agent's window long since, and some
    hosts name their sessions alike: then nothing is known any more, save how often it was said.
    """
    if memory is None:
        return None
    last = max((item.told for item in memory.items.values()), default=now)
    if now - last <= STALE:
        return memory
    items = {key: _at_most(item, None) for key, item in memory.items.items()}
    return memory._replace(items=items)


def remembered(
    selection: Selection, plan: Plan, ties: Ties, request: Request, measure: Measure
) -> Told:
    """Return ``selection`` as its session hears it, and what the session knows then.

    What the chosen link to, and the best candidates, count as asked for, so that they do not go
    (``acs-planner``, Memory Management Rules). What has changed is not known any more.
    """
    if request.memory is None:
        return Told(selection, plan)
    before = _without(request.memory, ties.changed)
    heard = {key: item for key, item in request.memory.items.items() if item.digest != NEVER}
    said = told(selection, {pick.said.entry.id: pick.benefit for pick in plan.picks}, measure)
    if request.news_only:
        said = tuple(one for one in said if one.id not in ties.gone)  # superseded: no news
        selection, more = _news(selection, before, heard, said, ties, request, measure)
        said += more
    asked = ties.needed | ties.best
    # A memory smaller than one packet would forget what it has just been told.
    limit = max(MAX_ITEMS, sum(not one.pinned for one in said))
    change = update(before, said, request.now, limit, promoted=asked, gone=ties.gone.keys())
    revoked = _revoked(heard, said, ties)
    # What this very packet says is not to be forgotten, though the memory had no room for it.
    ids = {*revoked, *(one.id for one in said)}
    lost = tuple(key for key in change.evicted if key in heard and key not in ids)
    if selection.news:
        selection = naming(selection, tuple(revoked.values()), request.budget, measure)
        selection = forgetting(selection, lost, request, measure)
    if request.news_only:
        unnamed = [key for key, one in revoked.items() if one not in selection.gone]
        after = _still_told(request.memory, change.memory, unnamed)
    else:
        after = _told_alone(selection, change.memory)
    plan = plan._replace(
        metrics=_counted(plan.metrics, before, said, change),
        policy=_policy(change.memory, request.now, ties.needed, (*revoked, *lost)),
    )
    return Told(selection, plan, after)


def _news(  # noqa: PLR0913, PLR0917 - what is said, known, and not so any more
    selection: Selection,
    before: Memory,
    heard: Mapping[str, Known],
    said: Sequence[Known],
    ties: Ties,
    request: Request,
    measure: Measure,
) -> tuple[Selection, tuple[Known, ...]]:
    """Return what is news, and what of that is in no packet: entries that have changed."""
    if not heard:
        return selection, ()  # the first packet is all news
    silent = request.format == "md"  # where no news are no output
    fresh = news(selection, before, request.budget, measure, silent=silent)
    if not fresh.news:
        return fresh, ()
    known = {one.id for one in said}
    changed = [
        entry
        for key, entry in ties.changed.items()
        if key not in known and ties.sayable(entry) and known.isdisjoint(entry.ancestors)
    ]
    fresh, added = with_changed(fresh, changed, request.budget, measure)
    return fresh, tuple(known_of(one, 0.0, measure) for one in added)


def _without(memory: Memory, changed: Collection[str]) -> Memory:
    """Return ``memory`` without what is said otherwise now."""
    kept = {key: item for key, item in memory.items.items() if key not in changed}
    return memory._replace(items=kept)


def _revoked(heard: Mapping[str, Known], said: Sequence[Known], ties: Ties) -> dict[str, Gone]:
    """Return what the session ``heard`` and is not so any more, by id.

    What has changed and is ``said`` anew, as fully as before, speaks for itself.
    """
    levels = {one.id: LEVELS.index(one.level) for one in said}
    over = {key: one for key, one in ties.gone.items() if key in heard and key not in levels}
    return over | {
        key: Gone(key, dated_title(entry), "changed")
        for key, entry in ties.changed.items()
        if key in heard and levels.get(key, len(LEVELS)) > LEVELS.index(heard[key].level)
    }


def _still_told(before: Memory, after: Memory, unnamed: Sequence[str]) -> Memory:
    """Return ``after`` with what is not so any more and had no room to be named.

    It is still in the agent's window, and is named another time.
    """
    kept = {key: before.items[key] for key in unnamed}
    return after._replace(items={**after.items, **kept})


def _told_alone(selection: Selection, memory: Memory) -> Memory:
    """Return ``memory`` as if ``selection`` were all that its session was ever told.

    Who asks for a whole packet may have lost what came before it, as when a host compacts its
    window. Uses and times stay: they say what is worth keeping.
    """
    levels: dict[str, Level] = {
        one.entry.id: one.level
        for section in selection.sections
        for one in (*section.said, *section.noted)
    }
    if selection.read_order:
        levels[ORDER] = "title"
    items = {key: _at_most(item, levels.get(key)) for key, item in memory.items.items()}
    return memory._replace(items=items)


def _at_most(item: Known, level: Level | None) -> Known:
    """Return ``item`` as known at ``level`` and no better; at none where nothing was said."""
    if level == item.level:
        return item
    return item._replace(
        level=level or item.level,
        digest=(item.digest_at(level) if level else "") or NEVER,
        key_digest="",
        title_digest=item.title_digest if level == "key" else "",
    )


def _counted(figures: Metrics, before: Memory, said: Sequence[Known], change: Update) -> Metrics:
    """Return ``figures`` with what the memory knew ``before`` of the entries ``said``."""
    hits, misses = change.hits, change.misses
    for one in said:
        if one.id == ORDER:  # which is no entry
            was_known = is_known(before, one.id, one.level, one.digest)
            hits, misses = hits - was_known, misses - (not was_known)
    return figures._replace(hits=hits, misses=misses, evictions=len(change.evicted))


def _policy(memory: Memory, now: float, needed: frozenset[str], lost: tuple[str, ...]) -> KVPolicy:
    """Return what to do with the entries in ``memory``, and with those that it ``lost``."""
    entries = (one for one in memory.items.values() if one.id != ORDER)
    kept = policy(entries, now, needed)
    return kept._replace(evict=(*lost, *kept.evict))


TOP = 8
"""Candidates that are promoted (``acs-planner``: the keys of the top-K)."""


def ties(
    picks: Sequence[Pick],
    planned: Planned,
    gone: Mapping[str, Gone],
    changed: Mapping[str, Entry],
) -> Ties:
    """Return what the files and the plan say of what a session was told."""
    ids = {pick.said.entry.id for pick in picks}
    needed = frozenset(
        key for one in planned.prospects if one.scored.entry.id in ids for key in one.needs()
    )
    best = nlargest(TOP, planned.prospects, key=lambda one: one.bound)
    top = [one.scored.entry.id for one in best] or [pick.said.entry.id for pick in picks[:TOP]]
    return Ties(gone, changed, needed, frozenset(top))

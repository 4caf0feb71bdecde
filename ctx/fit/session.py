"""What a packet does to the memory of its session, and what the memory makes of the packet."""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from ctx.detail import dated_title
from ctx.fit.figures import furnish
from ctx.fit.kv_cache import MAX_ITEMS, Update, is_known, update
from ctx.fit.kv_policy import STALE, policy
from ctx.fit.metrics import metrics, picks
from ctx.fit.news import forgetting, naming, news, with_changed
from ctx.fit.offer import Told, Weighed, anything
from ctx.fit.outdated import outdated
from ctx.fit.told import ORDER, known_of, told
from ctx.model import (
    LEVELS,
    NEVER,
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
    Selection,
)


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

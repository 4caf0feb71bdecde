"""What a session received: what is new to it, what is out of date, and the figures of a packet."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from math import fsum
from typing import NamedTuple

from ctx.fit.kv_cache import MAX_ITEMS, STALE, Update, is_known, policy, update
from ctx.fit.offer import Delivery, Weighed, anything, apart
from ctx.fit.preference import score
from ctx.model import (
    BY_BENEFIT,
    BY_WORTH,
    LEVELS,
    NEVER,
    SECTIONS,
    Candidates,
    Context,
    Delivered,
    Entry,
    Fragment,
    Included,
    KVPolicy,
    Level,
    Measure,
    Memory,
    Metrics,
    Pick,
    Plan,
    Request,
    Revoked,
    Scored,
    Section,
    Selection,
    digest_of,
)
from ctx.text.levels import dated_title, digest_at, key_lines

ORDER = "#read order"
"""The id of the list of files to read in the delivery log: no entry has such an id."""
_DIGITS = 4
_OVER = frozenset({"done", "skipped", "superseded"})
TOP = 8
"""Candidates that are promoted (``acs-planner``: the keys of the top-K)."""
_POLICY_SHARES = (1.0, 0.5, 0.25, 0.1, 0.0)
"""Shares of the ids to pin that are tried, where all of them are too long."""


def delivered(
    selection: Selection, benefits: Mapping[str, float], measure: Measure
) -> Iterator[Delivered]:
    """Yield what ``selection`` delivers, at its level and price; ``benefits`` are by entry id.

    What was chosen for its worth now, at more than its title, takes memory that can be freed;
    so do the turns of the tail, which moves on. Everything else is pinned: rules, tasks and
    conventions are in every packet, and titles cost little (``planner.md``, KV policy).
    """
    if selection.read_order:
        yield Delivered(ORDER, "title", order_digest(selection), 0, 0.0, 0.0, pinned=True)
    for said in _included(selection):
        yield known_of(said, benefits.get(said.entry.id, 0.0), measure)


def _included(selection: Selection) -> Iterator[Included]:
    for section in selection.sections:
        yield from (*section.included, *section.titles)


def known_of(said: Included, benefit: float, measure: Measure) -> Delivered:
    """Return what a session knows once it received ``said``; ``benefit`` is in [0, 1]."""
    entry, level = said.entry, said.level
    return Delivered(
        entry.id,
        level,
        digest_at(entry, level),
        measure.unit(said),
        benefit,
        0.0,
        pinned=not is_loose(said),
        key_digest=digest_at(entry, "key") if level == "full" else "",
        title_digest="" if level == "title" else digest_at(entry, "title"),
    )


def is_loose(said: Included) -> bool:
    """Return whether a delivered entry takes memory that can be freed."""
    return said.level != "title" and said.entry.section in BY_WORTH


def order_digest(selection: Selection) -> str:
    """Return the digest of the list of files to read."""
    return digest_of("\n".join(selection.read_order))


def level_digest(said: Included) -> tuple[str, Level, str]:
    """Return id, level and digest of a delivered entry."""
    return said.entry.id, said.level, digest_at(said.entry, said.level)


class Outdated(NamedTuple):
    """What a session received and is no longer so, by id."""

    gone: dict[str, Revoked]
    """Removed from the files, or out of date in them."""
    changed: dict[str, Entry]
    """Worded differently: the entry as it is now."""


def outdated(context: Context, memory: Memory | None) -> Outdated:
    """Compare what a session received with what the files say now."""
    items = {} if memory is None else memory.items
    known = {key for key, item in items.items() if item.digest != NEVER and key[:1] != "#"}
    # The name of a file may hold a #.
    sources = {key[:at] for key in known for at, char in enumerate(key) if char == "#"}
    present = {
        entry.id: entry
        for source in context.sources
        for part in source.parts
        if part.source in sources
        for entry in map(part.entry, range(len(part)))
        if entry.id in known
    }
    gone = {key: Revoked(key, "", "removed") for key in sorted(known - present.keys())}
    found = Outdated(gone, {})
    for key, entry in present.items():
        same = items[key].digest == digest_at(entry, items[key].level)
        if entry.status in _OVER and not same:  # else it was delivered with this status
            found.gone[key] = Revoked(key, dated_title(entry._replace(status="")), entry.status)
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
    """Return the part of ``selection`` that the session does not know from ``memory``.

    All of it where the news would cost more. So news cost no more than ``selection``, and exceed
    the budget only where that does. That there is no news is a line, or costs nothing where
    ``silent``.
    """
    fresh = selection._replace(
        sections=tuple(filter(None, (_new(section, memory) for section in selection.sections))),
        warnings=(),
        news_only=True,
    )
    if is_known(memory, ORDER, "title", order_digest(selection)):
        fresh = fresh._replace(read_order=(), read_more=0)
    cost, cost_of_all = measure.whole(fresh), measure.whole(selection)
    if fresh.has_no_news and (silent or cost <= budget):
        return fresh._replace(overshoot="")
    if cost > cost_of_all:
        return selection
    if cost <= budget:
        fresh = fresh._replace(overshoot="")  # it fits the budget now
    return fresh


def _new(section: Section, memory: Memory) -> Section | None:
    """Return a section with what is not known of it; None if all of it is known."""

    def unknown(run: tuple[Included, ...]) -> tuple[Included, ...]:
        return tuple(
            said
            for said in run
            if said.entry.status != "superseded" and not is_known(memory, *level_digest(said))
        )

    said, noted = unknown(section.included), unknown(section.titles)
    # What is omitted is no news: how many there are was delivered once.
    return section._replace(included=said, titles=noted, omitted=0) if said or noted else None


def with_changed(
    said: Selection, changed: Iterable[Entry], budget: int, measure: Measure
) -> tuple[Selection, list[Included]]:
    """Return ``said`` with changed entries, as fully as they fit; and what was added.

    The agent may act on what is no longer so, whether or not the entry matters now.
    """
    added = []
    for entry in changed:
        levels = (level for level in LEVELS if level != "key" or key_lines(entry))
        for unit in (Included(Scored(entry, 0.0, ()), level) for level in levels):
            longer = _with(said, unit)
            if measure.whole(longer) <= budget:
                said = longer
                added.append(unit)
                break
    return said, added


def _with(selection: Selection, unit: Included) -> Selection:
    """Return ``selection`` with one more entry at the end of its section."""
    name = unit.entry.section
    sections = {section.name: section for section in selection.sections}
    section = sections.get(name, Section(name, 0, 0, (), (), 0, ""))
    if unit.level == "title":
        sections[name] = section._replace(titles=(*section.titles, unit))
    else:
        sections[name] = section._replace(included=(*section.included, unit))
    return selection._replace(sections=tuple(sections[n] for n in SECTIONS if n in sections))


def naming(said: Selection, gone: tuple[Revoked, ...], budget: int, measure: Measure) -> Selection:
    """Return ``said`` with as much of ``gone`` as the budget holds, and how many more."""

    def named(count: int) -> Selection:
        return said._replace(revoked=gone[:count], more_revoked=len(gone) - count if count else 0)

    return _most(named, len(gone), budget, measure)


def forgetting(
    said: Selection, lost: tuple[str, ...], request: Request, measure: Measure
) -> Selection:
    """Return ``said`` with as many ids that may be forgotten as the budget holds.

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


def picks(selection: Selection, planned: Candidates, measure: Measure) -> list[Pick]:
    """Return the chosen entries with their figures, the best score first."""
    prospects = {prospect.scored.entry.id: prospect for prospect in planned.prospects}
    chosen = []
    for section in selection.sections:
        for said in (*section.included, *section.titles):
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
    return sorted(chosen, key=lambda pick: (-pick.score, pick.included.entry.id))


def _at(fragments: Sequence[Fragment], level: Level) -> Fragment:
    return next((fragment for fragment in fragments if fragment.level == level), fragments[0])


def metrics(
    chosen: Sequence[Pick], weighed: Weighed, request: Request, selection: Selection
) -> Metrics:
    """Return the figures of a plan; all are zero where the budget is."""
    planned = weighed.planned
    covered = 0
    for pick in chosen:
        covered |= pick.covers
    count = len(chosen)
    sources = {pick.included.entry.source for pick in chosen}
    return Metrics(
        request_id=_identity(request, selection),
        planner=request.planner,
        planner_ms=round(weighed.seconds * 1000, 1),
        candidate_count=weighed.candidates if request.budget else 0,
        tokens_selected=sum(pick.cost for pick in chosen),
        coverage_entities=_share(covered.bit_count(), len(planned.terms)),
        diversity_score=_share(len(sources), count),
        mean_benefit=_share(fsum(pick.benefit for pick in chosen), count),
        top3=tuple((pick.included.entry.id, round(pick.score, _DIGITS)) for pick in chosen[:3]),
    )


def _identity(request: Request, selection: Selection) -> str:
    """Return 16 hex digits for a request and what was chosen for it, the same everywhere."""
    asked = (request.as_of, request.budget, request.format, request.query, request.planner)
    said = [(one.entry.id, one.level) for one in _included(selection)]
    return digest_of(repr((asked, request.ranker, request.focus, request.session, said)))


def _share(part: float, whole: int) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0


def deliver(
    selection: Selection, weighed: Weighed, context: Context, request: Request, measure: Measure
) -> Delivery:
    """Return ``selection`` as it is delivered: with figures, news, and what the session knows."""
    request = request._replace(memory=current(request.memory, request.now))
    chosen = picks(selection, weighed.planned, measure)
    plan = Plan(chosen, weighed.planned.terms, metrics(chosen, weighed, request, selection), None)
    over = outdated(context, request.memory)
    found = ties(chosen, weighed.planned, *over)._replace(may_include=weighed.may_include)
    delivered = remembered(selection, plan, found, request, measure)
    return delivered._replace(
        selection=furnish(delivered.selection, delivered.plan, request, measure)
    )


class Ties(NamedTuple):
    """What files and plan tell about entries that a session received; all are ids."""

    gone: Mapping[str, Revoked] = {}
    """Removed from the files, or out of date in them."""
    changed: Mapping[str, Entry] = {}
    """Worded differently from what the session received: as they are now."""
    needed: frozenset[str] = frozenset()
    """What the chosen entries link to."""
    best: frozenset[str] = frozenset()
    """The best candidates, chosen or not."""
    may_include: Callable[[Entry], bool] = anything
    """Whether an entry may be included at this fullness of the agent's window."""


def current(memory: Memory | None, now: float) -> Memory | None:
    """Return ``memory`` as it holds at ``now``, seconds since the epoch.

    What was delivered more than a day ago may have left the agent's window, and some hosts
    reuse the names of sessions: then nothing is known any more but how often it was delivered.
    """
    if memory is None:
        return None
    last = max((item.sent for item in memory.items.values()), default=now)
    if now - last <= STALE:
        return memory
    items = {key: _at_most(item, None) for key, item in memory.items.items()}
    return memory._replace(items=items)


def remembered(
    selection: Selection, plan: Plan, ties: Ties, request: Request, measure: Measure
) -> Delivery:
    """Return ``selection`` as its session receives it, and what the session knows then.

    What the chosen link to, and the best candidates, count as used now, so that they stay
    (``acs-planner``, Memory Management Rules). What has changed is no longer known.
    """
    if request.memory is None:
        return Delivery(selection, plan)
    items = request.memory.items
    before = request.memory._replace(
        items={key: item for key, item in items.items() if key not in ties.changed}
    )
    received = {key: item for key, item in items.items() if item.digest != NEVER}
    benefits = {pick.included.entry.id: pick.benefit for pick in plan.picks}
    said = tuple(delivered(selection, benefits, measure))
    if request.news_only:
        said = tuple(item for item in said if item.id not in ties.gone)  # superseded: no news
        selection, more = _news(selection, before, received, said, ties, request, measure)
        said += more
    # A memory smaller than one packet would forget what was just delivered.
    limit = max(MAX_ITEMS, sum(not item.pinned for item in said))
    change = update(
        before, said, request.now, limit, promoted=ties.needed | ties.best, gone=ties.gone.keys()
    )
    revoked = _revoked(received, said, ties)
    # This packet's own entries are not to be forgotten, even if the memory had no room for them.
    ids = {*revoked, *(item.id for item in said)}
    lost = tuple(key for key in change.evicted if key in received and key not in ids)
    if selection.news_only:
        selection = naming(selection, tuple(revoked.values()), request.budget, measure)
        selection = forgetting(selection, lost, request, measure)
    if request.news_only:
        # What had no room to be named as revoked is still in the window: named another time.
        unnamed = {
            key: items[key] for key, gone in revoked.items() if gone not in selection.revoked
        }
        after = change.memory._replace(items={**change.memory.items, **unnamed})
    else:
        after = _received_alone(selection, change.memory)
    plan = plan._replace(
        metrics=_counted(plan.metrics, before, said, change),
        policy=_policy(change.memory, request.now, ties.needed, (*revoked, *lost)),
    )
    return Delivery(selection, plan, after)


def _news(  # noqa: PLR0913, PLR0917 - delivered, known, and no longer so
    selection: Selection,
    before: Memory,
    received: Mapping[str, Delivered],
    said: Sequence[Delivered],
    ties: Ties,
    request: Request,
    measure: Measure,
) -> tuple[Selection, tuple[Delivered, ...]]:
    """Return the news, and what of them the plan does not include: entries that have changed."""
    if not received:
        return selection, ()  # the first packet is all news
    silent = request.format == "md"  # in which no news is no output
    fresh = news(selection, before, request.budget, measure, silent=silent)
    if not fresh.news_only:
        return fresh, ()
    known = {item.id for item in said}
    changed = [
        entry
        for key, entry in ties.changed.items()
        if key not in known and ties.may_include(entry) and known.isdisjoint(entry.ancestors)
    ]
    fresh, added = with_changed(fresh, changed, request.budget, measure)
    return fresh, tuple(known_of(unit, 0.0, measure) for unit in added)


def _revoked(
    received: Mapping[str, Delivered], said: Sequence[Delivered], ties: Ties
) -> dict[str, Revoked]:
    """Return what the session ``received`` and is no longer so, by id.

    A changed entry that is delivered anew, as fully as before, is not listed.
    """
    levels = {item.id: LEVELS.index(item.level) for item in said}
    over = {key: gone for key, gone in ties.gone.items() if key in received and key not in levels}
    return over | {
        key: Revoked(key, dated_title(entry), "changed")
        for key, entry in ties.changed.items()
        if key in received and levels.get(key, len(LEVELS)) > LEVELS.index(received[key].level)
    }


def _received_alone(selection: Selection, memory: Memory) -> Memory:
    """Return ``memory`` as if ``selection`` were all that its session ever received.

    Who asks for a whole packet may have lost what came before it, as when a host compacts its
    window. Uses and times stay: they show what is worth keeping.
    """
    levels: dict[str, Level] = {said.entry.id: said.level for said in _included(selection)}
    if selection.read_order:
        levels[ORDER] = "title"
    items = {key: _at_most(item, levels.get(key)) for key, item in memory.items.items()}
    return memory._replace(items=items)


def _at_most(item: Delivered, level: Level | None) -> Delivered:
    """Return ``item`` as known at ``level`` and no better; at none if that is None."""
    if level == item.level:
        return item
    return item._replace(
        level=level or item.level,
        digest=(item.digest_at(level) if level else "") or NEVER,
        key_digest="",
        title_digest=item.title_digest if level == "key" else "",
    )


def _counted(
    figures: Metrics, before: Memory, said: Sequence[Delivered], change: Update
) -> Metrics:
    """Return ``figures`` with what the memory knew ``before`` of the entries ``said``."""
    hits, misses = change.hits, change.misses
    for item in said:
        if item.id == ORDER:  # which is no entry
            was_known = is_known(before, item.id, item.level, item.digest)
            hits, misses = hits - was_known, misses - (not was_known)
    return figures._replace(hits=hits, misses=misses, evictions=len(change.evicted))


def _policy(memory: Memory, now: float, needed: frozenset[str], lost: tuple[str, ...]) -> KVPolicy:
    """Return what to do with the entries in ``memory``; those that it ``lost`` are evicted."""
    entries = (item for item in memory.items.values() if item.id != ORDER)
    kept = policy(entries, now, needed)
    return kept._replace(evict=(*lost, *kept.evict))


def ties(
    picks: Sequence[Pick],
    planned: Candidates,
    gone: Mapping[str, Revoked],
    changed: Mapping[str, Entry],
) -> Ties:
    """Return what the files and the plan tell about what a session received."""
    ids = {pick.included.entry.id for pick in picks}
    needed = frozenset(
        key
        for prospect in planned.prospects
        if prospect.scored.entry.id in ids
        for key in prospect.needs()
    )
    best = nlargest(TOP, planned.prospects, key=lambda prospect: prospect.bound)
    top = [prospect.scored.entry.id for prospect in best]
    top = top or [pick.included.entry.id for pick in picks[:TOP]]
    return Ties(gone, changed, needed, frozenset(top))


def furnish(selection: Selection, plan: Plan, request: Request, measure: Measure) -> Selection:
    """Return ``selection`` with as much of its figures as fit their share, the policy first cut.

    A packet over its budget has no room for figures; one without news does not need any.
    """
    room = apart(request)
    if not room or selection.has_no_news:
        return selection
    most = min(request.budget, measure.whole(selection) + room)
    for longer in _shorter(selection, plan, request):
        if measure.whole(longer) <= most:
            return longer
    return selection


def _shorter(selection: Selection, plan: Plan, request: Request) -> Iterator[Selection]:
    """Yield ``selection`` with figures, most first; figures are those of the acs planner.

    A host acts on the policy; the figures are also in ``ctx plan`` and ``--log-json``.
    """
    figured = selection
    if request.planner == BY_BENEFIT:
        figured = selection._replace(metrics=plan.metrics)
    if plan.policy is not None:
        for base in (figured, selection):
            yield from (_with_policy(base, plan.policy, share) for share in _POLICY_SHARES)
    yield figured
    yield selection._replace(metrics=figured.metrics and figured.metrics._replace(top3=()))


def _with_policy(selection: Selection, policy: KVPolicy, share: float) -> Selection:
    """Return ``selection`` with the first ids to pin; those to evict and to compress are few."""
    kept = policy.pin[: int(share * len(policy.pin))]
    left = len(policy.pin) - len(kept)
    return selection._replace(policy=policy._replace(pin=kept), unpinned=left)

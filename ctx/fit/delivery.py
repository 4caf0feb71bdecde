"""What a session received: what is new to it, what is out of date, and the figures of a packet."""

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import nlargest
from math import fsum

from ctx.fit.kv_cache import MAX_ITEMS, STALE, is_known, policy, update
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
from ctx.typed import NamedTuple

ORDER = "#read order"  # id of the list of files to read in the delivery log: no entry has it
TOP = 8  # candidates that are promoted (``acs-planner``: the keys of the top-K)
_FILES = (8, 4, 2, 0)  # files by which ids without room are counted; fewer where these have none
_DIGITS = 4


def deliver(
    selection: Selection, weighed: Weighed, context: Context, request: Request, measure: Measure
) -> Delivery:
    """Return ``selection`` as it is delivered: with figures, news, and what the session knows."""
    request = request._replace(memory=current(request.memory, request.now))
    chosen = picks(selection, weighed.planned, measure)
    plan = Plan(chosen, weighed.planned.terms, metrics(chosen, weighed, request, selection), None)
    revoked, changed = outdated(context, request.memory)
    known = ties(chosen, weighed.planned, revoked, changed)
    known = known._replace(may_include=weighed.may_include)
    delivery = remembered(selection, plan, known, request, measure)
    return delivery._replace(selection=furnish(delivery.selection, delivery.plan, request, measure))


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
    for included in selection.entries:
        yield known_of(included, benefits.get(included.entry.id, 0.0), measure)


def known_of(included: Included, benefit: float, measure: Measure) -> Delivered:
    """Return what a session knows once it received an entry; ``benefit`` is in [0, 1]."""
    entry, level = included.entry, included.level
    return Delivered(
        entry.id,
        level,
        digest_at(entry, level),
        measure.unit(included),
        benefit,
        0.0,
        pinned=not is_loose(included),
        key_digest=digest_at(entry, "key") if level == "full" else "",
        title_digest="" if level == "title" else digest_at(entry, "title"),
    )


def is_loose(included: Included) -> bool:
    """Return whether a delivered entry takes memory that can be freed."""
    return included.level != "title" and included.entry.section in BY_WORTH


def order_digest(selection: Selection) -> str:
    """Return the digest of the list of files to read."""
    return digest_of("\n".join(document.path for document in selection.read_order))


def level_digest(included: Included) -> tuple[str, Level, str]:
    """Return id, level and digest of a delivered entry."""
    return included.entry.id, included.level, digest_at(included.entry, included.level)


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


def outdated(
    context: Context, memory: Memory | None
) -> tuple[dict[str, Revoked], dict[str, Entry]]:
    """Return what a session received and is no longer so, by id: ``Ties`` revoked and changed."""
    items = {} if memory is None else memory.items
    known = {key for key, item in items.items() if item.digest != NEVER and key[:1] != "#"}
    # The name of a file may hold a #.
    sources = {key[:at] for key in known for at, char in enumerate(key) if char == "#"}
    quotes = {entry.id: entry for entry in context.standing if entry.id in known}
    present = quotes | {
        entry.id: entry
        for part in context.parts
        if part.source in sources
        for entry in map(part.entry, range(len(part)))
        if entry.id in known
    }
    revoked = {key: Revoked(key, "", "removed") for key in sorted(known - present.keys())}
    changed: dict[str, Entry] = {}
    for key, entry in present.items():
        item, quote = items[key], quotes.get(key)
        if quote and item.digest == digest_at(quote, item.level):
            entry = quote  # noqa: PLW2901 - delivered as an instruction, and not as a turn
            if quote.is_current:
                continue
        elif item.digest == digest_at(entry, item.level):
            continue  # one out of date was delivered with this status
        if entry.is_current:
            changed[key] = entry
        else:
            revoked[key] = Revoked(key, dated_title(entry._replace(status="")), entry.status)
    return revoked, changed


class Ties(NamedTuple):
    """What files and plan tell about entries that a session received; all are ids."""

    revoked: Mapping[str, Revoked] = {}  # removed from the files, or out of date in them
    changed: Mapping[str, Entry] = {}  # worded differently from what it received: as they are now
    needed: frozenset[str] = frozenset()  # what the chosen entries link to
    best: frozenset[str] = frozenset()  # the best candidates, chosen or not
    may_include: Callable[[Entry], bool] = anything  # whether the window's fullness allows an entry


def ties(
    picks: Sequence[Pick],
    planned: Candidates,
    revoked: Mapping[str, Revoked],
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
    return Ties(revoked, changed, needed, frozenset(top))


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
    sent = tuple(delivered(selection, benefits, measure))
    if request.news_only:
        sent = tuple(item for item in sent if item.id not in ties.revoked)  # superseded: no news
        if received:  # else the first packet is all news
            selection, added = _news(selection, before, sent, ties, request, measure)
            sent += tuple(known_of(included, 0.0, measure) for included in added)
    # A memory smaller than one packet would forget what was just delivered.
    limit = max(MAX_ITEMS, sum(not item.pinned for item in sent))
    change = update(
        before, sent, request.now, limit, promoted=ties.needed | ties.best, gone=ties.revoked.keys()
    )
    revoked = _revoked(received, sent, ties)
    # This packet's own entries are not to be forgotten, even if the memory had no room for them.
    ids = {*revoked, *(item.id for item in sent)}
    lost = tuple(key for key in change.evicted if key in received and key not in ids)
    if selection.news_only:
        selection = naming(selection, tuple(revoked.values()), request.budget, measure)
        selection = forgetting(selection, lost, request, measure)
    if request.news_only:
        # What had no room to be named as revoked is still in the window: named another time.
        more = {key: items[key] for key, item in revoked.items() if item not in selection.revoked}
        after = change.memory._replace(items={**change.memory.items, **more})
    else:
        # Who asks for a whole packet may have lost what came before it, as when a host compacts
        # its window. Uses and times stay: they show what is worth keeping.
        levels: dict[str, Level] = {each.entry.id: each.level for each in selection.entries}
        if selection.read_order:
            levels[ORDER] = "title"
        after = change.memory._replace(
            items={
                key: _at_most(item, levels.get(key)) for key, item in change.memory.items.items()
            }
        )
    hits, misses = change.hits, change.misses
    for item in sent:
        if item.id == ORDER:  # which is no entry
            was_known = is_known(before, item.id, item.level, item.digest)
            hits, misses = hits - was_known, misses - (not was_known)
    entries = (item for item in change.memory.items.values() if item.id != ORDER)
    advice = policy(entries, request.now, ties.needed)
    plan = plan._replace(
        metrics=plan.metrics._replace(
            hits=hits,
            misses=misses,
            evictions=len(change.evicted),
            cache_hit_rate=_share(hits, hits + misses),
        ),
        policy=advice._replace(evict=(*revoked, *lost, *advice.evict)),
    )
    return Delivery(selection, plan, after)


def _revoked(
    received: Mapping[str, Delivered], sent: Sequence[Delivered], ties: Ties
) -> dict[str, Revoked]:
    """Return by id what the session ``received`` and is no longer so, if not delivered anew."""
    levels = {item.id: LEVELS.index(item.level) for item in sent}
    revoked = {
        key: item for key, item in ties.revoked.items() if key in received and key not in levels
    }
    return revoked | {
        key: Revoked(key, dated_title(entry), "changed")
        for key, entry in ties.changed.items()
        if key in received and levels.get(key, len(LEVELS)) > LEVELS.index(received[key].level)
    }


def _news(  # noqa: PLR0913, PLR0917 - what is delivered, what is known, and what has changed
    selection: Selection,
    before: Memory,
    sent: Sequence[Delivered],
    ties: Ties,
    request: Request,
    measure: Measure,
) -> tuple[Selection, list[Included]]:
    """Return the news, and what of them the plan does not include: entries that have changed."""
    silent = request.format == "md"  # in which no news is no output
    fresh = news(selection, before, request.budget, measure, silent=silent)
    if not fresh.news_only:
        return fresh, []
    known = {item.id for item in sent}
    changed = [
        entry
        for key, entry in ties.changed.items()
        if key not in known and ties.may_include(entry) and known.isdisjoint(entry.ancestors)
    ]
    return with_changed(fresh, changed, request.budget, measure)


def news(
    selection: Selection, memory: Memory, budget: int, measure: Measure, *, silent: bool = False
) -> Selection:
    """Return what of ``selection`` is new, or all if that costs less; no news may be ``silent``."""

    def unknown(run: tuple[Included, ...]) -> tuple[Included, ...]:
        return tuple(
            each
            for each in run
            if each.entry.status != "superseded" and not is_known(memory, *level_digest(each))
        )

    # What is omitted is no news: how many there are was delivered once.
    sections = (
        section._replace(
            included=unknown(section.included), titles=unknown(section.titles), omitted=0
        )
        for section in selection.sections
    )
    fresh = selection._replace(
        sections=tuple(section for section in sections if section.entries),
        warnings=(),
        news_only=True,
        complete=False,
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


def with_changed(
    selection: Selection, changed: Iterable[Entry], budget: int, measure: Measure
) -> tuple[Selection, list[Included]]:
    """Return ``selection`` with changed entries, as fully as they fit, and what was added."""
    added = []
    for entry in changed:
        levels = (level for level in LEVELS if level != "key" or key_lines(entry))
        for unit in (Included(Scored(entry, 0.0, ()), level) for level in levels):
            longer = _with(selection, unit)
            if measure.whole(longer) <= budget:
                selection = longer
                added.append(unit)
                break
    return selection, added


def _with(selection: Selection, included: Included) -> Selection:
    name = included.entry.section
    sections = {section.name: section for section in selection.sections}
    section = sections.get(name, Section(name, 0, 0, (), (), 0, ""))
    if included.level == "title":
        sections[name] = section._replace(titles=(*section.titles, included))
    else:
        sections[name] = section._replace(included=(*section.included, included))
    return selection._replace(sections=tuple(sections[n] for n in SECTIONS if n in sections))


def naming(
    selection: Selection, revoked: tuple[Revoked, ...], budget: int, measure: Measure
) -> Selection:
    """Return ``selection`` with as much of ``revoked`` as fits, and how many more there are."""

    def named(count: int) -> Selection:
        more = len(revoked) - count if count else 0
        return selection._replace(revoked=revoked[:count], more_revoked=more)

    return _most(named, len(revoked), budget, measure)


def forgetting(
    selection: Selection, lost: tuple[str, ...], request: Request, measure: Measure
) -> Selection:
    """Return a ``selection`` for JSON with as many ids that may be forgotten as have room."""
    if request.format != "json":
        return selection

    def named(count: int) -> Selection:
        return selection._replace(forget=lost[:count])

    return _most(named, len(lost), request.budget, measure)


def _most(
    longer: Callable[[int], Selection], most: int, budget: int, measure: Measure
) -> Selection:
    """Return ``longer`` of the greatest number up to ``most`` that the budget holds; else of 0."""
    numbers = range(1, most + 1)
    return longer(bisect(numbers, budget, key=lambda number: measure.whole(longer(number))))


def picks(selection: Selection, planned: Candidates, measure: Measure) -> list[Pick]:
    """Return the chosen entries with their figures, the best score first."""
    prospects = {prospect.scored.entry.id: prospect for prospect in planned.prospects}
    chosen = []
    for section in selection.sections:
        for included in section.entries:
            if section.name == "tail" or included.entry.section not in BY_WORTH:
                continue
            cost = measure.unit(included)
            if (prospect := prospects.get(included.entry.id)) is None:
                worth = included.scored.score
                chosen.append(Pick(included, cost, worth, worth, 0))
                continue
            fragments = prospect.fragments()
            at_level = (each for each in fragments if each.level == included.level)
            fragment = next(at_level, fragments[0])
            worth = score(fragment.benefit, cost)
            chosen.append(Pick(included, cost, fragment.benefit, worth, fragment.covers))
    return sorted(chosen, key=lambda pick: (-pick.score, pick.included.entry.id))


def metrics(
    chosen: Sequence[Pick], weighed: Weighed, request: Request, selection: Selection
) -> Metrics:
    """Return the figures of a plan; all are zero where the budget is."""
    covered = 0
    for pick in chosen:
        covered |= pick.covers
    count = len(chosen)
    sources = {pick.included.entry.source for pick in chosen}
    # The same for the same request and what was chosen for it, everywhere.
    asked = (request.as_of, request.budget, request.format, request.query, request.planner)
    included = [(each.entry.id, each.level) for each in selection.entries]
    identity = (asked, request.ranker, request.focus, request.session, included)
    return Metrics(
        request_id=digest_of(repr(identity)),
        planner=request.planner,
        planner_ms=round(weighed.seconds * 1000, 1),
        candidate_count=weighed.candidates if request.budget else 0,
        tokens_selected=sum(pick.cost for pick in chosen),
        coverage_entities=_share(covered.bit_count(), len(weighed.planned.terms)),
        diversity_score=_share(len(sources), count),
        mean_benefit=_share(fsum(pick.benefit for pick in chosen), count),
        top3=tuple((pick.included.entry.id, round(pick.score, _DIGITS)) for pick in chosen[:3]),
    )


def _share(part: float, whole: int) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0


def furnish(selection: Selection, plan: Plan, request: Request, measure: Measure) -> Selection:
    """Return ``selection`` with figures as far as their share goes, the policy cut first."""
    room = apart(request)
    if not room or selection.has_no_news:
        return selection
    most = min(request.budget, measure.whole(selection) + room)
    bases = [selection]
    if request.metrics or request.planner == BY_BENEFIT:
        figured = selection._replace(metrics=plan.metrics)
        bases = [figured, selection._replace(metrics=plan.metrics._replace(top3=())), selection]
    whole = [base for base in bases if measure.whole(base) <= most]
    if plan.policy is None or not whole:
        return whole[0] if whole else selection
    for base in whole[:1] if request.metrics else (bases[0], selection):
        for files in _FILES:
            named = partial(_pinned, base, plan.policy, files)
            if measure.whole(named(0)) <= most:
                return _most(named, len(plan.policy.pin), most, measure)
    return whole[0]


def _pinned(selection: Selection, policy: KVPolicy, files: int, pins: int) -> Selection:
    """Return ``selection`` with so many ids to pin, and the number of the others, also by file."""
    left = Counter(id_.partition("#")[0] for id_ in policy.pin[pins:])
    return selection._replace(
        policy=policy._replace(pin=policy.pin[:pins]),
        unpinned=left.total(),
        unpinned_files=tuple(left.most_common(files)),
    )

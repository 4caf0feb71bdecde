"""The walk through the rooms: files, entries, scores, a selection, text.

    files --read--> Entry --rank--> Scored --fit--> Selection --render--> text

This is the only place that knows the order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx import fit, rank, read, render
from ctx.model import FOREIGN, NO_CANDIDATES, Packet, Question, Scored, SearchResults

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ctx.model import (
        Candidates,
        Clock,
        Context,
        Counter,
        Entry,
        Fields,
        Indexes,
        Kind,
        Library,
        Measure,
        ParseCache,
        Part,
        Request,
        SearchRequest,
        SectionName,
        Selection,
        Text,
        Verdict,
    )


def _stopped() -> float:
    return 0.0


def assemble(
    request: Request, counter: Counter, shelf: ParseCache, library: Library, clock: Clock = _stopped
) -> Packet:
    """Return the packet that answers ``request``.

    ``counter`` counts its tokens; ``shelf`` remembers parsed files between calls, ``library``
    finds entries by words and by meaning, ``clock`` tells seconds, for the metrics alone.
    Raises OSError where the directory cannot be listed, UsageError for an unknown ranker,
    planner or format, and CacheLossError where the cache lost something: then ask
    without it.
    """
    return packed(directory(request, shelf), request, counter, library, clock)


def packed(
    context: Context, request: Request, counter: Counter, library: Library, clock: Clock = _stopped
) -> Packet:
    """Return the packet that answers ``request`` from what was read; else as ``assemble``."""
    walk = _Ranking(context, request, library)
    begun = clock()
    ranked = walk.sections(_most(request))
    measure = render.Costs(request, counter)
    plan = fit.plan(_offer(context, ranked, walk), request, measure)
    seconds = clock() - begun
    weighed = fit.Weighed(walk.planned, walk.candidates(ranked), seconds, walk.sayable)
    told = _told_to(plan, weighed, context, request, measure)
    text, tokens = measure.text(told.selection)
    verdicts: tuple[Verdict, ...] = ()
    if request.explain:
        # Ranked again without a limit: the account names every entry, the packet stays as it is.
        everything = walk.sections(None)
        del everything["elevated"]  # which are turns
        scored = [one for run in everything.values() for one in run] + _closed(context)
        asked = fit.Asked(request, told.selection, walk.sayable)
        verdicts = fit.account(scored, plan, asked, measure)
    return Packet(
        request,
        told.selection,
        text,
        tokens,
        verdicts,
        (*context.warnings, *walk.warnings, *filter(None, (plan.note,))),
        context._replace(seen={**context.seen, **walk.seen}),
        told.plan,
        told.memory,
        lasting=not walk.warnings,
    )


def _told_to(
    plan: Selection, weighed: fit.Weighed, context: Context, request: Request, measure: Measure
) -> fit.Told:
    """Return a plan as who asked hears it: with its figures, and what the session knows then."""
    if not (fit.apart(request) or request.figures or request.memory is not None):
        return fit.Told(plan)
    from ctx.fit.delivery import tell  # not for the packets that nobody remembers

    return tell(plan, weighed, context, request, measure)


def search(
    inquiry: SearchRequest, counter: Counter, shelf: ParseCache, library: Library
) -> SearchResults:
    """Return the entries that answer ``inquiry`` as text; raises as ``assemble``."""
    from ctx.render.results import Results  # which splits words: not for every packet

    scored, warnings = find(inquiry, shelf, library)
    results = Results(inquiry, len(scored), counter)
    hits = scored[: inquiry.limit]
    if inquiry.whole:
        hits = results.within(fit.greedy(hits, results.cost, results.room))
    return SearchResults(
        inquiry, tuple(hits), len(scored) > len(hits), results.text(hits), warnings
    )


def find(
    inquiry: SearchRequest, shelf: ParseCache, library: Library
) -> tuple[list[Scored], tuple[str, ...]]:
    """Return the entries that answer ``inquiry``, best first, and warnings.

    Of a summary and what it stands for the one that answers better.
    """
    scored, warnings = ranked(inquiry, shelf, library)
    return fit.either(scored), warnings


def ranked(
    inquiry: SearchRequest, shelf: ParseCache, library: Library
) -> tuple[list[Scored], tuple[str, ...]]:
    """Return all entries that answer ``inquiry``, best first, and warnings."""
    request = inquiry.request
    context = directory(request, shelf, archive=inquiry.archive, whole=True)
    parts = tuple(_parts(context))
    means = _means(parts, request.query, request.ranker, library)
    question = Question(
        request.query,
        (),
        request.as_of,
        most=_wanted(inquiry),
        session=request.session,
        kinds=inquiry.kinds,
        since=inquiry.since,
        per_token=inquiry.whole,
        indexes=means,
    )
    scored = (one for one in rank.ranker(request.ranker)(parts, question) if one.score > 0)
    return rank.foreign_last(scored), (*context.warnings, *means.warnings)


def _wanted(inquiry: SearchRequest) -> int | None:
    """Return how many results of a kind are of use; None for all."""
    if inquiry.whole and inquiry.limit is None:
        return inquiry.request.budget // LEAST_RESULT + 1
    return None if inquiry.limit is None else inquiry.limit + 1  # is there more?


LEAST_RESULT = 25
"""Tokens of a result that is said whole, with its id and its scores."""


def asks_for_words(request: Request) -> bool:
    """Return whether ``request`` needs a library; UsageError for an unknown ranker."""
    return rank.asks(request.ranker).words or request.planner == _BY_BENEFIT


def indexable(request: Request, shelf: ParseCache) -> tuple[Sequence[Part], Fields, Text]:
    """Return the entries of a directory, and what of each is searched and embedded."""
    return tuple(_parts(directory(request, shelf, whole=True))), rank.fields, rank.text


def directory(
    request: Request,
    shelf: ParseCache,
    *,
    archive: bool = False,
    whole: bool = False,
    rules: bool = False,
) -> Context:
    """Return everything that the directory of ``request`` says; raises as ``assemble``.

    Sessions that came with the repository only where it is wanted ``whole``, or may be found.
    With ``rules`` its files of rules alone.
    """
    finds = request.query and request.planner != _BY_BENEFIT and request.ranker != _BY_AGE
    foreign, session = bool(whole or finds), request.session
    wanted = read.Wanted(request.authored, session, archive, request.state, foreign, rules)
    links, secrets = request.allow_links, request.allow_secrets
    limits = read.Limits(request.max_file_bytes, links, request.project, secrets)
    return read.read(request.root, shelf, limits, wanted)


def _means(parts: Sequence[Part], query: str, ranker: str, library: Library) -> Indexes:
    asked = query if rank.asks(ranker).vectors else ""
    return library.indexes(parts, rank.fields, rank.text, asked)


VARIANT: dict[Kind, SectionName] = {
    "decision": "decisions",
    "learning": "learnings",
    "lore": "lore",
    "turn": "turns",
    "summary": "turns",
}
"""What is said by what it is worth now, and where."""


class _Ranking:
    """What a directory's entries are worth, section by section."""

    def __init__(self, context: Context, request: Request, library: Library) -> None:
        self._parts = tuple(_parts(context))
        self.request = request
        self.found: list[Scored] = []
        """What the query finds, of all kinds, best first."""
        self.planned: Candidates = NO_CANDIDATES
        """What the benefit/cost planner weighs."""
        self._existing = read.Existing(request.root, request.project)
        self._fixed: dict[SectionName, list[Scored]] = {"rules": [], "conventions": []}
        tasks: list[Entry] = []
        for part in self._parts:
            if part.kind == "task":
                tasks += map(part.entry, range(len(part)))
            elif part.kind not in VARIANT:
                for entry in map(part.entry, range(len(part))):
                    self._fixed[entry.section].append(Scored(entry, 0.0, ()))
        self._fixed["tasks"] = urgent = rank.by_urgency(tasks)
        focus = rank.in_focus(urgent, int(request.tasks_share * request.budget))
        self._question = Question(
            _asked(request, focus),
            focus,
            request.as_of,
            session=request.session,
            kinds=frozenset(VARIANT),
            focus=request.focus,
            exists=self._existing,
        )
        if asks_for_words(request):
            means = _means(self._parts, self._question.query, request.ranker, library)
            self._question = self._question._replace(indexes=means)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be asked."""
        return self._question.indexes.warnings if self._question.indexes else ()

    @property
    def seen(self) -> Mapping[str, tuple[int, ...]]:
        """The paths that were looked at beyond those that were read."""
        return self._existing.seen

    def sections(self, most: int | None) -> dict[SectionName, list[Scored]]:
        """Return every section in the order in which its entries are worth saying.

        Of each variant kind ``most`` at most, all where it is None.
        """
        question = self._question._replace(most=most)
        scored = self._weighed(question) if self._plans else self._ranked(question)
        ranked = dict(self._fixed)
        for section in dict.fromkeys(VARIANT.values()):
            run = [one for one in scored if VARIANT[one.entry.kind] == section]
            if section == "turns":
                run = _summed_up(run, asked=bool(self._question.query))
            ranked[section] = run if most is None else self._allowed(run[:most])
        ranked["elevated"] = self._rules_of_talk(ranked["turns"])
        return ranked

    def _rules_of_talk(self, turns: Sequence[Scored]) -> list[Scored]:
        """Return the turns in which a user gave a rule: those that bear on what is asked.

        Where nothing is, all of them, the newest first: none of them was taken back.
        """
        if self._question.query:
            return rank.elevated(turns)
        return [one for one in turns if one.entry.section == "elevated"]

    @property
    def _plans(self) -> bool:
        return self.request.planner == _BY_BENEFIT

    def candidates(self, ranked: Mapping[SectionName, Sequence[Scored]]) -> int:
        """Return how many fragments could be chosen: of a ranked entry one."""
        if self._plans:
            return self.planned.candidates
        return sum(len(ranked[section]) for section in set(VARIANT.values()))

    def _weighed(self, question: Question) -> list[Scored]:
        """Return what the benefit/cost planner may choose, and keep it for that."""
        self.planned = rank.weigh(self._parts, question)
        return [one.scored for one in self.planned.prospects]

    def _ranked(self, question: Question) -> list[Scored]:
        scored = rank.ranker(self.request.ranker)(self._parts, question)
        if self.request.ranker != _BY_AGE:
            self.found = scored = rank.foreign_last(scored)
            scored = scored + self._others(scored, question)
        return rank.foreign_last(scored)

    def _others(self, found: Sequence[Scored], question: Question) -> list[Scored]:
        """Return what the query does not find, by age: a packet has room for it."""
        known = {one.entry.id for one in found}
        parts = [one for one in self._parts if not one.source.startswith(FOREIGN)]
        by_age = rank.ranker(_BY_AGE)(parts, question._replace(query=""))
        return [Scored(one.entry, 0.0, one.parts) for one in by_age if one.entry.id not in known]

    def _allowed(self, run: Sequence[Scored]) -> list[Scored]:
        """Return what is trusted enough, as many as may be said under the present pressure."""
        trusted = [one for one in run if self.sayable(one.entry)]
        return trusted[: self.request.most_entries]

    def sayable(self, entry: Entry) -> bool:
        """Return whether an entry may be said as far as the agent's window is full."""
        if self.request.rules_only or not self.request.least_trust:
            return not self.request.rules_only
        from ctx.app.window import trust  # only where an agent runs out of room

        trusted = trust(entry.kind, entry.front.trust, entry.confidence)
        return trusted >= self.request.least_trust


_BY_AGE, _BY_BENEFIT = "brackets", "acs"


def _asked(request: Request, tasks: Sequence[Entry]) -> str:
    """Return what is asked for: the query and the files in focus, else the work in hand."""
    if request.planner == _BY_BENEFIT:
        return request.query  # its gaze holds the rest
    asked = "\n".join(filter(None, (request.query, *request.focus)))
    return asked or ("" if request.ranker == _BY_AGE else _told(tasks))


def _summed_up(turns: list[Scored], *, asked: bool) -> list[Scored]:
    """Return turns that nothing was found of behind the summaries that stand for them.

    By age alone a summary says more in less room. What is found by a query stays where it is.
    """

    def behind(one: Scored) -> bool:
        found = asked and rank.similarity(dict(one.parts)) > 0
        return bool(one.entry.ancestors) and not found

    return sorted(turns, key=behind)


def _told(tasks: Sequence[Entry]) -> str:
    """Return what the work in hand is about, in its own words."""
    return "\n".join(f"{task.title}\n{task.body}" for task in tasks)


def _parts(context: Context) -> Iterator[Part]:
    return (part for source in context.sources for part in source.parts)


LEAST_TITLE = 10
"""Tokens of a title with its bullet and date that is no more than a word."""


LEAST_RANKED = 1_000
"""Entries of a kind that are always offered, however small the budget: one far down may have
the only title that still fits."""


def _most(request: Request) -> int:
    """Return how many entries of a kind are offered: more than a packet could mention."""
    return max(LEAST_RANKED, request.budget // LEAST_TITLE + 1)


def _closed(context: Context) -> list[Scored]:
    """Return the tasks that nobody works on any more, for the account."""
    return [
        Scored(entry, 0.0, ())
        for part in _parts(context)
        if part.kind == "task"
        for entry in map(part.entry, range(len(part)))
        if entry.status in ("done", "skipped")
    ]


def _offer(context: Context, ranked: dict[SectionName, list[Scored]], walk: _Ranking) -> fit.Offer:
    totals = {
        name: fit.Total(len(run), sum(one.entry.size for one in run))
        for name, run in ranked.items()
    }
    totals.update(
        # Summaries stand for turns, which are counted.
        {section: _total(context, kind) for kind, section in VARIANT.items() if kind != "summary"}
    )
    return fit.Offer(
        ranked,
        totals,
        read.places(context),
        context.read_order,
        read.usual(context),
        context.warnings,
        walk.found,
        context.thread,
        walk.planned,
    )


def _total(context: Context, kind: Kind) -> fit.Total:
    """Count what a directory holds of ``kind``, superseded entries apart."""
    parts = [part for part in _parts(context) if part.kind == kind]
    gone = sum(part.sizes[place] for part in parts for place in part.superseded)
    return fit.Total(
        sum(len(part) - len(part.superseded) for part in parts),
        sum(map(sum, (part.sizes for part in parts))) - gone,
    )

"""From files to a packet: entries, scores, a selection, text.

    files --read--> Entry --rank--> Scored --fit--> Selection --render--> text

This is the only place that knows the order.
"""

import os
import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from ctx import fit, rank, read, render
from ctx.hosts.sources import chosen as chosen_sources
from ctx.model import (
    BY_AGE,
    BY_BENEFIT,
    FOREIGN,
    NO_CANDIDATES,
    WEAK,
    Candidates,
    Clock,
    Context,
    Counter,
    Document,
    Entry,
    Fields,
    Found,
    Indexes,
    Kind,
    Library,
    Packet,
    ParseCache,
    Part,
    Question,
    Request,
    Scored,
    SearchRequest,
    SearchResults,
    SectionName,
    Text,
    Verdict,
)  # fmt: skip
from ctx.read.documents import glossary
from ctx.text.checkbox import CLOSED


def _stopped() -> float:
    return 0.0


def assemble(
    request: Request, counter: Counter, cache: ParseCache, library: Library, clock: Clock = _stopped
) -> Packet:
    """Return the packet that answers ``request``.

    ``counter`` counts its tokens; ``cache`` remembers parsed files between calls, ``library``
    finds entries by words and by meaning, ``clock`` tells seconds, for the metrics alone.
    Raises OSError where the directory cannot be listed, UsageError for an unknown ranker,
    planner or format, and CacheLossError where the cache lost something: then ask without it.
    """
    return pack(directory(request, cache), request, counter, library, clock)


def pack(
    context: Context, request: Request, counter: Counter, library: Library, clock: Clock = _stopped
) -> Packet:
    """Return the packet that answers ``request`` from what was read; raises as ``assemble``.

    A query that names no subject is answered as none: by what is worth most now.
    """
    if request.query:
        from ctx.text.words import has_subject  # loads the stemmer: only for a query

        if not has_subject(request.query):
            request = request._replace(query="")
    request = with_notice(request, context, counter)
    if request.resume and context.thread is not None and len(context.thread) == 1:
        request = request.having(tail_turns=0)  # included only as the tail's share allows
    ranking = _Ranking(context, request, library)
    begun = clock()
    # More entries of each kind than a packet could mention.
    ranked = ranking.sections(max(LEAST_RANKED, request.budget // LEAST_TITLE + 1))
    measure = render.Costs(request, counter)
    plan = fit.plan(_offer(context, ranked, ranking), request, measure)
    seconds = clock() - begun
    delivery = fit.Delivery(plan)
    if fit.apart(request) or request.figures or request.memory is not None:
        from ctx.fit.delivery import deliver  # not for the packets that nobody remembers

        weighed = fit.Weighed(
            ranking.candidates, ranking.count(ranked), seconds, ranking.may_include
        )
        delivery = deliver(plan, weighed, context, request, measure)
    text, tokens = measure.text(delivery.selection)
    verdicts: tuple[Verdict, ...] = ()
    if request.explain:
        # Ranked again without a limit: the account names every entry, the packet stays as it is.
        everything = ranking.sections(None, every=True)
        del everything["elevated"]  # which are turns
        closed = (
            Scored(entry, 0.0, ())
            for part in context.parts
            if part.kind == "task"
            for entry in map(part.entry, range(len(part)))
            if entry.status in CLOSED
        )
        scored = [*chain.from_iterable(everything.values()), *closed]
        offered = {each.entry.id for each in chain.from_iterable(ranked.values())}
        asked = fit.Asked(
            request,
            delivery.selection,
            ranking.may_include,
            lambda entry: not request.query or entry.id in offered,
        )
        verdicts = fit.account(scored, plan, asked, measure)
    return Packet(
        request,
        delivery.selection,
        text,
        tokens,
        verdicts,
        (*context.warnings, *ranking.warnings, *filter(None, (plan.note,))),
        context._replace(seen={**context.seen, **ranking.seen}),
        delivery.plan,
        delivery.memory,
        lasting=not ranking.warnings,
    )


def with_notice(request: Request, context: Context, counter: Counter) -> Request:
    """Return ``request`` with the lines at its head, once a session, as far as they have room."""
    note = request.note
    is_first = not (request.news_only and request.memory and request.memory.items)
    if context.loaded and is_first and not note:
        names = ", ".join(read.few(_opened(context.loaded, request)))
        note = f"Not here, as {request.host.name} loads it by itself: {names}."
    lines = [*filter(None, (note, *(request.remarks if is_first else ())))]
    while lines and counter.count("\n".join(lines)) * LEAST_SHARE > request.budget:
        lines.pop()
    return request._replace(note="\n".join(lines), remarks=())


_MB = 1024 * 1024
LEAST_SHARE = 20  # by how much a packet's budget exceeds the line about what is left out


def results_of(asked: SearchRequest, found: Sequence[Found], counter: Counter) -> SearchResults:
    """Return what was found in each directory as one text; UsageError for too small a budget."""
    from ctx.render.results import Results  # which splits words: not for every packet

    scored = found[0].scored if len(found) == 1 else rank.together(each.scored for each in found)
    results = Results(asked, len(scored), counter, found)
    hits = scored[: asked.limit]
    if asked.whole:
        hits = results.within(fit.greedy(hits, results.cost, results.room))
    warnings = tuple(chain.from_iterable(each.warnings for each in found))
    return SearchResults(tuple(hits), results.text(hits), warnings)


def find(asked: SearchRequest, cache: ParseCache, library: Library) -> Found:
    """Return the entries that answer ``asked``, best first: a summary or what it covers."""
    found = ranked(asked, cache, library)
    return found._replace(scored=fit.either(found.scored))


def ranked(asked: SearchRequest, cache: ParseCache, library: Library) -> Found:
    """Return all entries that answer ``asked``, best first; raises as ``assemble``."""
    request = asked.request
    context = directory(request, cache, archive=asked.archive, whole=True)
    parts = tuple(context.parts)
    words, unread = glossary(request.root, limits_of(request))

    def index(query: str) -> Indexes:
        return _indexes(parts, query, request.ranker, library)

    found = search_parts(asked, parts, index, words)
    return found._replace(warnings=(*context.warnings, *unread, *found.warnings))


def search_parts(
    asked: SearchRequest,
    parts: Sequence[Part],
    index: Callable[[str], Indexes],
    names: Sequence[Sequence[str]] = (),
) -> Found:
    """Return the entries of ``parts`` that answer ``asked``, best first; raises as ``assemble``.

    ``index`` returns what can be asked about them for a query; ``names`` are of a glossary.
    """
    request = asked.request
    indexes = index(request.query)
    query, corrections = rank.corrected(request.query, indexes)
    if corrections:
        indexes = index(query)
    indexes, named = rank.naming(parts, query, indexes, names)
    most = None if asked.limit is None else asked.limit + 1  # is there more?
    if asked.whole and asked.limit is None:
        most = request.budget // LEAST_RESULT + 1
    if most is not None and indexes.reranker:
        most = max(most, indexes.reranked)
    question = Question(
        query,
        (),
        request.as_of,
        most=most,
        session=request.session,
        kinds=asked.kinds,
        since=asked.since,
        per_token=asked.whole,
        indexes=indexes,
        settings=request.settings,
        named=named,
        statuses=asked.statuses,
        least=asked.least,
        rest=True,
        guessed=frozenset(new for _, new in corrections),
    )
    every = rank.ranker(request.ranker)(parts, question)
    hits = [each for each in every if each.score > 0 and (each.named or not asked.named_only)]
    hits, failed = rank.reranked(hits, question)
    # What is named comes first, whatever a reranker makes of it.
    scored = rank.foreign_last(sorted(hits, key=lambda each: not each.named))
    nearest = None
    if not scored and asked.least is None and not asked.named_only:
        nearest = max(every, key=lambda each: each.relevance, default=None)
    instead = tuple(f"searched for {new!r} instead of {old!r}" for old, new in corrections)
    warnings = (*indexes.warnings, *failed, *instead)
    return Found(scored, warnings, query, corrections, nearest)


LEAST_RESULT = 25  # tokens of a result in full, with its id and its scores


def asks_for_words(request: Request) -> bool:
    """Return whether ``request`` needs a library; UsageError for an unknown ranker."""
    return rank.asks(request.ranker).words or request.planner == BY_BENEFIT


def indexable(request: Request, cache: ParseCache) -> tuple[Sequence[Part], Fields, Text]:
    """Return the entries of a directory, and what of each is searched and embedded."""
    return tuple(directory(request, cache, whole=True).parts), rank.fields, rank.text


def directory(
    request: Request,
    cache: ParseCache,
    *,
    archive: bool = False,
    whole: bool = False,
    rules: bool = False,
) -> Context:
    """Return what the directory holds, with ``whole`` all, with ``rules`` its rules alone."""
    finds = request.query and request.planner != BY_BENEFIT and request.ranker != BY_AGE
    foreign, session = bool(whole or finds), request.session
    asked = bool(whole or request.query)
    received = request.memory.items if request.memory and not whole else ()
    host = request.host._replace(received=frozenset(received))
    chosen = chosen_sources(request.settings.sources, request.authored)
    is_below = request.shown_root[:2] in (".", "..")  # a folder of the project is worked in
    wanted = read.Wanted(
        chosen.origins, session, archive, request.state, foreign, rules, request.everywhere,
        host, asked, documents=not (whole or rules), levels=request.levels,
        focus=request.focus, roots=request.roots, whole=whole,
        cwd=os.path.join(request.project, host.cwd) if is_below else "",
    )  # fmt: skip
    context = read.read(request.root, cache, limits_of(request), wanted)
    thread = context.thread
    if request.resume and thread is None and request.host.trusted and not rules:
        from ctx.app.resume import resumed  # only at the start of a session

        thread = resumed(request)
    return context._replace(thread=thread, warnings=(*chosen.warnings, *context.warnings))


def limits_of(request: Request) -> read.Limits:
    """Return what may be opened."""
    settings = request.settings
    return read.Limits(
        settings.max_file_mb * _MB, settings.allow_links, request.project, settings.allow_secrets,
        request.refuses,
    )  # fmt: skip


def _is_said(instruction: Entry, known: Sequence[tuple[bool, set[int]]]) -> bool:
    """Whether a rule or a convention of the files forbids or wants nearly the same."""
    from ctx.text.words import term_ids  # only where there are instructions

    words = {*instruction.terms} - {*term_ids("from now on always please in future")}
    is_ban = instruction.modality == "forbidden"
    return any(ban == is_ban and len(words & said) * 5 >= len(words) * 4 for ban, said in known)


def _indexes(parts: Sequence[Part], query: str, ranker: str, library: Library) -> Indexes:
    asked = query if rank.asks(ranker).vectors else ""
    return library.indexes(parts, rank.fields, rank.text, asked)


FILES: tuple[SectionName, ...] = ("rules", "conventions")
VARIANT: dict[Kind, SectionName] = {  # what is included by what it is worth now, and where
    "decision": "decisions",
    "learning": "learnings",
    "lore": "lore",
    "turn": "turns",
    "summary": "turns",
}
LEAST_TITLE = 10  # tokens of a title with its bullet and date that is no more than a word
LEAST_RANKED = 1_000  # entries of a kind that are always offered, however small the budget


class _Ranking:
    def __init__(self, context: Context, request: Request, library: Library) -> None:
        self._parts = tuple(context.parts)
        self._standing = context.standing
        self.request = request
        self.found: list[Scored] = []  # what the query finds, of all kinds, best first
        self._failed: tuple[str, ...] = ()  # why the reranker failed
        self.candidates: Candidates = NO_CANDIDATES  # what the benefit/cost planner may choose
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
        # Those that the packet has room for beside the rules.
        left = request.budget - sum(rule.entry.size for rule in self._fixed["rules"])
        focus = rank.in_focus(urgent, int(request.settings.tasks_share * left))
        finds = request.query and request.planner != BY_BENEFIT and request.ranker != BY_AGE
        self._question = Question(
            _query(request, focus),
            focus,
            request.as_of,
            session=request.session,
            # A guideline that answers is included wherever it is in its document.
            kinds=frozenset((*VARIANT, "convention", "rule") if finds else VARIANT),
            focus=request.focus,
            exists=self._existing,
            settings=request.settings,
            # Only for what somebody asks: the work in hand is a guess. A choice by benefit has room
            # for what the query does not find, unless only that is asked for.
            least=None if request.query and (finds or request.fill == "none") else 0.0,
        )
        if asks_for_words(request):
            indexes = _indexes(self._parts, self._question.query, request.ranker, library)
            self._question = self._question._replace(indexes=indexes)

    @property
    def warnings(self) -> tuple[str, ...]:
        indexes = self._question.indexes
        return (*indexes.warnings, *self._failed) if indexes else ()

    @property
    def seen(self) -> Mapping[str, tuple[int, ...]]:
        """The paths that were looked at beyond those that were read."""
        return self._existing.seen

    def sections(self, most: int | None, *, every: bool = False) -> dict[SectionName, list[Scored]]:
        """Return the sections by worth, ``most`` of a kind; ``every``: also what is irrelevant."""
        only_found = self.request.query and self.request.fill == "none"
        question = self._question._replace(most=most, rest=every or not only_found)
        if self.request.planner == BY_BENEFIT:
            self.candidates = rank.weigh(self._parts, question)
            scored = [prospect.scored for prospect in self.candidates.prospects]
        else:
            scored = self._ranked(question)
        ranked = dict(self._fixed)
        for section in dict.fromkeys(VARIANT.values()):
            run = [
                each
                for each in scored
                if VARIANT[each.entry.kind] == section
                # What a person took back is no talk any more.
                and not (each.entry.kind == "turn" and each.entry.status == "superseded")
            ]
            if section == "turns":
                run = _summarised_last(run, asked=bool(question.query))
                # What was replaced since comes last, however new it is.
                run.sort(key=lambda each: each.entry.status == "partly superseded")
            if most is not None:
                trusted = [each for each in run[:most] if self.may_include(each.entry)]
                run = trusted[: self.request.most_entries]
            ranked[section] = run
        # The turns in which a user gave a rule: those that bear on what is asked. Where nothing
        # is, all of them, the newest first: none of them was taken back.
        turns = ranked["turns"]
        elevated = (
            rank.elevated(turns)
            if question.query
            else [each for each in turns if each.entry.section == "elevated"]
        )
        quoted = {entry.turn_id for entry in self._standing if entry.priority > WEAK}
        known = [
            (rule.entry.modality == "forbidden", {*rule.entry.terms})
            for name in (FILES if self._standing else ())
            for rule in self._fixed[name]
        ]
        current = [
            entry
            for entry in self._standing
            if entry.is_current and self.may_include(entry) and not _is_said(entry, known)
        ]
        ranked["elevated"] = [
            *rank.clearest(current, question.query),
            *(each for each in elevated if each.entry.id not in quoted),
        ]
        return ranked

    def count(self, ranked: Mapping[SectionName, Sequence[Scored]]) -> int:
        """Return how many fragments could be chosen: of a ranked entry one."""
        if self.request.planner == BY_BENEFIT:
            return self.candidates.fragments
        return sum(len(ranked[section]) for section in set(VARIANT.values()))

    def _ranked(self, question: Question) -> list[Scored]:
        scored = rank.ranker(self.request.ranker)(self._parts, question)
        if self.request.ranker != BY_AGE:
            rest = [each for each in scored if each.score <= 0]
            found = [each for each in scored if each.score > 0]
            found, self._failed = rank.reranked(found, question)
            self.found = rank.foreign_last(each for each in found if each.entry.section != "rules")
            scored = [each for each in (*self.found, *rest) if each.entry.kind in VARIANT]
        if self.request.ranker != BY_AGE and question.rest:
            # Behind them by age what the query has nothing to do with: a packet has room for it.
            known = {each.entry.id for each in scored}
            parts = [part for part in self._parts if not part.source.startswith(FOREIGN)]
            by_age = rank.ranker(BY_AGE)(parts, question._replace(query=""))
            scored += [
                Scored(each.entry, 0.0, each.parts) for each in by_age if each.entry.id not in known
            ]
        return rank.foreign_last(scored)

    def may_include(self, entry: Entry) -> bool:
        """Return whether an entry may be included at this fullness of the agent's window."""
        if self.request.rules_only or not self.request.least_trust:
            return not self.request.rules_only
        from ctx.app.window import trust  # only where an agent runs out of room

        trusted = trust(entry.kind, entry.front.trust, entry.confidence)
        return trusted >= self.request.least_trust


def _query(request: Request, tasks: Sequence[Entry]) -> str:
    """Return what is asked for: the query and the files in focus, else the work in hand."""
    if request.planner == BY_BENEFIT:
        return request.query  # its focus terms hold the rest
    asked = "\n".join(filter(None, (request.query, *request.focus)))
    if asked or request.ranker == BY_AGE:
        return asked
    return "\n".join(f"{task.title}\n{task.body}" for task in tasks)


def _summarised_last(turns: list[Scored], *, asked: bool) -> list[Scored]:
    """Return turns by age behind their summaries, which hold more in less room."""

    def is_behind(turn: Scored) -> bool:
        is_found = asked and rank.similarity(dict(turn.parts)) > 0
        return bool(turn.entry.ancestors) and not is_found

    return sorted(turns, key=is_behind)


def _from_here(context: Context, request: Request) -> list[Document]:
    paths = _opened((document.path for document in context.documents), request)
    return [
        document._replace(path=path)
        for document, path in zip(context.documents, paths, strict=True)
    ]


def _opened(paths: Iterable[str], request: Request) -> list[str]:
    root = request.shown_root.replace(os.sep, "/")
    return [posixpath.normpath(posixpath.join(root, path)) for path in paths]


def _offer(
    context: Context, ranked: dict[SectionName, list[Scored]], ranking: _Ranking
) -> fit.Offer:
    totals = {
        name: fit.Total(len(run), sum(each.entry.size for each in run))
        for name, run in ranked.items()
    }
    for kind, section in VARIANT.items():
        if kind != "summary":  # which covers turns, and these are counted
            parts = [part for part in context.parts if part.kind == kind]
            sizes = sum(sum(part.sizes) for part in parts)
            old = sum(part.sizes[place] for part in parts for place in part.superseded)
            current = sum(len(part) - len(part.superseded) for part in parts)
            totals[section] = fit.Total(current, sizes - old)
    return fit.Offer(
        ranked,
        totals,
        read.places(context),
        _from_here(context, ranking.request),
        context.warnings,
        ranking.found,
        context.thread,
        ranking.candidates,
    )

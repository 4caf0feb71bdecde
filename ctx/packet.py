"""The walk through the rooms: files, entries, scores, a selection, text.

    files --read--> Entry --rank--> Scored --fit--> Selection --render--> text

This is the only place that knows the order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx import fit, rank, read, render
from ctx.model import Packet, Question, Scored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import (
        Context,
        Counter,
        Entry,
        Kind,
        Part,
        Request,
        SectionName,
        Shelf,
        Verdict,
    )


def assemble(request: Request, counter: Counter, shelf: Shelf) -> Packet:
    """Return the packet that answers ``request``.

    ``counter`` counts its tokens; ``shelf`` remembers parsed files between calls.
    Raises OSError where the directory cannot be listed, UsageError for an unknown ranker
    or format, and ForgottenError where the shelf lost something: then ask without it.
    """
    wanted = read.Wanted(request.authored, request.session)
    context = read.read(request.root, shelf, _limits(request), wanted)
    ranked = _ranked(context, request, _most(request))
    measure = render.Costs(request, counter)
    selection = fit.plan(_offer(context, ranked), request, measure)
    text, tokens = measure.text(selection)
    verdicts: tuple[Verdict, ...] = ()
    if request.explain:
        # Ranked again without a limit: the account names every entry, the packet stays as it is.
        everything = _ranked(context, request, None).values()
        scored = [one for run in everything for one in run] + _closed(context)
        verdicts = fit.account(scored, selection, request.budget - tokens, measure)
    return Packet(request, selection, text, tokens, verdicts, context.warnings, context)


def _limits(request: Request) -> read.Limits:
    return read.Limits(request.max_file_bytes, request.allow_links, request.project)


VARIANT: dict[Kind, SectionName] = {
    "decision": "decisions",
    "learning": "learnings",
    "lore": "lore",
    "turn": "turns",
}
"""What is said by what it is worth now, and where."""


def _ranked(
    context: Context, request: Request, most: int | None
) -> dict[SectionName, list[Scored]]:
    """Return every section in the order in which its entries are worth saying.

    Of each variant kind ``most`` at most, all where it is None.
    """
    ranked: dict[SectionName, list[Scored]] = {"rules": [], "conventions": []}
    tasks: list[Entry] = []
    variant: list[Part] = []
    for part in _parts(context):
        if part.kind in VARIANT:
            variant.append(part)
        elif part.kind == "task":
            tasks += map(part.entry, range(len(part)))
        else:
            for entry in map(part.entry, range(len(part))):
                ranked[entry.section].append(Scored(entry, 0.0, ()))
    ranked["tasks"] = urgent = rank.by_urgency(tasks)
    focus = rank.in_focus(urgent, int(request.tasks_share * request.budget))
    question = Question(request.query, focus, request.as_of, most)
    scored = rank.ranker(request.ranker)(variant, question)
    for kind, section in VARIANT.items():
        ranked[section] = [one for one in scored if one.entry.kind == kind]
    return ranked


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


def _offer(context: Context, ranked: dict[SectionName, list[Scored]]) -> fit.Offer:
    totals = {
        name: fit.Total(len(run), sum(one.entry.size for one in run))
        for name, run in ranked.items()
    }
    totals.update({section: _total(context, kind) for kind, section in VARIANT.items()})
    return fit.Offer(
        ranked,
        totals,
        read.places(context),
        context.read_order,
        read.usual(context),
        context.warnings,
        context.thread,
    )


def _total(context: Context, kind: Kind) -> fit.Total:
    """Count what a directory holds of ``kind``, superseded entries apart."""
    parts = [part for part in _parts(context) if part.kind == kind]
    gone = sum(part.sizes[place] for part in parts for place in part.gone)
    return fit.Total(
        sum(len(part) - len(part.gone) for part in parts),
        sum(map(sum, (part.sizes for part in parts))) - gone,
    )

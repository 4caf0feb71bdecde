"""The walk through the rooms: files, entries, scores, a selection, text.

    files --read--> Entry --rank--> Scored --fit--> Selection --render--> text

This is the only place that knows the order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx import fit, rank, read, render
from ctx.model import Packet, Question, Scored

if TYPE_CHECKING:
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
    context = read.read(request.root, shelf, _limits(request))
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
    return read.Limits(request.max_file_bytes, request.allow_links)


def _ranked(
    context: Context, request: Request, most: int | None
) -> dict[SectionName, list[Scored]]:
    """Return every section in the order in which its entries are worth saying.

    Of decisions and of learnings ``most`` at most, all where it is None.
    """
    listed: dict[SectionName, list[Scored]] = {"rules": [], "conventions": []}
    tasks: list[Entry] = []
    variant: list[Part] = []
    for source in context.sources:
        if source.part.kind in ("decision", "learning"):
            variant.append(source.part)
        elif source.part.kind == "task":
            tasks += source.entries
        else:
            for entry in source.entries:
                listed[entry.section].append(Scored(entry, 0.0, ()))
    urgent = rank.by_urgency(tasks)
    focus = rank.in_focus(urgent, int(request.tasks_share * request.budget))
    question = Question(request.query, focus, request.as_of, most)
    scored = rank.ranker(request.ranker)(variant, question)
    return {
        **listed,
        "tasks": urgent,
        "decisions": [one for one in scored if one.entry.kind == "decision"],
        "learnings": [one for one in scored if one.entry.kind == "learning"],
    }


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
        for source in context.sources
        if source.part.kind == "task"
        for entry in source.entries
        if entry.status in ("done", "skipped")
    ]


def _offer(context: Context, ranked: dict[SectionName, list[Scored]]) -> fit.Offer:
    totals = {
        name: fit.Total(len(run), sum(one.entry.size for one in run))
        for name, run in ranked.items()
    }
    totals["decisions"] = _total(context, "decision")
    totals["learnings"] = _total(context, "learning")
    return fit.Offer(
        ranked,
        totals,
        read.places(context),
        context.read_order,
        read.usual(context),
        context.warnings,
    )


def _total(context: Context, kind: Kind) -> fit.Total:
    """Count what a directory holds of ``kind``, superseded entries apart."""
    parts = [source.part for source in context.sources if source.part.kind == kind]
    gone = sum(part.sizes[place] for part in parts for place in part.gone)
    return fit.Total(
        sum(len(part) - len(part.gone) for part in parts),
        sum(map(sum, (part.sizes for part in parts))) - gone,
    )

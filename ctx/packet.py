"""The walk through the rooms: files, entries, scores, a selection, text.

    files --read--> Entry --rank--> Scored --fit--> Selection --render--> text

This is the only place that knows the order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx import fit, rank, read, render
from ctx.model import Packet, Question, Scored

if TYPE_CHECKING:
    from ctx.model import Context, Counter, Entry, Request, SectionName, Shelf


def assemble(request: Request, counter: Counter, shelf: Shelf) -> Packet:
    """Return the packet that answers ``request``.

    ``counter`` counts its tokens; ``shelf`` remembers parsed files between calls.
    Raises OSError where the directory cannot be listed, UsageError for an unknown ranker
    or format, and ForgottenError where the shelf lost something: then ask without it.
    """
    context = read.read(request.root, shelf, _limits(request))
    ranked = _ranked(context, request)
    measure = render.Costs(request, counter)
    selection = fit.plan(_offer(context, ranked), request, measure)
    text, tokens = measure.text(selection)
    scored = [one for run in ranked.values() for one in run] + _closed(context)
    left = request.budget - tokens
    verdicts = fit.account(scored, selection, left, measure) if request.explain else ()
    return Packet(request, selection, text, tokens, verdicts, context.warnings, context)


def _limits(request: Request) -> read.Limits:
    return read.Limits(request.max_file_bytes, request.allow_links)


def _ranked(context: Context, request: Request) -> dict[SectionName, list[Scored]]:
    """Return every section in the order in which its entries are worth saying."""
    by_section: dict[SectionName, list[Entry]] = {}
    for entry in context.entries:
        by_section.setdefault(entry.section, []).append(entry)
    tasks = rank.by_urgency(by_section.get("tasks", ()))
    focus = rank.in_focus(tasks, int(request.tasks_share * request.budget))
    question = Question(request.query, focus, request.as_of)
    variant = by_section.get("decisions", []) + by_section.get("learnings", [])
    scored = rank.ranker(request.ranker)(variant, question)
    return {
        "rules": [Scored(entry, 0.0, ()) for entry in by_section.get("rules", ())],
        "tasks": tasks,
        "conventions": [Scored(entry, 0.0, ()) for entry in by_section.get("conventions", ())],
        "decisions": [one for one in scored if one.entry.kind == "decision"],
        "learnings": [one for one in scored if one.entry.kind == "learning"],
    }


def _closed(context: Context) -> list[Scored]:
    """Return the tasks that nobody works on any more, for the account."""
    return [
        Scored(entry, 0.0, ()) for entry in context.entries if entry.status in ("done", "skipped")
    ]


def _offer(context: Context, ranked: dict[SectionName, list[Scored]]) -> fit.Offer:
    return fit.Offer(
        ranked, read.places(context), context.read_order, read.usual(context), context.warnings
    )

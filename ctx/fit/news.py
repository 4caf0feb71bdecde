"""What of a packet is news to its session: what it was not told, or what has changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.detail import key_lines
from ctx.fit.kv_cache import is_known
from ctx.fit.told import ORDER, level_digest, order_digest
from ctx.model import LEVELS, SECTIONS, Said, Scored, Section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctx.model import Entry, Gone, Measure, Memory, Request, Selection


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

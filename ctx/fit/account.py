"""What became of every entry, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.model import Said, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from ctx.model import Level, Measure, Scored, Section, SectionName, Selection


def account(
    scored: Iterable[Scored],
    selection: Selection,
    left: int,
    measure: Measure,
    known: AbstractSet[str] = frozenset(),
) -> tuple[Verdict, ...]:
    """Return a verdict on each of ``scored``; ``left`` tokens of the budget were not spent.

    ``known`` are ids that the packet would hold, had its session not been told them already.
    """
    sections = {section.name: section for section in selection.sections}
    said: _Said = {
        one.entry.id: (one.level, section)
        for section in selection.sections
        for one in (*section.said, *section.noted)
    }
    told = [one.entry for section in sections.values() for one in (*section.said, *section.noted)]
    stands_for = {above: entry.id for entry in told for above in entry.ancestors}

    def verdict(one: Scored) -> Verdict:
        if one.entry.id in known:
            return _out(one, "the session was told it already", measure)
        if one.entry.id in said:
            level, section = said[one.entry.id]
            tokens = measure.unit(Said(one, level))
            return Verdict(one, level, tokens, _why_said(one, level, section, measure))
        summary = next((above for above in one.entry.ancestors if above in said), "")
        if summary:
            return _out(one, f"its summary is said: {summary}", measure)
        if one.entry.id in stands_for:
            return _out(one, f"what it sums up is said: {stands_for[one.entry.id]}", measure)
        tokens = measure.unit(Said(one, "title"))
        return Verdict(one, "out", tokens, _why_out(one, sections, tokens, left))

    return tuple(map(verdict, scored))


def _out(one: Scored, why: str, measure: Measure) -> Verdict:
    return Verdict(one, "out", measure.unit(Said(one, "title")), f"out: {why}")


_Said = dict[str, tuple["Level", "Section"]]
"""Level and section of what is said, by id."""


def _why_said(one: Scored, level: Level, section: Section, measure: Measure) -> str:
    if section.name == "tail":
        return "the session's last turns: whole, in their order"
    if level == "full":
        return "hard tier: always whole" if one.entry.tier == "hard" else "whole: it fits"
    whole = measure.unit(Said(one, "full"))
    said = "key lines only" if level == "key" else "title only"
    return (
        f"{said}: whole it costs {whole:,} tokens; "
        f"{section.name} used {section.used:,}, planned {section.budget:,}"
    )


def _why_out(one: Scored, sections: Mapping[SectionName, Section], tokens: int, left: int) -> str:
    status = one.entry.status
    if status in ("done", "skipped"):
        return f"out: the task is {status}"
    if status == "superseded":
        return "out: superseded"
    if one.entry.section not in sections:
        return "out: the hard tier fills the packet"
    return f"out: even its title costs {tokens:,} tokens, {max(left, 0):,} were left"

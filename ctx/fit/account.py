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
    return tuple(
        _known(one, measure)
        if one.entry.id in known
        else _verdict(one, said, sections, left, measure)
        for one in scored
    )


def _known(one: Scored, measure: Measure) -> Verdict:
    tokens = measure.unit(Said(one, "title"))
    return Verdict(one, "out", tokens, "out: the session was told it already")


_Said = dict[str, tuple["Level", "Section"]]
"""Level and section of what is said, by id."""


def _verdict(
    one: Scored,
    said: _Said,
    sections: Mapping[SectionName, Section],
    left: int,
    measure: Measure,
) -> Verdict:
    if one.entry.id not in said:
        tokens = measure.unit(Said(one, "title"))
        return Verdict(one, "out", tokens, _why_out(one, sections, tokens, left))
    level, section = said[one.entry.id]
    tokens = measure.unit(Said(one, level))
    return Verdict(one, level, tokens, _why_said(one, level, section, measure))


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

"""A packet as JSON: one object, one string a line, so that its cost is the sum of its lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ctx.render import layout
from ctx.text.levels import body_at, dated_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.model import Entry, Request, Said, Section, SectionName, Selection

KEYS: dict[SectionName, str] = {
    "rules": "constitution",
    "conventions": "conventions",
    "decisions": "decisions",
    "learnings": "learnings",
    "tasks": "tasks",
}
"""The name of each section in the object."""
OPTIONAL: dict[SectionName, str] = {
    "lore": "lore",
    "elevated": "elevated_guidance",
    "turns": "earlier_turns",
    "tail": "recent_turns",
}
"""Sections that are in the object only where they say something: not every directory has them."""


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _line(text: str) -> str:
    return f"{_string(text)},\n"


STATES_COST = True
NOTED_HEADING = "[\n\n]\n"  # the array of summaries


def heading(section: SectionName) -> str:
    """Return what an array takes that is not empty, and its key where that can be missing."""
    key = OPTIONAL.get(section)
    return f'"{key}": [\n\n],\n' if key else "[\n\n]\n"


def noted_frame(section: SectionName) -> tuple[str, str]:  # noqa: ARG001 - as above
    """Return nothing: titles stand in arrays."""
    return "", ""


def group_heading(entry: Entry) -> str:  # noqa: ARG001 - as above
    """Return nothing: an array has no headings."""
    return ""


def run_frame(entry: Entry) -> tuple[str, str]:  # noqa: ARG001 - as above
    """Return nothing: an introduction is said with each of its items."""
    return "", ""


def unit(said: Said) -> str:
    """Return one entry at its level, as a line of an array."""
    return f"{_value(said)},\n"


def _value(said: Said) -> str:
    """Return what an array holds: a text, and for turns who said what, and when."""
    entry = said.entry
    if entry.kind not in ("turn", "summary") or said.level == "title":
        return _string(_text(said))
    when = layout.moment(entry.timestamp)
    if entry.kind == "summary":
        summary = {"summary": layout.name_of(entry), "turns": entry.covers}
        when_said = {"ts": when} if when else {}
        return json.dumps({**summary, **when_said, "text": body_at(said)}, ensure_ascii=False)
    turn = {"speaker": entry.speaker, **({"ts": when} if when else {}), "text": body_at(said)}
    return json.dumps(turn, ensure_ascii=False)


def _text(said: Said) -> str:
    entry = said.entry
    if said.level == "title":
        return dated_title(entry)
    body = body_at(said)
    if entry.section in layout.WITHOUT_GROUPS:
        return f"{dated_title(entry)}\n\n{body}".rstrip()
    return f"{entry.lead}\n{body}" if entry.lead else body


def unsaid(count: int, places: str) -> str:
    """Return the line that counts what is left out."""
    return _line(layout.unsaid_line(count, places))


def document(request: Request, selection: Selection, tokens: int) -> str:
    """Return the whole packet; ``tokens`` is what it says of its own cost."""
    lines = [
        f'"budget": {request.budget}',
        f'"tokenizer": {_string(request.tokenizer.replace(chr(92), "/").rpartition("/")[2])}',
        f'"degraded": {"true" if selection.degraded else "false"}',
        _array("read_order", _names(selection)),
    ]
    lines += _sections(request, selection, layout.LASTING)
    lines.append(_array("summaries", _summaries(request, selection)))
    lines += _sections(request, selection, layout.PASSING)
    lines.append(f'"instruction": {_string(layout.INSTRUCTION)}')
    lines.append(_array("warnings", _warnings(selection)))
    lines += _figures(selection)
    lines.append(f'"tokens_used": {tokens}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _sections(
    request: Request, selection: Selection, names: Sequence[SectionName]
) -> Iterator[str]:
    """Yield the members of ``names`` in their order; some are left out where they are empty."""
    sections = {one.name: one for one in layout.in_order(request, selection, names)}
    for name in names:
        said = list(_said(sections.get(name)))
        if name in KEYS:
            yield _array(KEYS[name], said)
        elif said:
            yield _array(OPTIONAL[name], said)


def _figures(selection: Selection) -> Iterator[str]:
    """Yield the members that only some packets have."""
    if selection.news:
        gone = [one._asdict() for one in selection.gone]
        told = {"gone": gone, "unnamed": selection.unnamed, "forget": selection.forget}
        yield f'"delta": {json.dumps(told, ensure_ascii=False)}'
    if selection.overshoot:
        yield f'"overshoot": {_string(selection.overshoot)}'
    if selection.policy:
        policy = {**selection.policy._asdict(), "unnamed": selection.unpinned}
        yield f'"kv_policy": {json.dumps(policy, ensure_ascii=False)}'
    if selection.metrics:
        figures = selection.metrics._asdict()
        del figures["planner_ms"]  # it would make every packet another one
        figures["top3"] = [{"id": id_, "score": score} for id_, score in figures["top3"]]
        yield f'"metrics": {json.dumps(figures, ensure_ascii=False)}'


def _array(key: str, values: Iterable[str]) -> str:
    """Return a member of the object; ``values`` are JSON."""
    inside = ",\n".join(values)
    return f'"{key}": [\n{inside}\n]' if inside else f'"{key}": []'


def _names(selection: Selection) -> Iterator[str]:
    yield from map(_string, selection.read_order)
    if selection.read_more:
        yield _string(f"… and {selection.read_more} more")


def _said(section: Section | None) -> Iterator[str]:
    if section is None:
        return
    for leads in layout.grouped(section.said).values():
        for said in leads.values():
            yield from map(_value, said)
    if section.name == "tasks":
        yield from map(_value, section.noted)


def _summaries(request: Request, selection: Selection) -> Iterator[str]:
    for section in layout.in_order(request, selection, (*layout.LASTING, *layout.PASSING)):
        if section.name != "tasks":
            yield from map(_value, section.noted)
        if section.unsaid:
            yield _string(layout.unsaid_line(section.unsaid, section.places))


def _warnings(selection: Selection) -> Iterator[str]:
    if selection.degraded:
        yield _string(f"degraded: {selection.degraded}")
    yield from map(_string, selection.warnings)

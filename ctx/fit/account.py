"""What became of every entry, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.fit.offer import anything
from ctx.model import BY_WORTH, Said, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctx.model import Entry, Level, Measure, Request, Scored, Section, SectionName, Selection


CLOSED = {
    "done": "the task is done",
    "skipped": "the task is skipped",
    "superseded": "superseded",
}
"""Why an entry of such a status is out."""
_FAR = 1.25
"""Times its plan from which on a section has more than it: below it is the plan, and rounding."""


class Asked(NamedTuple):
    """What a packet was asked for, as far as it takes entries out of it."""

    request: Request
    told: Selection
    """What is said in the end: where only news is, less than what was planned."""
    sayable: Callable[[Entry], bool] = anything
    """Whether an entry may be said as far as the agent's window is full."""


def account(
    scored: Iterable[Scored], plan: Selection, asked: Asked, measure: Measure
) -> tuple[Verdict, ...]:
    """Return a verdict on each of ``scored``, of which ``plan`` says some."""
    return tuple(map(_Account(plan, asked, measure).verdict, scored))


class _Account:
    """Knows what was said where, and what was left."""

    def __init__(self, plan: Selection, asked: Asked, measure: Measure) -> None:
        self._asked = asked
        self._measure = measure
        self._left = max(0, asked.request.budget - measure.whole(plan))
        self._sections = {section.name: section for section in plan.sections}
        self._said: dict[str, tuple[Level, Section]] = {
            one.entry.id: (one.level, section)
            for section in plan.sections
            for one in (*section.said, *section.noted)
        }
        told = {
            one.entry.id
            for section in asked.told.sections
            for one in (*section.said, *section.noted)
        }
        self._known = self._said.keys() - told
        entries = [
            one.entry for section in plan.sections for one in (*section.said, *section.noted)
        ]
        self._stands_for = {above: entry.id for entry in entries for above in entry.ancestors}

    def verdict(self, one: Scored) -> Verdict:
        """Return what became of an entry."""
        id_, measure = one.entry.id, self._measure
        if id_ in self._said and id_ not in self._known:
            level, section = self._said[id_]
            tokens = measure.unit(Said(one, level))
            return Verdict(one, level, tokens, self._why_said(one, level, section))
        tokens = measure.unit(Said(one, "title"))
        return Verdict(one, "out", tokens, f"out: {self._why_out(one, tokens)}")

    def _why_said(self, one: Scored, level: Level, section: Section) -> str:
        if section.name == "tail":
            return "the session's last turns: whole, in their order"
        if level == "full":
            return "hard tier: always whole" if one.entry.tier == "hard" else "whole: it fits"
        whole = self._measure.unit(Said(one, "full"))
        said = "key lines only" if level == "key" else "title only"
        return f"{said}: {_had(section)}; whole it costs {whole:,}, with {self._left:,} left"

    def _why_out(self, one: Scored, tokens: int) -> str:
        entry = one.entry
        refused = self._refused(one)
        if refused:
            return refused
        if "tasks" not in self._sections:  # which every packet has that has room for anything
            return "the hard tier fills the packet"
        section = self._sections.get(_place(entry))
        had = f"; {_had(section)}" if section else ""
        return f"even its title costs {tokens:,} tokens, with {self._left:,} left{had}"

    def _refused(self, one: Scored) -> str:
        """Return why an entry is out that has room, or needs none; empty where it is for want."""
        entry, request = one.entry, self._asked.request
        if entry.id in self._known:
            return "the session was told it already"
        summary = next((above for above in entry.ancestors if above in self._said), "")
        if summary:
            return f"its summary is said: {summary}"
        if entry.id in self._stands_for:
            return f"what it sums up is said: {self._stands_for[entry.id]}"
        if entry.status in CLOSED:
            return CLOSED[entry.status]
        if request.rules_only:
            return "the window has room for the rules alone"
        return self._pressed(entry, request.most_entries)

    def _pressed(self, entry: Entry, most: int | None) -> str:
        """Return what the fullness of the agent's window has to do with it."""
        name = _place(entry)
        if name not in BY_WORTH:
            return ""
        if not self._asked.sayable(entry):
            return "trusted too little for a window that is so full"
        section = self._sections.get(name)
        said = len(section.said) + len(section.noted) if section else 0
        if most is not None and said >= most:
            room = f"room for {most:,} of" if most else "no room for"
            return f"a window that is so full has {room} {name}"
        return ""


def _place(entry: Entry) -> SectionName:
    """Return the section that an entry is offered to: turns that give rules are turns as well."""
    return "turns" if entry.section == "elevated" else entry.section


def _had(section: Section) -> str:
    """Return what a section had; far above its plan that is no part of it, but what others left."""
    name, used, planned = section.name, section.used, section.budget
    if used > _FAR * planned:
        return f"{name} had {used:,} tokens, {planned:,} of them planned"
    return f"{name} had {used:,} of {planned:,} tokens"

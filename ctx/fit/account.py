"""Why each entry is included, included at a lower level, or omitted."""

from collections.abc import Callable, Iterable

from ctx.fit.offer import anything
from ctx.model import (
    BY_WORTH,
    Entry,
    Included,
    Level,
    Measure,
    Request,
    Scored,
    Section,
    SectionName,
    Selection,
    Verdict,
)  # fmt: skip
from ctx.typed import NamedTuple

CLOSED = {"done": "the task is done", "skipped": "the task is skipped", "superseded": "superseded"}
"""Why an entry of such a status is omitted."""
_FAR = 1.25  # a section that uses more than this many times its plan got tokens that others left


class Asked(NamedTuple):
    """What a packet was asked for, as far as it omits entries for it."""

    request: Request
    delivered: Selection  # what is delivered: less than what was planned, where only news is
    may_include: Callable[[Entry], bool] = anything  # whether the window's fullness allows an entry
    is_relevant: Callable[[Entry], bool] = anything  # whether an entry was offered


def account(
    scored: Iterable[Scored], plan: Selection, asked: Asked, measure: Measure
) -> tuple[Verdict, ...]:
    """Return a verdict on each of ``scored``, of which ``plan`` includes some."""
    return tuple(map(_Account(plan, asked, measure).verdict, scored))


class _Account:
    def __init__(self, plan: Selection, asked: Asked, measure: Measure) -> None:
        self._asked = asked
        self._measure = measure
        self._left = max(0, asked.request.budget - measure.whole(plan))
        self._next = plan.next_id
        self._sections = {section.name: section for section in plan.sections}
        self._included: dict[str, tuple[Level, Section]] = {
            included.entry.id: (included.level, section)
            for section in plan.sections
            for included in section.entries
        }
        delivered = {included.entry.id for included in asked.delivered.entries}
        self._known = self._included.keys() - delivered
        self._summarised = {
            above: included.entry.id
            for included in plan.entries
            for above in included.entry.ancestors
        }

    def verdict(self, scored: Scored) -> Verdict:
        id_, measure = scored.entry.id, self._measure
        if id_ in self._included and id_ not in self._known:
            level, section = self._included[id_]
            tokens = measure.unit(Included(scored, level))
            return Verdict(scored, level, tokens, self._why_included(scored, level, section))
        tokens = measure.unit(Included(scored, "title"))
        why = self._refused(scored.entry) or self._no_room(scored.entry, tokens)
        return Verdict(scored, "out", tokens, f"omitted: {why}")

    def _why_included(self, scored: Scored, level: Level, section: Section) -> str:
        if section.name == "tail":
            return "the session's last turns: full, in their order"
        if level == "full":
            return "required rule: always full" if scored.entry.tier == "hard" else "full: it fits"
        whole = self._measure.unit(Included(scored, "full"))
        how = "key lines only" if level == "key" else "title only"
        more = self._before(scored.entry, whole - self._measure.unit(Included(scored, level)))
        return f"{how}: {_had(section)}; in full it costs {whole:,}, with {self._left:,} left{more}"

    def _no_room(self, entry: Entry, tokens: int) -> str:
        if entry.section == "rules" and self._asked.request.settings.rules == "pointed":
            return "the files of rules are named instead"
        if entry.section == "rules":
            return "the rules alone are over budget: prohibitions come first, then commands"
        if "tasks" not in self._sections:  # which every packet has that has room for anything
            return "the required rules fill the packet"
        section = self._sections.get(_place(entry))
        had = f"; {_had(section)}" if section else ""
        before = self._before(entry, tokens)
        even = "" if before else "even "
        return f"{even}its title costs {tokens:,} tokens, with {self._left:,} left{before}{had}"

    def _before(self, entry: Entry, tokens: int) -> str:
        """Return which entry comes before one that ``tokens`` more would include."""
        if tokens > self._left or self._next in ("", entry.id):
            return ""
        return f" for {self._next}, which comes first and needs more"

    def _refused(self, entry: Entry) -> str:
        """Return why an entry is omitted for another reason than room; empty without one."""
        request = self._asked.request
        if entry.id in self._known:
            return "the session has received it already"
        if summary := next((above for above in entry.ancestors if above in self._included), ""):
            return f"its summary is included: {summary}"
        if entry.id in self._summarised:
            return f"what it covers is included: {self._summarised[entry.id]}"
        if entry.status in CLOSED or request.rules_only:
            return CLOSED.get(entry.status, "the window has room for the rules alone")
        name = _place(entry)
        pressed = self._under_pressure(entry, name) if name in BY_WORTH else ""
        if pressed or self._asked.is_relevant(entry):
            return pressed
        return "not relevant to the query"

    def _under_pressure(self, entry: Entry, name: SectionName) -> str:
        """Return why the fullness of the agent's window omits an entry; empty if it does not."""
        most = self._asked.request.most_entries
        if not self._asked.may_include(entry):
            return "trusted too little for a window that is so full"
        section = self._sections.get(name)
        if most is not None and (len(section.entries) if section else 0) >= most:
            room = f"room for {most:,} of" if most else "no room for"
            return f"a window that is so full has {room} {name}"
        return ""


def _place(entry: Entry) -> SectionName:
    """Return the section that an entry is offered to: turns that give rules are turns as well."""
    return "turns" if entry.section == "elevated" else entry.section


def _had(section: Section) -> str:
    """Return what a section had of its plan, and what others left where it used far more."""
    name, used, planned = section.name, section.used, section.budget
    if used > _FAR * planned:
        return f"{name} had {used:,} tokens, {planned:,} of them planned"
    return f"{name} had {used:,} of {planned:,} tokens"

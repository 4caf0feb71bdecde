"""Formats of packets, one a file, and the cost in tokens of each piece of a packet."""

from functools import cache
from importlib import import_module

from ctx.errors import UsageError
from ctx.model import Counter, Entry, Included, Level, Request, SectionName, Selection
from ctx.text.levels import key_lines
from ctx.typed import Protocol

FORMATS = {"md": "markdown", "json": "packet_json"}  # names for ``--format``, and their modules
_TRIES = 4
_FLOORS = {("heuristic", "md"): 1.0, ("heuristic", "json"): 0.75}
"""Least tokens of a title in a packet, by token that the heuristic counts in it alone.
Markdown shows the title as it is, JSON escapes it."""
_EXACT_FLOOR = 0.5  # for exact counters, half but in scripts that vocabularies pack densely
_UNSURE = {"heuristic": 1.25}  # most tokens of a line by token counted: a file's name may be dearer
_BODY_FLOOR = 0.7  # least tokens of a body for each four characters: prose has about one


class Form(Protocol):
    """The functions of a format: the whole packet, and its pieces, which are counted one by one."""

    TITLES_HEADING: str  # the heading over all lists of titles
    STATES_COST: bool  # whether the packet names its own cost

    def document(self, request: Request, selection: Selection, tokens: int) -> str:
        """Return the whole packet; ``tokens`` is the cost that it may state."""

    def heading(self, section: SectionName) -> str:
        """Return a section's heading."""

    def around_titles(self, section: SectionName) -> tuple[str, str]:
        """Return the texts above and below a section's list of titles."""

    def group_heading(self, entry: Entry) -> str:
        """Return the heading over an entry's group."""

    def around_run(self, entry: Entry) -> tuple[str, str]:
        """Return the texts above and below entries that share an introduction."""

    def unit(self, included: Included) -> str:
        """Return one entry at its level."""

    def omitted(self, section: SectionName, count: int, places: str) -> str:
        """Return the line that counts the omitted entries."""


def form(name: str) -> Form:
    """Return the format called ``name``; UsageError where there is none."""
    if name not in FORMATS:
        raise UsageError(f"--format: there is no format {name!r}", f"one of {', '.join(FORMATS)}")
    module: Form = import_module(f"ctx.render.{FORMATS[name]}")
    return module


class Costs:
    """Counts the tokens of pieces of a packet, in the format of the request."""

    def __init__(self, request: Request, counter: Counter) -> None:
        self._request = request
        self._form = form(request.format)
        self._count = counter.count
        self._floor = _FLOORS.get((counter.name, request.format), _EXACT_FLOOR)
        self._unsure = _UNSURE.get(counter.name, 1.0)
        self._date = counter.count("- [2026-01-01] x\n") - counter.count("x\n") - 1
        self._id = counter.count("x (123456789)\n") - counter.count("x\n") - 1
        self._units: dict[tuple[str, Level], int] = {}
        self._overhead = cache(counter.count)

    def whole(self, selection: Selection) -> int:
        """Return the tokens of the whole packet as rendered."""
        return self.text(selection)[1]

    def text(self, selection: Selection) -> tuple[str, int]:
        """Return the rendered packet and its tokens, which it may state: never too few."""
        stated = self._request.budget
        text, tokens = self._stating(selection, stated)
        if selection.least and tokens * self._unsure > max(stated, self._request.rules_budget):
            return "", 0
        for _ in range(_TRIES):
            if tokens == stated or not self._form.STATES_COST:
                return text, tokens
            stated = tokens
            text, tokens = self._stating(selection, stated)
        return self._stating(selection, max(stated, tokens))

    def _stating(self, selection: Selection, stated: int) -> tuple[str, int]:
        text = self._form.document(self._request, selection, stated)
        return text, self._count(text)

    def unit(self, included: Included) -> int:
        """Return the tokens of one entry at its level."""
        key = (included.entry.id, included.level)
        if key not in self._units:
            self._units[key] = self._count(self._form.unit(included))
        return self._units[key]

    def least(self, included: Included) -> int:
        """Return a lower bound of ``unit``, from the estimates of the entry."""
        entry = included.entry
        if included.level == "full":
            # Labels and finished parts of a task are not included.
            return 0 if entry.kind == "task" else int(entry.size * _BODY_FLOOR)
        date = self._date if entry.timestamp else 0
        return int((entry.title_size + date + self._id) * self._floor)

    def has(self, included: Included) -> bool:
        """Return whether the entry has any text at that level."""
        return included.level != "key" or bool(key_lines(included.entry))

    def heading(self, section: SectionName) -> int:
        """Return the tokens of a section's heading."""
        return self._overhead(self._form.heading(section))

    def titles(self, section: SectionName) -> int:
        """Return the tokens above and below a section's list of titles."""
        return self._overhead("".join(self._form.around_titles(section)))

    def titles_heading(self) -> int:
        """Return the tokens of the heading over all lists of titles."""
        return self._overhead(self._form.TITLES_HEADING)

    def group(self, entry: Entry) -> int:
        """Return the tokens of the heading over an entry's group."""
        return self._overhead(self._form.group_heading(entry))

    def run(self, entry: Entry) -> int:
        """Return the tokens above and below entries that share an introduction."""
        return self._overhead("".join(self._form.around_run(entry)))

    def omitted(self, section: SectionName, count: int, places: str) -> int:
        """Return the tokens of the line that counts the omitted entries."""
        return self._overhead(self._form.omitted(section, count, places))

"""The registry of formats, and the cost of each piece of one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from ctx.errors import UsageError
from ctx.text.levels import key_lines

if TYPE_CHECKING:
    from ctx.model import Counter, Entry, Level, Request, Said, SectionName, Selection


FORMATS = {"md": "markdown", "json": "packet_json"}
"""The registry: the name that ``--format`` takes, and the module of this package."""


class Form(Protocol):
    """What every format offers: the whole, and its pieces to be priced one by one."""

    NOTED_HEADING: str
    """The heading over all lists of titles."""
    STATES_COST: bool
    """Whether the packet names its own cost."""

    def document(self, request: Request, selection: Selection, tokens: int) -> str:
        """Return the whole packet; ``tokens`` is what it may say of its own cost."""
        ...

    def heading(self, section: SectionName) -> str:
        """Return a section's heading."""
        ...

    def noted_frame(self, section: SectionName) -> tuple[str, str]:
        """Return what stands above and below a section's list of titles."""
        ...

    def group_heading(self, entry: Entry) -> str:
        """Return the heading over an entry's group."""
        ...

    def run_frame(self, entry: Entry) -> tuple[str, str]:
        """Return what stands above and below entries that share an introduction."""
        ...

    def unit(self, said: Said) -> str:
        """Return one entry at its level."""
        ...

    def unsaid(self, count: int, places: str) -> str:
        """Return the line that counts what is left out."""
        ...


def form(name: str) -> Form:
    """Return the format called ``name``; UsageError where there is none."""
    if name not in FORMATS:
        raise UsageError(f"--format: there is no format {name!r}", f"one of {', '.join(FORMATS)}")
    module: Form = import_module(f"ctx.render.{FORMATS[name]}")
    return module


_TRIES = 4
_SLACK = 12
"""Tokens: brackets and line ends that pieces of JSON share, and what exact counters join."""

_FLOORS = {("heuristic", "md"): 1.0, ("heuristic", "json"): 0.75}
"""Least tokens of a title as said for each token that the heuristic finds in it alone.
Markdown says the title as it is, JSON escapes it."""
_EXACT_FLOOR = 0.5
"""The same for exact counters: the heuristic does not find twice what is there, save in
scripts that vocabularies pack densely, where a candidate may be passed over."""
_BODY_FLOOR = 0.7
"""Least tokens of a body for each four characters: prose has about one."""


class Costs:
    """Prices pieces of a packet in the request's format by the request's counter."""

    def __init__(self, request: Request, counter: Counter) -> None:
        """Price for ``request``, counting with ``counter``."""
        self._request = request
        self._form = form(request.format)
        self._count = counter.count
        self._floor = _FLOORS.get((counter.name, request.format), _EXACT_FLOOR)
        self._date = counter.count("- [2026-01-01] x\n") - counter.count("x\n") - 1
        self._units: dict[tuple[str, Level], int] = {}
        self._frames: dict[str, int] = {}

    def _frame(self, text: str) -> int:
        known = self._frames.get(text)
        if known is None:
            known = self._frames[text] = self._count(text)
        return known

    def whole(self, selection: Selection) -> int:
        """Return the tokens of the whole packet as rendered."""
        return self.text(selection)[1]

    def text(self, selection: Selection) -> tuple[str, int]:
        """Return the rendered packet and its tokens.

        A packet that states its own cost changes it by stating it: the figure is fed back
        until it is true. Should a tokenizer go in circles, the greater figure stands.
        """
        said = self._request.budget
        text, tokens = self._stating(selection, said)
        for _ in range(_TRIES):
            if tokens == said or not self._form.STATES_COST:
                return text, tokens
            said = tokens
            text, tokens = self._stating(selection, said)
        return self._stating(selection, max(said, tokens))

    def slack(self) -> int:
        """Return by how much the sum of the pieces may pass what they add to the whole."""
        return 0 if self._floor == 1 else _SLACK

    def _stating(self, selection: Selection, said: int) -> tuple[str, int]:
        """Return the packet that states ``said`` as its cost, and its true tokens."""
        text = self._form.document(self._request, selection, said)
        return text, self._count(text)

    def unit(self, said: Said) -> int:
        """Return the tokens of one entry at its level."""
        key = (said.entry.id, said.level)
        known = self._units.get(key)
        if known is None:
            known = self._units[key] = self._count(self._form.unit(said))
        return known

    def least(self, said: Said) -> int:
        """Return tokens that ``unit`` would not fall below, from the estimates of the entry."""
        entry = said.entry
        if said.level == "full":
            return int(entry.size * _BODY_FLOOR)
        date = self._date if entry.timestamp else 0
        return int((entry.title_size + date) * self._floor)

    def date(self) -> int:
        """Return the tokens that a bullet and a date add to a title, at least."""
        return self._date

    def longest_title(self, tokens: int) -> int:
        """Return the greatest ``Entry.title_size``, date included, that could cost ``tokens``."""
        return int(tokens / self._floor)

    def says(self, said: Said) -> bool:
        """Return whether the entry has anything of its own to say at that level."""
        return said.level != "key" or bool(key_lines(said.entry))

    def heading(self, section: SectionName) -> int:
        """Return the tokens of a section's heading."""
        return self._frame(self._form.heading(section))

    def noted(self, section: SectionName) -> int:
        """Return the tokens of what frames a section's list of titles."""
        return self._frame("".join(self._form.noted_frame(section)))

    def noted_heading(self) -> int:
        """Return the tokens of the heading over all lists of titles."""
        return self._frame(self._form.NOTED_HEADING)

    def group(self, entry: Entry) -> int:
        """Return the tokens of the heading over an entry's group."""
        return self._frame(self._form.group_heading(entry))

    def run(self, entry: Entry) -> int:
        """Return the tokens of what frames the entries that share an introduction."""
        return self._frame("".join(self._form.run_frame(entry)))

    def unsaid(self, count: int, places: str) -> int:
        """Return the tokens of the line that counts what is left out."""
        return self._frame(self._form.unsaid(count, places))

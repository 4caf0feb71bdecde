"""The registry of formats, and what every one of them offers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from ctx.errors import UsageError

if TYPE_CHECKING:
    from ctx.model import Entry, Request, Said, SectionName, Selection

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

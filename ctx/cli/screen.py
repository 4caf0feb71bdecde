"""A terminal that commands draw on. This module imports rich: ``terminal.screen_of`` opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from rich.table import Table

Part = str | tuple[str, str]  # a text as it is, without markup, or a text and its style


class Screen(Console):
    """Standard output of somebody who looks at it."""

    def __init__(self) -> None:
        super().__init__(highlight=False)

    @staticmethod
    def text(*parts: Part, style: str = "") -> Text:
        """Return what a line or a cell of a table holds; ``style`` is that of the whole."""
        return Text.assemble(*parts, style=style)

    def draw(self, *parts: Part, wrap: bool = True, cut: bool = False) -> None:
        """Draw a line, wrapped at words or by the terminal, or ``cut`` with “…” at its edge."""
        text = self.text(*parts)
        if cut:
            self.print(text, no_wrap=True, overflow="ellipsis")
        else:
            self.print(text, soft_wrap=not wrap)

    def table(self, *, header: bool = True) -> Table:
        """Return a table without borders, which ``print`` draws."""
        from rich.table import Table  # which not every drawing has

        return Table(box=None, show_header=header, pad_edge=False)

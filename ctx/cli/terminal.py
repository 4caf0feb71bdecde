"""What a person at a terminal is shown, and a pipe is not: drawings, and how far work is.

rich is imported where something is drawn.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ctx.streams import write_json, write_lines
from ctx.world import World

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

Part = str | tuple[str, str]  # a text as it is, without markup, or a text and its style


class Screen:
    """Standard output of somebody who looks at it."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(highlight=False)
        self.print = self._console.print
        self.width = self._console.width

    @staticmethod
    def text(*parts: Part, style: str = "") -> "Text":
        """Return what a line or a cell of a table holds; ``style`` is that of the whole."""
        from rich.text import Text

        return Text.assemble(*parts, style=style)

    def draw(self, *parts: Part, wrap: bool = True, cut: bool = False) -> None:
        """Draw a line, wrapped at words or by the terminal, or ``cut`` with “…” at its edge."""
        text = self.text(*parts)
        if cut:
            self.print(text, no_wrap=True, overflow="ellipsis")
        else:
            self.print(text, soft_wrap=not wrap)

    @staticmethod
    def table(*, header: bool = True) -> "Table":
        """Return a table without borders, which ``print`` draws."""
        from rich.table import Table

        return Table(box=None, show_header=header, pad_edge=False)


def screen_of(world: World) -> Screen | None:
    """Return what draws on standard output; None where lines are to be written."""
    return Screen() if world.draws() else None


def write_answer(
    value: object, lines: Iterable[str], *, as_json: bool, ascii_only: bool = False
) -> None:
    """Write what a command has found or done: ``value`` as JSON, else its ``lines``."""
    if as_json:
        write_json(value, ascii_only=ascii_only)
    else:
        write_lines(lines)


@contextmanager
def progress(
    name: str, size: int, world: World, *, counts: str = "bytes"
) -> Iterator[Callable[[int], None] | None]:
    """Show how far work on ``size`` things is, where standard error can be drawn on.

    Yields what takes how many are done; None where nothing is shown. ``counts`` names what they
    are. A size of 0 is one that nobody knows.
    """
    err = sys.stderr
    if err is None or not err.isatty() or world.environ.get("TERM") == "dumb":
        yield None
        return
    from rich import progress as bars
    from rich.console import Console

    columns = (
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.DownloadColumn() if counts == "bytes" else bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with bars.Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(name, total=size or None)
        yield lambda at: bar.update(task, completed=at)

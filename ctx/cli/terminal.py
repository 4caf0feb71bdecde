"""What a person at a terminal is shown, and a pipe is not: drawings, and how far work is."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ctx.cli.screen import Screen
    from ctx.world import World


def screen_of(world: World) -> Screen | None:
    """Return what draws on standard output; None where lines are to be written."""
    if not world.draws():
        return None
    from ctx.cli.screen import Screen  # rich

    return Screen()


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
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn() if counts == "bytes" else MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    with bar:
        task = bar.add_task(name, total=size or None)
        yield lambda at: bar.update(task, completed=at)

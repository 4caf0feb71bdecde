"""The blocks that entries are found in."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Item(NamedTuple):
    """A list item with everything that belongs to it."""

    start: int
    """First line, counted from 0 within the chunk."""
    end: int
    """One past the last line."""
    lists: "tuple[tuple[Item, ...], ...]"
    """The lists nested directly inside, each with its items."""


class Block(NamedTuple):
    """A top-level block of a chunk."""

    kind: str
    """``heading``, ``list``, ``paragraph``, ``quote``, ``rule`` (a divider), ``comment``,
    ``code`` or ``other``."""
    start: int
    """First line, counted from 0 within the chunk."""
    end: int
    """One past the last line."""
    level: int = 0
    """Heading level 1 to 6; 0 for other blocks."""
    text: str = ""
    """A heading's text; empty for other blocks."""
    items: tuple[Item, ...] = ()
    """A list's items."""


def by_heading(found: Iterable[Block]) -> Iterator[list[Block]]:
    """Yield the blocks from each heading to the next; first what stands before any heading.

    A chunk starts with a heading, and may hold more of them where no cut was certain.
    """
    run: list[Block] = []
    for block in found:
        if block.kind == "heading":
            yield run
            run = []
        run.append(block)
    yield run


def group_of(run: list[Block]) -> str:
    """Return the text of the heading that a run starts with; empty where it has none."""
    return run[0].text if run and run[0].kind == "heading" else ""

"""The blocks that entries are found in."""

from collections.abc import Iterable, Iterator, Sequence

from ctx.typed import NamedTuple


class Item(NamedTuple):
    """A list item with everything that belongs to it."""

    start: int  # first line, counted from 0 within the chunk
    end: int  # one past the last line
    lists: "tuple[tuple[Item, ...], ...]"  # the lists nested directly inside, each with its items


class Block(NamedTuple):
    """A top-level block of a chunk."""

    kind: str  # heading, list, paragraph, quote, divider, comment, code, table or html
    start: int  # first line, counted from 0 within the chunk
    end: int  # one past the last line
    level: int = 0  # heading level 1 to 6; 0 for other blocks
    text: str = ""  # a heading's text; empty for other blocks
    items: tuple[Item, ...] = ()  # a list's items


def by_heading(found: Iterable[Block]) -> Iterator[list[Block]]:
    """Yield the blocks before any heading, then those from each heading to the next."""
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


def text_of(lines: Sequence[str], block: Block) -> str:
    """Return a block's lines unchanged."""
    return "\n".join(lines[block.start : block.end])


def last_line(lines: Sequence[str], block: Block) -> int:
    """Return the last line of a block that is not blank: a list's span may end in blank lines."""
    last = block.end - 1
    while last > block.start and not lines[last].strip():
        last -= 1
    return last


def introduces(lines: Sequence[str], found: Sequence[Block], index: int) -> bool:
    """Return whether the block at ``index`` is a paragraph that leads into the list after it."""
    block = found[index]
    if block.kind != "paragraph" or index + 1 >= len(found) or found[index + 1].kind != "list":
        return False
    # Without a blank line between them the list continues the sentence.
    joined = block.end == found[index + 1].start
    return joined or text_of(lines, block).rstrip(" *_\n").endswith((":", "："))


def introduction(lines: Sequence[str], found: Sequence[Block], index: int) -> str:
    """Return the paragraph that leads into the list at ``index``; empty where none does."""
    if index == 0 or not introduces(lines, found, index - 1):
        return ""
    return text_of(lines, found[index - 1]).strip()

"""Where a new item of a list may stand: tasks under their phase, conventions and rules on top."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctx.read import frontmatter
from ctx.read.files import decode
from ctx.read.markdown.block import Block, by_heading, group_of
from ctx.read.markdown.blocks import blocks, chunks, normalise, shorten_lines

_BULLET = re.compile(r"([-*+])[ \t]")


class Point(NamedTuple):
    """A place for lines between those of a file."""

    at: int
    """The line, counted from 0, that comes to stand behind."""
    before: bool
    """Whether a blank line belongs before."""
    after: bool
    """Whether a blank line belongs behind."""
    bullet: str = "-"
    """How items are marked there."""


class Outline:
    """A file's headings, and what stands below each."""

    def __init__(self, name: str, data: bytes) -> None:
        """Take the bytes of the file ``name``."""
        text = frontmatter.split(shorten_lines(normalise(decode(name, data)[0]))[0]).text
        self._stem = name.rpartition(".")[0].casefold()
        self._lines = text.split("\n")
        if self._lines[-1] == "":
            self._lines.pop()
        found = [
            block._replace(start=block.start + chunk.start, end=block.end + chunk.start)
            for chunk in chunks(text)
            for block in blocks(chunk.text)
        ]
        self._runs = [run for run in by_heading(found) if run]

    @property
    def headings(self) -> list[str]:
        """The texts of all headings, in their order."""
        return [name for name in map(_name, self._runs) if name]

    def under(self, heading: str) -> list[Block]:
        """Return what stands under ``heading``, that included, up to the next one."""
        return next(run for run in self._runs if _name(run) == heading)

    def holding(self, line: int) -> list[Block]:
        """Return the heading and what stands under it, of which ``line``, from 0, is a part."""
        below = [run for run in self._runs if run[0].start <= line]
        return below[-1] if below else []

    def top(self) -> list[Block]:
        """Return what stands above all groups: under the title of the file, or no heading."""
        titles = [run for run in self._runs if run[0].kind == "heading" and run[0].level == 1]
        first = self._runs[0] if self._runs else []
        ahead = [run for run in self._runs[:2] if run in titles[:1]]
        if ahead and (len(titles) == 1 or _name(ahead[0]).casefold() == self._stem):
            return ahead[0]
        return first if first and first[0].kind != "heading" else []

    def points(self, run: Sequence[Block], lines: Sequence[int]) -> Iterator[Point]:
        """Yield where an item may stand in ``run``, the best place first.

        Before lists with entries on one of the ``lines``; whoever asks sees whether words lead
        into a list, and so into the item. Then at the end, and right behind the heading, with its
        comments or before them. Last comes the end of the file.
        """
        for block in run:
            if block.kind == "list" and any(block.start <= line < block.end for line in lines):
                yield self._before(block)
        if run:
            yield self._apart(self._last_line(run[-1]) + 1)
            lead = next(
                (n for n, block in enumerate(run) if block.kind not in ("heading", "comment")),
                len(run),
            )
            yield self._apart(self._last_line(run[lead - 1]) + 1 if lead else run[0].start)
            if run[0].kind == "heading":  # a comment may be about what stands behind it
                yield self._apart(self._last_line(run[0]) + 1)
        else:
            yield self._apart(self._runs[0][0].start if self._runs else len(self._lines))
        yield self.end()

    def end(self) -> Point:
        """Return the end of the file."""
        return self._apart(len(self._lines))

    def _before(self, block: Block) -> Point:
        bullet = _BULLET.match(self._lines[block.start].lstrip())
        loose = False
        if len(block.items) > 1:  # which are counted from elsewhere
            second = block.start + block.items[1].start - block.items[0].start
            loose = not self._lines[second - 1].strip()
        above = self._lines[block.start - 1] if block.start else ""
        before = bool(above.strip()) and not above.lstrip().startswith("#")
        return Point(block.start, before, loose, bullet[1] if bullet else "-")

    def _apart(self, at: int) -> Point:
        before = at > 0 and bool(self._lines[at - 1].strip())
        after = at < len(self._lines) and bool(self._lines[at].strip())
        return Point(at, before, after)

    def _last_line(self, block: Block) -> int:
        last = block.end - 1
        while last > block.start and not self._lines[last].strip():
            last -= 1
        return last


def _name(run: Sequence[Block]) -> str:
    return group_of(list(run)).strip()

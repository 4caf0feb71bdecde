"""The lines of closed tasks and of superseded entries in their files."""

from __future__ import annotations

from bisect import bisect_left
from datetime import date
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from ctx.read.markdown.blocks import blocks, chunks
from ctx.text.checkbox import CLOSED, STATUS, check_mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.model import Entry
    from ctx.read.columns import Columns
    from ctx.read.markdown.block import Block

OPEN_PHASE = "open tasks are left in the phase"
OPEN_ITEM = "open tasks are left in the list item"
UNDATED = "no date"

_CUTS = {"task": 6, "decision": 2, "learning": 2}
"""The lowest level of heading that parsers cut a file at, by kind of entry."""


class Passage(NamedTuple):
    """A run of lines that can be archived as a whole."""

    start: int
    """First line, counted from 0."""
    end: int
    """One past the last line."""
    title: str
    """The heading that it starts with, else the task."""
    places: tuple[int, ...]
    """The entries in it, by their place in the file."""
    loose: bool = False
    """Whether it is under no phase, as it has to be in the archive."""
    open: int = 0
    """Check boxes left open among the sub-tasks of its closed tasks."""


class Stay(NamedTuple):
    """Closed tasks, or a superseded entry, that stay in their file."""

    line: int
    """First line, counted from 1, of the heading, the task or the entry."""
    title: str
    entries: int
    why: str


class Closed(NamedTuple):
    """The closed tasks or superseded entries of a file."""

    passages: list[Passage]
    """What can be archived, in the order of the archive."""
    stays: list[Stay]


def of_tasks(text: str, columns: Columns) -> Closed:
    """Return first the closed tasks under no phase, then the closed phases of a task list.

    A phase is a heading below a title or below none, with everything under it, sub-headings
    included. It is archived as a whole when it has tasks and none is open: a part of it would
    lose its context. A heading without a task of its own is no phase; the headings below it are.
    A heading of the first level is a title: the tasks right below it are under no phase.
    """
    tasks = _Tasks(columns)
    loose = _Loose(text.split("\n"), tasks)
    phases = _phases(_headings(text, columns), _count(text), tasks)
    level = 0
    for start, block in _blocks(text, columns.kind):
        level = block.level or level
        if level <= 1:
            loose.look(start, block)
    return Closed(loose.passages + phases.passages, loose.stays + phases.stays)


def first_heading(text: str) -> int:
    """Return the line of the first heading of a task list; the number of lines without one."""
    heads = (start + head.start for start, head in _blocks(text, "task") if head.kind == "heading")
    return next(heads, _count(text))


class _Tasks:
    """The tasks of a file by line."""

    def __init__(self, columns: Columns) -> None:
        entries = [columns.entry(place) for place in range(len(columns))]
        self._entries = sorted((entry.line - 1, entry.place, entry) for entry in entries)
        self._starts = [line for line, _, _ in self._entries]
        closed = (entry.status in CLOSED for _, _, entry in self._entries)
        self._closed = list(accumulate(closed, initial=0))

    def within(self, start: int, end: int) -> list[Entry]:
        """Return the tasks that begin from line ``start`` on and before ``end``."""
        first, last = (bisect_left(self._starts, line) for line in (start, end))
        return [entry for _, _, entry in self._entries[first:last]]

    def closed(self, start: int, end: int) -> tuple[int, int]:
        """Return how many tasks begin there, and how many of them are closed."""
        first, last = (bisect_left(self._starts, line) for line in (start, end))
        return last - first, self._closed[last] - self._closed[first]


def _phases(heads: Sequence[tuple[int, Block]], count: int, tasks: _Tasks) -> Closed:
    found = Closed([], [])
    until = 0
    nexts = [*(line for line, _ in heads[1:]), count][: len(heads)]
    for (start, head), after, end in zip(heads, nexts, _ends(heads, count), strict=True):
        if start < until or head.level == 1:
            continue
        every, closed = tasks.closed(start, end)
        if closed < every and after < end and not tasks.closed(start, after)[0]:
            continue  # the headings below it are phases by themselves
        until = end
        if closed and closed == every:
            found.passages.append(_passage(start, end, head.text, tasks.within(start, end)))
        elif closed:
            found.stays.append(Stay(start + 1, head.text, closed, OPEN_PHASE))
    return found


def _passage(start: int, end: int, title: str, within: Sequence[Entry]) -> Passage:
    places = tuple(entry.place for entry in within)
    return Passage(start, end, title, places, open=sum(map(_open_below, within)))


def _open_below(task: Entry) -> int:
    """Return how many open check boxes are among a task's notes and sub-tasks."""
    if task.body.count("[") < 2:  # noqa: PLR2004 - its own box, and another one
        return 0
    count, in_code = 0, False
    for line in task.body.split("\n")[1:]:
        text = line.strip()
        if text.startswith(("```", "~~~")):
            in_code = not in_code
        mark = None if in_code else check_mark(text)
        count += mark is not None and STATUS[mark] not in CLOSED
    return count


def _ends(heads: Sequence[tuple[int, Block]], count: int) -> list[int]:
    """Return the line at which the section of each heading ends."""
    ends = [count] * len(heads)
    above: list[int] = []
    for number, (line, head) in enumerate(heads):
        while above and heads[above[-1]][1].level >= head.level:
            ends[above.pop()] = line
        above.append(number)
    return ends


class _Loose:
    """Closed tasks under no phase: each is archived by itself, with its notes."""

    def __init__(self, lines: Sequence[str], tasks: _Tasks) -> None:
        self.passages: list[Passage] = []
        self.stays: list[Stay] = []
        self._lines = lines
        self._tasks = tasks
        self._run = 0
        """First line of the latest passages that have no line between them."""

    def look(self, start: int, block: Block) -> None:
        """Take the closed tasks of a block whose chunk begins at ``start``."""
        if block.kind == "list":
            for item in block.items:
                self._take(start + item.start, start + item.end)
        elif block.kind == "paragraph":
            end = start + block.end
            begins = [task.line - 1 for task in self._tasks.within(start + block.start, end)]
            for begin, stop in pairwise([*begins, end]):
                self._take(begin, stop)

    def _take(self, start: int, end: int) -> None:
        within = self._tasks.within(start, end)
        closed = [entry for entry in within if entry.status in CLOSED]
        if not closed:
            return
        if len(closed) < len(within):
            self.stays.append(Stay(closed[0].line, closed[0].title, len(closed), OPEN_ITEM))
            return
        stop = self._without_blanks(start, end)
        passage = _passage(start, stop, within[0].title, within)
        self.passages.append(passage._replace(loose=True))

    def _without_blanks(self, start: int, end: int) -> int:
        """Return where a passage ends: after its blank lines, unless a text is right above it.

        The texts above and below must not become one paragraph.
        """
        while not self._lines[end - 1].strip():
            end -= 1
        if not self.passages or self.passages[-1].end != start:
            self._run = start
        above = self._run - 1
        if above >= 0 and self._lines[above].strip():
            return end
        last = len(self._lines) - 1  # behind the last line's end there is no line
        while end < last and not self._lines[end].strip():
            end += 1
        return end


def of_entries(text: str, columns: Columns, today: date, older_than: int) -> Closed:
    """Return the superseded entries that are more than ``older_than`` days old ``today``.

    Each goes from its heading to the next one that is not part of it.
    """
    found = Closed([], [])
    spans = _spans(text, columns)
    for place in sorted(columns.superseded):
        entry = columns.entry(place)
        age = _age(entry.timestamp, today)
        if age is not None and age > older_than:
            found.passages.append(Passage(*spans[entry.line - 1], entry.title, (place,)))
            continue
        why = UNDATED if age is None else f"not older than {older_than:,} days"
        found.stays.append(Stay(entry.line, entry.title, 1, why))
    return found


def _age(timestamp: str, today: date) -> int | None:
    try:
        return (today - date.fromisoformat(timestamp[:10])).days
    except ValueError:
        return None  # no date, or no day of the calendar


def _spans(text: str, columns: Columns) -> dict[int, tuple[int, int]]:
    """Return the lines of every entry, by its first one."""
    own = {columns.entry(place).line - 1 for place in range(len(columns))}
    heads = [(line, head.level) for line, head in _headings(text, columns)]
    count, spans = _count(text), {}
    for number, (line, level) in enumerate(heads):
        if line in own:
            least = max(level, _CUTS[columns.kind])
            below = (heads[later] for later in range(number + 1, len(heads)))
            ends = (end for end, other in below if other <= least or end in own)
            spans[line] = (line, next(ends, count))
    return spans


def _blocks(text: str, kind: str) -> Iterator[tuple[int, Block]]:
    """Yield the blocks of a file, cut as its parser does, each with the line of its chunk."""
    for chunk in chunks(text, _CUTS[kind]):
        yield from ((chunk.start, block) for block in blocks(chunk.text))


def _headings(text: str, columns: Columns) -> list[tuple[int, Block]]:
    """Return the headings of a file, each with its line."""
    found = _blocks(text, columns.kind)
    return [(start + block.start, block) for start, block in found if block.kind == "heading"]


def _count(text: str) -> int:
    """Return the number of lines; an empty one at the end does not count."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0

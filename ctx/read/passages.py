"""Where closed tasks and entries out of date stand in their files: runs of whole lines."""

from __future__ import annotations

from bisect import bisect_left
from datetime import date
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from ctx.read.checkbox import check_mark
from ctx.read.markdown.blocks import blocks, chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.model import Entry
    from ctx.read.columns import Columns
    from ctx.read.markdown.block import Block

CLOSED = ("done", "skipped")
"""States of a task that nobody works on any more."""
CLOSED_MARKS = ("x", "-")
"""What stands in their check boxes."""
OPEN_PHASE = "open tasks are left in the phase"
OPEN_ITEM = "open tasks are left in the list item"
UNDATED = "no date"

_CUTS = {"task": 6, "decision": 2, "learning": 2}
"""The least heading that parsers cut a file at, by kind of entry."""


class Passage(NamedTuple):
    """A run of lines that belongs together."""

    start: int
    """First line, counted from 0."""
    end: int
    """One past the last line."""
    title: str
    """The heading that it starts with, else the task."""
    places: tuple[int, ...]
    """The entries in it, by their place in the file."""
    loose: bool = False
    """Whether it stands under no phase, as it has to in the archive."""
    open: int = 0
    """Check boxes left open among the sub-tasks of its closed tasks."""


class Stay(NamedTuple):
    """Closed tasks, or an entry out of date, that stay where they are."""

    line: int
    """First line, counted from 1, of the heading, the task or the entry."""
    title: str
    entries: int
    why: str


class Closed(NamedTuple):
    """What is closed in a file."""

    passages: list[Passage]
    """What could go, in the order of the archive."""
    stays: list[Stay]


# --- tasks --------------------------------------------------------------------------------


def of_tasks(text: str, columns: Columns) -> Closed:
    """Return the closed phases of a task list, and closed tasks under no phase, which go first.

    A phase is a heading below a title or below none, with everything under it, sub-headings
    included. It goes as a whole when it holds tasks and no open one: a part of it would lose in
    the archive what it is a part of. A heading that has no task of its own only gathers: the
    headings below it are phases. One of the first level is a title: what stands right below it
    stands under no phase.
    """
    tasks = _Tasks(columns)
    heads, loose = _headings(text, columns), _Loose(text.split("\n"), tasks)
    phases = _phases(heads, _count(text), tasks)
    level = 0
    for start, block in _blocks(text, columns.kind):
        level = block.level or level
        if level <= 1:
            loose.look(start, block)
    return Closed(loose.passages + phases.passages, loose.stays + phases.stays)


def first_heading(text: str) -> int:
    """Return the line of the first heading of a task list; the number of lines without one."""
    found = (start + at.start for start, at in _blocks(text, "task") if at.kind == "heading")
    return next(found, _count(text))


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
            continue  # it only gathers: what stands below it are phases by themselves
        until = end
        if closed and closed == every:
            found.passages.append(_passage(start, end, head.text, tasks.within(start, end)))
        elif closed:
            found.stays.append(Stay(start + 1, head.text, closed, OPEN_PHASE))
    return found


def _passage(start: int, end: int, title: str, within: Sequence[Entry]) -> Passage:
    places = tuple(one.place for one in within)
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
        count += mark is not None and mark not in CLOSED_MARKS
    return count


def _ends(heads: Sequence[tuple[int, Block]], count: int) -> list[int]:
    """Return the line at which what stands below each heading ends."""
    ends = [count] * len(heads)
    above: list[int] = []
    for at, (line, head) in enumerate(heads):
        while above and heads[above[-1]][1].level >= head.level:
            ends[above.pop()] = line
        above.append(at)
    return ends


class _Loose:
    """Closed tasks that stand under no phase: each goes by itself, with its notes."""

    def __init__(self, lines: Sequence[str], tasks: _Tasks) -> None:
        self.passages: list[Passage] = []
        self.stays: list[Stay] = []
        self._lines = lines
        self._tasks = tasks
        self._run = 0
        """Line at which the passages begin that follow each other without a line between."""

    def look(self, start: int, block: Block) -> None:
        """Take what is closed of a block whose chunk begins at ``start``."""
        if block.kind == "list":
            for item in block.items:
                self._take(start + item.start, start + item.end)
        elif block.kind == "paragraph":
            end = start + block.end
            begins = [one.line - 1 for one in self._tasks.within(start + block.start, end)]
            for begin, stop in pairwise([*begins, end]):
                self._take(begin, stop)

    def _take(self, start: int, end: int) -> None:
        within = self._tasks.within(start, end)
        closed = [one for one in within if one.status in CLOSED]
        if not closed:
            return
        if len(closed) < len(within):
            self.stays.append(Stay(closed[0].line, closed[0].title, len(closed), OPEN_ITEM))
            return
        stop = self._without_blanks(start, end)
        passage = _passage(start, stop, within[0].title, within)
        self.passages.append(passage._replace(loose=True))

    def _without_blanks(self, start: int, end: int) -> int:
        """Return where the lines end that go: with blank ones where others are left above.

        What stands above and below must not become one paragraph.
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


# --- entries ------------------------------------------------------------------------------


def of_entries(text: str, columns: Columns, today: date, older_than: int) -> Closed:
    """Return the entries out of date that are more than ``older_than`` days old ``today``.

    Each from its heading to the next one that it does not hold.
    """
    found = Closed([], [])
    spans = _spans(text, columns)
    for place in sorted(columns.gone):
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
        return None  # none, or no day of the calendar


def _spans(text: str, columns: Columns) -> dict[int, tuple[int, int]]:
    """Return the lines of every entry, by its first one."""
    own = {columns.entry(place).line - 1 for place in range(len(columns))}
    heads = [(line, head.level) for line, head in _headings(text, columns)]
    count, spans = _count(text), {}
    for at, (line, level) in enumerate(heads):
        if line in own:
            least = max(level, _CUTS[columns.kind])
            below = (heads[number] for number in range(at + 1, len(heads)))
            ends = (end for end, other in below if other <= least or end in own)
            spans[line] = (line, next(ends, count))
    return spans


# --- lines --------------------------------------------------------------------------------


def _blocks(text: str, kind: str) -> Iterator[tuple[int, Block]]:
    """Yield the blocks of a file, cut as its parser does, each with the line of its chunk."""
    for chunk in chunks(text, _CUTS[kind]):
        yield from ((chunk.start, block) for block in blocks(chunk.text))


def _headings(text: str, columns: Columns) -> list[tuple[int, Block]]:
    """Return the headings of a file, each with its line."""
    found = _blocks(text, columns.kind)
    return [(start + block.start, block) for start, block in found if block.kind == "heading"]


def _count(text: str) -> int:
    """Return the number of lines, an empty one behind the last line's end apart."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0

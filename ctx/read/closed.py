"""What can be archived: closed tasks with their phases, and old superseded entries.

They are found by the parsers that packets are made with. Before a passage is proposed, both the
file without it and the archive with it are parsed: all other entries have to be the same as
before. Otherwise the passage stays in its file.
"""

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

from ctx.model import CachedFile, Entry
from ctx.read import files, frontmatter
from ctx.read.card import parser_of
from ctx.read.columns import Columns, mark_superseded
from ctx.read.directory import KINDS, READERS, paths_of
from ctx.read.files import decode
from ctx.read.markdown.block import Block
from ctx.read.markdown.blocks import blocks, chunks, left_open, normalise, shorten_lines
from ctx.read.record import record
from ctx.text.checkbox import CLOSED, STATUS, check_mark
from ctx.text.names import shown

OPEN_PHASE = "open tasks are left in the phase"
OPEN_ITEM = "open tasks are left in the list item"
UNDATED = "no date"
UNSURE = "something else would be read otherwise"
UNCLOSED = "a code fence, comment or HTML block in it is not closed"
_BOM = b"\xef\xbb\xbf"
_CUTS = {"task": 6, "decision": 2, "learning": 2}  # lowest headings that a file is cut at, by kind


class Passage(NamedTuple):
    """A run of lines that can be archived as a whole."""

    start: int  # first line, counted from 0
    end: int  # one past the last line
    title: str  # the heading that it starts with, else the task
    places: tuple[int, ...]  # the entries in it, by their place in the file
    loose: bool = False  # whether it is under no phase, as it has to be in the archive
    open: int = 0  # check boxes left open among the sub-tasks of its closed tasks


class Stay(NamedTuple):
    """Closed tasks, or a superseded entry, that stay in their file."""

    line: int  # first line, counted from 1, of the heading, the task or the entry
    title: str
    entries: int
    why: str


class Closed(NamedTuple):
    """The closed tasks or old entries of one file."""

    path: str  # relative to the context directory, with forward slashes
    kind: str  # one of ``KINDS``
    data: bytes  # the whole file
    going: tuple[Passage, ...]  # what can be archived, first what is under no heading
    stays: tuple[Stay, ...]  # what is closed and stays, in the order of the file


class Findings(NamedTuple):
    """What can be archived in a context directory."""

    files: tuple[Closed, ...]  # files with something closed in them
    problems: tuple[str, ...]  # files that cannot be read, or appended to, a line each


def closed(
    root: str, limits: files.Limits, archives: Mapping[str, str], today: date, older_than: int
) -> Findings:
    """Return what of ``root`` can go to ``archives``, and what is closed and stays.

    Only what is more than ``older_than`` days old ``today`` can go. Raises OSError.
    """
    problems: list[str] = []
    targets = {
        kind: _archive(root, path, kind, limits, problems) for kind, path in archives.items()
    }
    opened = [
        file
        for path, kind in _paths(root, problems)
        if targets.get(kind) and (file := _opened(root, path, kind, limits, problems))
    ]
    mark_superseded([file.columns for file in opened if file.kind != "tasks"])
    findings: list[Closed] = []
    for dated in (False, True):
        group = [file for file in opened if (file.kind != "tasks") == dated]
        for file in group:
            file.find(today, older_than)
        _try_out(group, targets)
        findings += [
            Closed(file.path, file.kind, file.data, tuple(file.passages), tuple(sorted(file.stays)))
            for file in group
        ]
    return Findings(tuple(file for file in findings if file.going or file.stays), tuple(problems))


def above_phases(archive: bytes) -> int:
    """Return the offset, in bytes, of the first heading of an archive: loose tasks go there."""
    text = frontmatter.split(shorten_lines(normalise(decode("", archive)[0]))[0]).text
    body = archive.removeprefix(_BOM)
    above = body.splitlines(keepends=True)[: _first_heading(text)]
    return len(archive) - len(body) + sum(map(len, above))


def _paths(root: str, problems: list[str]) -> Iterator[tuple[str, str]]:
    names = files.names(root)
    for reader in READERS:
        if reader.kind not in KINDS:
            continue
        try:
            yield from ((path, reader.kind) for path in paths_of(root, reader, names))
        except OSError as error:
            problems.append(f"{reader.folder}/: cannot be read: {error.strerror}")


def _opened(
    root: str, path: str, kind: str, limits: files.Limits, problems: list[str]
) -> "_File | None":
    try:
        files.inspect(root, path, limits)
        return _File(path, kind, files.load(root, path, limits).data)
    except files.RefusedError as refused:
        problems.append(str(refused))
        return None


def _archive(
    root: str, path: str, kind: str, limits: files.Limits, problems: list[str]
) -> "_File | None":
    """Return the archive, an empty one where there is none; None where nothing can be appended."""
    if not os.path.lexists(os.path.join(root, path)):
        return _File(path, kind, b"")
    file = _opened(root, path, kind, limits, problems)
    line = left_open(file.text) if file else None
    if file is None or line is None:
        return file
    problems.append(
        f"{shown(path)}:{line + 1}: a code fence, comment or HTML block that is not closed: "
        f"nothing can be appended; {kind} stay where they are"
    )
    return None


class _File:
    def __init__(self, path: str, kind: str, data: bytes) -> None:
        self.path, self.kind, self.data = path, kind, data
        self.passages: list[Passage] = []
        self.stays: list[Stay] = []
        self._parser = parser_of(kind)
        raw = normalise(decode(path, data)[0])
        self._lines = raw.split("\n")
        self.text = frontmatter.split(shorten_lines(raw)[0]).text
        self.columns = self._columns(record(path, data, self._parser, None))

    def _columns(self, parsed: tuple[CachedFile, bytes]) -> Columns:
        return Columns(shown(self.path), self.path, parsed[0], lambda: parsed[1])

    def find(self, today: date, older_than: int) -> None:
        if self.kind == "tasks":
            self.passages, self.stays = _of_tasks(self.text, self.columns)
        else:
            self.passages, self.stays = _of_entries(self.text, self.columns, today, older_than)
        unclosed = left_open(self.text)
        if unclosed is not None:
            for passage in [*self.passages]:
                if passage.start <= unclosed < passage.end:
                    self.keep(passage, UNCLOSED)

    def keep(self, passage: Passage, why: str) -> None:
        self.passages.remove(passage)
        self.stays.append(Stay(passage.start + 1, passage.title, len(passage.places), why))

    def without(self, going: Sequence[Passage]) -> Columns:
        out = {number for passage in going for number in range(passage.start, passage.end)}
        return self._parsed(line for number, line in enumerate(self._lines) if number not in out)

    def taking(self, loose: Sequence[str], more: Sequence[str]) -> Columns:
        """Return the entries of the file with lines before its first heading and at its end."""
        lines = self._lines[: -1 if self._lines[-1] == "" else None]
        return self._parsed([*lines[: self.top], *loose, *lines[self.top :], *more, ""])

    def _parsed(self, lines: Iterable[str]) -> Columns:
        data = "\n".join(lines).encode("utf-8", "surrogatepass")
        return self._columns(record(self.path, data, self._parser, self.columns))

    @cached_property
    def top(self) -> int:
        return _first_heading(self.text)

    def lines(self, passage: Passage) -> list[str]:
        return self._lines[passage.start : passage.end]


def _of_tasks(text: str, columns: Columns) -> tuple[list[Passage], list[Stay]]:
    """Return first the closed tasks under no phase, then the closed phases, and what stays.

    A phase is a heading below a title or below none, with all under it. It is archived whole when
    it has tasks and none is open: a part would lose its context. A heading without a task of its
    own is no phase; the headings below it are. The tasks right below a title are under no phase.
    """
    tasks = _Tasks(columns)
    loose = _Loose(text.split("\n"), tasks)
    level = 0
    for start, block in _blocks(text, columns.kind):
        level = block.level or level
        if level <= 1:
            loose.look(start, block)
    passages, stays = loose.passages, loose.stays
    heads, count = _headings(text, columns), _count(text)
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
            passages.append(_passage(start, end, head.text, tasks.within(start, end)))
        elif closed:
            stays.append(Stay(start + 1, head.text, closed, OPEN_PHASE))
    return passages, stays


class _Tasks:
    def __init__(self, columns: Columns) -> None:
        entries = [columns.entry(place) for place in range(len(columns))]
        self._entries = sorted(entries, key=lambda entry: (entry.line, entry.place))
        self._starts = [entry.line - 1 for entry in self._entries]
        closed = (entry.status in CLOSED for entry in self._entries)
        self._closed = list(accumulate(closed, initial=0))

    def within(self, start: int, end: int) -> list[Entry]:
        return self._entries[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def closed(self, start: int, end: int) -> tuple[int, int]:
        """Return how many tasks begin there, and how many of them are closed."""
        first, last = (bisect_left(self._starts, line) for line in (start, end))
        return last - first, self._closed[last] - self._closed[first]


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
        self._run = 0  # first line of the latest passages that have no line between them

    def look(self, start: int, block: Block) -> None:
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
        if closed and len(closed) < len(within):
            self.stays.append(Stay(closed[0].line, closed[0].title, len(closed), OPEN_ITEM))
        elif closed:
            stop = self._without_blanks(start, end)
            passage = _passage(start, stop, within[0].title, within)
            self.passages.append(passage._replace(loose=True))

    def _without_blanks(self, start: int, end: int) -> int:
        """Return where a passage ends: behind blank lines, unless this joins the texts around."""
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


def _of_entries(
    text: str, columns: Columns, today: date, older_than: int
) -> tuple[list[Passage], list[Stay]]:
    """Return superseded entries of over ``older_than`` days, up to the next, and what stays."""
    passages: list[Passage] = []
    stays: list[Stay] = []
    spans = _spans(text, columns)
    for place in sorted(columns.superseded):
        entry = columns.entry(place)
        try:
            age = (today - date.fromisoformat(entry.timestamp[:10])).days
        except ValueError:  # no date, or no day of the calendar
            stays.append(Stay(entry.line, entry.title, 1, UNDATED))
            continue
        if age > older_than:
            passages.append(Passage(*spans[entry.line - 1], entry.title, (place,)))
        else:
            why = f"not older than {older_than:,} days"
            stays.append(Stay(entry.line, entry.title, 1, why))
    return passages, stays


def _spans(text: str, columns: Columns) -> dict[int, tuple[int, int]]:
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
    return [
        (start + block.start, block)
        for start, block in _blocks(text, columns.kind)
        if block.kind == "heading"
    ]


def _first_heading(text: str) -> int:
    """Return the line of the first heading of a task list; the number of lines without one."""
    heads = (start + head.start for start, head in _blocks(text, "task") if head.kind == "heading")
    return next(heads, _count(text))


def _count(text: str) -> int:
    """Return the number of lines; an empty one at the end does not count."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _try_out(group: Sequence[_File], archives: Mapping[str, _File | None]) -> None:
    """Keep every passage without which other entries would change: one may supersede another."""
    candidates = [(index, passage) for index, file in enumerate(group) for passage in file.passages]
    before = [_rows(file.columns) for file in group]

    def fits(going: Sequence[int]) -> bool:
        out: list[list[Passage]] = [[] for _ in group]
        for index, passage in (candidates[number] for number in sorted(going)):
            out[index].append(passage)
        taken = list(zip(group, out, strict=True))
        rests = [file.without(passages) for file, passages in taken]
        mark_superseded([rest for rest in rests if rest.kind != "task"])
        return all(map(_is_same_without, group, before, rests, out)) and all(
            _takes(archive, taken) for archive in archives.values() if archive is not None
        )

    going: list[int] = []
    rest = list(range(len(candidates)))
    while rest and (more := set(_some(fits, going, rest))):  # all of them, as a rule
        going += more
        rest = [number for number in rest if number not in more]
    for number in rest:
        index, passage = candidates[number]
        group[index].keep(passage, UNSURE)


def _some(
    fits: Callable[[Sequence[int]], bool], going: Sequence[int], more: Sequence[int]
) -> list[int]:
    """Return those of ``more`` that fit together with ``going``, found by halves."""
    if fits([*going, *more]):
        return list(more)
    if len(more) == 1:
        return []
    half = len(more) // 2
    first = _some(fits, going, more[:half])
    return first + _some(fits, [*going, *first], more[half:])


def _is_same_without(
    file: _File, before: Sequence[tuple[object, ...]], rest: Columns, out: Sequence[Passage]
) -> bool:
    going = {place for passage in out for place in passage.places}
    staying = [row for place, row in enumerate(before) if place not in going]
    return rest.front == file.columns.front and _rows(rest) == staying


def _takes(archive: _File, taken: Sequence[tuple[_File, Sequence[Passage]]]) -> bool:
    """Whether an archive keeps its entries and gets those it takes: loose tasks without phase."""
    every = [(file, each) for file, out in taken if file.kind == archive.kind for each in out]
    if not every:
        return True
    loose = [(file, passage) for file, passage in every if passage.loose]
    others = [(file, passage) for file, passage in every if not passage.loose]
    after = archive.taking(
        *([line for file, each in some for line in file.lines(each)] for some in (loose, others))
    )
    old = archive.columns
    top = sum(old.entry(place).line <= archive.top for place in range(len(old)))
    expected = [
        *(_grouped(old, place) for place in range(top)),
        *(_grouped(file.columns, place, "") for file, each in loose for place in each.places),
        *(_grouped(old, place) for place in range(top, len(old))),
        *(_grouped(file.columns, place) for file, each in others for place in each.places),
    ]
    rows = [_grouped(after, place) for place in range(len(after))]
    return after.front == old.front and rows == expected


def _grouped(columns: Columns, place: int, group: str | None = None) -> tuple[object, ...]:
    """Return an entry's own fields, and the phase of a task: it is the same in an archive."""
    own = _own(columns, place)
    if columns.kind != "task":
        return own
    return (*own, columns.entry(place).group if group is None else group)


def _rows(columns: Columns) -> list[tuple[object, ...]]:
    """Return each entry of a file without its id: ids of duplicates hold a count."""
    return [
        (*_own(columns, place), place in columns.superseded, columns.entry(place).group)
        for place in range(len(columns))
    ]


def _own(columns: Columns, place: int) -> tuple[object, ...]:
    """Return the fields of an entry that do not depend on its file."""
    entry = columns.entry(place)
    status = columns.own_status(place)
    return (
        entry.title, entry.body, entry.timestamp, status, entry.priority, entry.lead,
        entry.supersedes,
    )  # fmt: skip

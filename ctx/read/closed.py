"""What nobody works with any more: closed tasks with their phases, old entries out of date.

What can go is found by the parsers that packets are made with, and tried out before it is
proposed: the file without it and the archive with it have to be read as before. It stays in
place otherwise.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ctx.read import files, frontmatter
from ctx.read.archived import KINDS
from ctx.read.columns import Columns
from ctx.read.directory import NO_ENTRIES, READERS
from ctx.read.files import decode
from ctx.read.markdown.blocks import left_open, normalise, shorten_lines
from ctx.read.parsers import parser_of
from ctx.read.passages import Passage, Stay, first_heading, of_entries, of_tasks
from ctx.read.record import record
from ctx.read.supersession import mark_superseded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from ctx.model import Kept

__all__ = [
    "KINDS",
    "Closed",
    "Findings",
    "Passage",
    "Stay",
    "above_phases",
    "closed",
]

UNSURE = "something else would be read otherwise"
_BOM = b"\xef\xbb\xbf"
UNCLOSED = "a code fence, comment or HTML block in it is not closed"


class Closed(NamedTuple):
    """What is closed in one file."""

    path: str
    """Relative to the context directory, with forward slashes."""
    kind: str
    """One of ``KINDS``."""
    data: bytes
    """The file as it was read."""
    going: tuple[Passage, ...]
    """What can go, in the order of the archive: what stands under no heading comes first."""
    stays: tuple[Stay, ...]
    """What is closed and stays, in the order of the file."""


class Findings(NamedTuple):
    """What is closed in a context directory."""

    files: tuple[Closed, ...]
    """Files in which something is closed."""
    problems: tuple[str, ...]
    """Files that cannot be read, or appended to, a line each."""


def closed(
    root: str, limits: files.Limits, archives: Mapping[str, str], today: date, older_than: int
) -> Findings:
    """Return what can go from the directory ``root``, and what is closed and stays.

    ``archives`` names by kind the file that would take it. Entries go that are more than
    ``older_than`` days old ``today``. Raises OSError where ``root`` cannot be listed.
    """
    problems: list[str] = []
    taking = {kind: _archive(root, path, kind, limits, problems) for kind, path in archives.items()}
    found = [
        file
        for path, kind in _paths(root, problems)
        if taking.get(kind) and (file := _opened(root, path, kind, limits, problems))
    ]
    mark_superseded([file.columns for file in found if file.kind != "tasks"])
    answer: list[Closed] = []
    for dated in (False, True):
        together = [file for file in found if (file.kind != "tasks") == dated]
        for file in together:
            file.judge(today, older_than)
        _try_out(together, taking)
        answer += [file.closed() for file in together]
    return Findings(tuple(one for one in answer if one.going or one.stays), tuple(problems))


def above_phases(archive: bytes) -> int:
    """Return where loose tasks go in an archive of tasks: before its first heading, in bytes."""
    text = frontmatter.split(shorten_lines(normalise(decode("", archive)[0]))[0]).text
    body = archive.removeprefix(_BOM)
    above = body.splitlines(keepends=True)[: first_heading(text)]
    return len(archive) - len(body) + sum(map(len, above))


# --- files --------------------------------------------------------------------------------


def _paths(root: str, problems: list[str]) -> Iterator[tuple[str, str]]:
    """Yield every file that something may be archived of, and its kind."""
    names = files.names(root)
    for reader in READERS:
        if reader.kind not in KINDS:
            continue
        for name in names:
            if name.lower() == reader.name.lower():
                yield name, reader.kind
        try:
            themed = files.names(os.path.join(root, reader.folder)) if reader.folder else []
        except OSError as error:
            problems.append(f"{reader.folder}/: cannot be read: {error.strerror}")
            continue
        for name in themed:
            if name.lower() not in NO_ENTRIES:
                yield f"{reader.folder}/{name}", reader.kind


def _opened(
    root: str, path: str, kind: str, limits: files.Limits, problems: list[str]
) -> _File | None:
    try:
        files.inspect(root, path, limits)
        return _File(path, kind, files.load(root, path, limits).data)
    except files.RefusedError as refused:
        problems.append(str(refused))
        return None


def _archive(
    root: str, path: str, kind: str, limits: files.Limits, problems: list[str]
) -> _File | None:
    """Return the archive, an empty one where there is none; None where it takes nothing."""
    if not os.path.lexists(os.path.join(root, path)):
        return _File(path, kind, b"")
    file = _opened(root, path, kind, limits, problems)
    line = left_open(file.text) if file else None
    if file is None or line is None:
        return file
    problems.append(
        f"{files.shown(path)}:{line + 1}: a code fence, comment or HTML block that is not closed: "
        f"nothing can be appended; {kind} stay where they are"
    )
    return None


class _File:
    """A file, what is closed in it, and how it would be read without some of that."""

    def __init__(self, path: str, kind: str, data: bytes) -> None:
        self.path, self.kind, self.data = path, kind, data
        self.passages: list[Passage] = []
        self._stays: list[Stay] = []
        self._parser = parser_of(kind)
        raw = normalise(decode(path, data)[0])
        self._lines = raw.split("\n")
        self.text = frontmatter.split(shorten_lines(raw)[0]).text
        self.columns = self._columns(record(path, data, self._parser, None))

    def _columns(self, kept: tuple[Kept, bytes]) -> Columns:
        return Columns(files.shown(self.path), self.path, kept[0], lambda: kept[1])

    def judge(self, today: date, older_than: int) -> None:
        """Find what is closed; of what stays is known by then why."""
        if self.kind == "tasks":
            passages, self._stays = of_tasks(self.text, self.columns)
        else:
            passages, self._stays = of_entries(self.text, self.columns, today, older_than)
        self.passages = passages
        unclosed = left_open(self.text)
        if unclosed is not None:
            for one in [one for one in passages if one.start <= unclosed < one.end]:
                self.keep(one, UNCLOSED)

    def keep(self, passage: Passage, why: str) -> None:
        """Let a passage stay after all."""
        self.passages.remove(passage)
        stay = Stay(passage.start + 1, passage.title, len(passage.places), why)
        self._stays.append(stay)

    def closed(self) -> Closed:
        """Return what was found."""
        stays = tuple(sorted(self._stays))
        return Closed(self.path, self.kind, self.data, tuple(self.passages), stays)

    def without(self, going: Sequence[Passage]) -> Columns:
        """Return how the file is read without some passages."""
        out = {line for one in going for line in range(one.start, one.end)}
        return self.holding(line for at, line in enumerate(self._lines) if at not in out)

    def holding(self, lines: Iterable[str]) -> Columns:
        """Return how other lines would be read in this file's place."""
        data = "\n".join(lines).encode("utf-8", "surrogatepass")
        return self._columns(record(self.path, data, self._parser, self.columns))

    def taking(self, loose: Sequence[str], more: Sequence[str]) -> Columns:
        """Return how the file is read with lines before its first heading and at its end."""
        lines = self._lines[: -1 if self._lines[-1] == "" else None]
        return self.holding([*lines[: self.top], *loose, *lines[self.top :], *more, ""])

    @cached_property
    def top(self) -> int:
        """The line of the first heading; the number of lines without one."""
        return first_heading(self.text)

    def lines(self, passage: Passage) -> list[str]:
        """Return a passage's lines."""
        return self._lines[passage.start : passage.end]


# --- trying out ---------------------------------------------------------------------------


def _try_out(together: Sequence[_File], archives: Mapping[str, _File | None]) -> None:
    """Let everything stay without which something else would be read otherwise.

    Such as the only entry to say that another one is out of date.
    """
    candidates = [(at, one) for at, file in enumerate(together) for one in file.passages]
    right = [_rows(file.columns) for file in together]

    def fits(going: Sequence[int]) -> bool:
        out: list[list[Passage]] = [[] for _ in together]
        for at, one in (candidates[number] for number in sorted(going)):
            out[at].append(one)
        rests = [file.without(some) for file, some in zip(together, out, strict=True)]
        mark_superseded([rest for rest in rests if rest.kind != "task"])
        taken = list(zip(together, out, strict=True))
        return all(map(_reads_on, together, right, rests, out)) and all(
            _takes(archive, taken) for archive in archives.values() if archive is not None
        )

    going = _admitted(fits, range(len(candidates)))
    for number, (at, one) in enumerate(candidates):
        if number not in going:
            together[at].keep(one, UNSURE)


def _admitted(fits: Callable[[Sequence[int]], bool], candidates: Sequence[int]) -> set[int]:
    """Return as many of ``candidates`` as fit together; as a rule, that is all of them."""
    going: list[int] = []
    held = list(candidates)
    while held:
        more = set(_some(fits, going, held))
        if not more:
            break
        going += more
        held = [one for one in held if one not in more]
    return set(going)


def _some(
    fits: Callable[[Sequence[int]], bool], going: Sequence[int], more: Sequence[int]
) -> list[int]:
    if fits([*going, *more]):
        return list(more)
    if len(more) == 1:
        return []
    half = len(more) // 2
    first = _some(fits, going, more[:half])
    return first + _some(fits, [*going, *first], more[half:])


def _reads_on(
    file: _File, right: Sequence[tuple[object, ...]], rest: Columns, out: Sequence[Passage]
) -> bool:
    """Whether a file without some passages is read as it was, but for what is in them."""
    gone = {place for one in out for place in one.places}
    kept = [row for place, row in enumerate(right) if place not in gone]
    return rest.front == file.columns.front and _rows(rest) == kept


def _takes(archive: _File, taken: Sequence[tuple[_File, Sequence[Passage]]]) -> bool:
    """Whether an archive is read as it was, and what it takes as well: loose tasks as loose."""
    every = [(file, one) for file, out in taken if file.kind == archive.kind for one in out]
    if not every:
        return True
    loose = [(file, one) for file, one in every if one.loose]
    others = [(file, one) for file, one in every if not one.loose]
    found = archive.taking(
        *([x for file, one in some for x in file.lines(one)] for some in (loose, others))
    )
    old = archive.columns
    top = sum(old.entry(place).line <= archive.top for place in range(len(old)))
    right = [
        *(_grouped(old, place) for place in range(top)),
        *(_grouped(file.columns, place, "") for file, one in loose for place in one.places),
        *(_grouped(old, place) for place in range(top, len(old))),
        *(_grouped(file.columns, place) for file, one in others for place in one.places),
    ]
    same = found.front == old.front
    return same and [_grouped(found, place) for place in range(len(found))] == right


def _grouped(columns: Columns, place: int, group: str | None = None) -> tuple[object, ...]:
    """Return what an entry says, and the phase of a task: that it has in an archive, too."""
    own = _own(columns, place)
    if columns.kind != "task":
        return own
    return (*own, columns.entry(place).group if group is None else group)


def _rows(columns: Columns) -> list[tuple[object, ...]]:
    """Return what tells each entry of a file from others, ids apart: twins are counted there."""
    return [
        (*_own(columns, place), place in columns.gone, columns.entry(place).group)
        for place in range(len(columns))
    ]


def _own(columns: Columns, place: int) -> tuple[object, ...]:
    """Return what an entry says itself, wherever it stands."""
    one = columns.entry(place)
    own = columns.own_status(place)
    return (one.title, one.body, one.timestamp, own, one.priority, one.lead, one.supersedes)

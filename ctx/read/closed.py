"""Entries that can be archived: closed tasks with their phases, and old superseded entries.

They are found by the parsers that packets are made with. Before a passage is proposed, both the
file without it and the archive with it are parsed: all other entries have to be the same as
before. Otherwise the passage stays in its file.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ctx.read import files, frontmatter
from ctx.read.card import parser_of
from ctx.read.columns import Columns, mark_superseded
from ctx.read.directory import KINDS, NO_ENTRIES, READERS
from ctx.read.files import decode
from ctx.read.markdown.blocks import left_open, normalise, shorten_lines
from ctx.read.passages import Passage, Stay, first_heading, of_entries, of_tasks
from ctx.read.record import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from ctx.model import CachedFile

__all__ = ["Closed", "Findings", "Passage", "Stay", "above_phases", "closed"]

UNSURE = "something else would be read otherwise"
_BOM = b"\xef\xbb\xbf"
UNCLOSED = "a code fence, comment or HTML block in it is not closed"


class Closed(NamedTuple):
    """The closed tasks or old entries of one file."""

    path: str
    """Relative to the context directory, with forward slashes."""
    kind: str
    """One of ``KINDS``."""
    data: bytes
    """The whole file."""
    going: tuple[Passage, ...]
    """What can be archived, in the order of the archive: first what is under no heading."""
    stays: tuple[Stay, ...]
    """What is closed and stays, in the order of the file."""


class Findings(NamedTuple):
    """What can be archived in a context directory."""

    files: tuple[Closed, ...]
    """Files with something closed in them."""
    problems: tuple[str, ...]
    """Files that cannot be read, or appended to, a line each."""


def closed(
    root: str, limits: files.Limits, archives: Mapping[str, str], today: date, older_than: int
) -> Findings:
    """Return what can be archived of the directory ``root``, and what is closed and stays.

    ``archives`` names the archive of each kind. Only entries that are more than ``older_than``
    days old ``today`` can go. Raises OSError where ``root`` cannot be listed.
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
        findings += [file.closed() for file in group]
    return Findings(tuple(file for file in findings if file.going or file.stays), tuple(problems))


def above_phases(archive: bytes) -> int:
    """Return the offset, in bytes, of the first heading of an archive: loose tasks go there."""
    text = frontmatter.split(shorten_lines(normalise(decode("", archive)[0]))[0]).text
    body = archive.removeprefix(_BOM)
    above = body.splitlines(keepends=True)[: first_heading(text)]
    return len(archive) - len(body) + sum(map(len, above))


def _paths(root: str, problems: list[str]) -> Iterator[tuple[str, str]]:
    """Yield every file with entries that may be archived, and its kind."""
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
    """Return the archive, an empty one where there is none; None where nothing can be appended."""
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
    """A file, what can be archived of it, and its entries after that."""

    def __init__(self, path: str, kind: str, data: bytes) -> None:
        self.path, self.kind, self.data = path, kind, data
        self.passages: list[Passage] = []
        self._stays: list[Stay] = []
        self._parser = parser_of(kind)
        raw = normalise(decode(path, data)[0])
        self._lines = raw.split("\n")
        self.text = frontmatter.split(shorten_lines(raw)[0]).text
        self.columns = self._columns(record(path, data, self._parser, None))

    def _columns(self, kept: tuple[CachedFile, bytes]) -> Columns:
        return Columns(files.shown(self.path), self.path, kept[0], lambda: kept[1])

    def find(self, today: date, older_than: int) -> None:
        """Find what can be archived, and what is closed and stays."""
        if self.kind == "tasks":
            passages, self._stays = of_tasks(self.text, self.columns)
        else:
            passages, self._stays = of_entries(self.text, self.columns, today, older_than)
        self.passages = passages
        unclosed = left_open(self.text)
        if unclosed is not None:
            for passage in [*passages]:
                if passage.start <= unclosed < passage.end:
                    self.keep(passage, UNCLOSED)

    def keep(self, passage: Passage, why: str) -> None:
        """Let a passage stay after all."""
        self.passages.remove(passage)
        self._stays.append(Stay(passage.start + 1, passage.title, len(passage.places), why))

    def closed(self) -> Closed:
        """Return what was found."""
        stays = tuple(sorted(self._stays))
        return Closed(self.path, self.kind, self.data, tuple(self.passages), stays)

    def without(self, going: Sequence[Passage]) -> Columns:
        """Return the entries of the file without some passages."""
        out = {number for passage in going for number in range(passage.start, passage.end)}
        return self._parsed(line for number, line in enumerate(self._lines) if number not in out)

    def _parsed(self, lines: Iterable[str]) -> Columns:
        """Return the entries of other lines in this file's place."""
        data = "\n".join(lines).encode("utf-8", "surrogatepass")
        return self._columns(record(self.path, data, self._parser, self.columns))

    def taking(self, loose: Sequence[str], more: Sequence[str]) -> Columns:
        """Return the entries of the file with lines before its first heading and at its end."""
        lines = self._lines[: -1 if self._lines[-1] == "" else None]
        return self._parsed([*lines[: self.top], *loose, *lines[self.top :], *more, ""])

    @cached_property
    def top(self) -> int:
        """The line of the first heading; the number of lines without one."""
        return first_heading(self.text)

    def lines(self, passage: Passage) -> list[str]:
        """Return a passage's lines."""
        return self._lines[passage.start : passage.end]


def _try_out(group: Sequence[_File], archives: Mapping[str, _File | None]) -> None:
    """Keep every passage without which other entries would change.

    One is the only entry that supersedes another one.
    """
    candidates = [(index, passage) for index, file in enumerate(group) for passage in file.passages]
    before = [_rows(file.columns) for file in group]

    def fits(going: Sequence[int]) -> bool:
        out: list[list[Passage]] = [[] for _ in group]
        for index, passage in (candidates[number] for number in sorted(going)):
            out[index].append(passage)
        rests = [file.without(passages) for file, passages in zip(group, out, strict=True)]
        mark_superseded([rest for rest in rests if rest.kind != "task"])
        taken = list(zip(group, out, strict=True))
        return all(map(_is_same_without, group, before, rests, out)) and all(
            _takes(archive, taken) for archive in archives.values() if archive is not None
        )

    going = _admitted(fits, range(len(candidates)))
    for number, (index, passage) in enumerate(candidates):
        if number not in going:
            group[index].keep(passage, UNSURE)


def _admitted(fits: Callable[[Sequence[int]], bool], candidates: Sequence[int]) -> set[int]:
    """Return as many of ``candidates`` as fit together: all of them, as a rule."""
    going: list[int] = []
    rest = list(candidates)
    while rest and (more := set(_some(fits, going, rest))):
        going += more
        rest = [number for number in rest if number not in more]
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


def _is_same_without(
    file: _File, before: Sequence[tuple[object, ...]], rest: Columns, out: Sequence[Passage]
) -> bool:
    """Whether the ``rest`` of a file has all entries as before, except those of ``out``."""
    gone = {place for passage in out for place in passage.places}
    kept = [row for place, row in enumerate(before) if place not in gone]
    return rest.front == file.columns.front and _rows(rest) == kept


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

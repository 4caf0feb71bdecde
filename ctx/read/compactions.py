"""Records of compactions: how a line is read, which records count, and what summaries cover."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ctx.model import Lines, Summary
from ctx.read.files import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_LEVEL = 16
"""Of 20 turns each, this is more than any session holds."""
_MOST = 2**53
"""Whole numbers are smaller: no file has so many lines."""
_ID = re.compile(r"s[0-9]{1,2}-[0-9a-f]{12}")
"""Packets show ids as a part of a command: nothing else may be an id."""


class Run(NamedTuple):
    """One compaction: which lines of the session it summarises. Written before its clusters."""

    start: int
    """Its first line of the session's file, counted from 1."""
    end: int
    """Its last line."""
    turns: int
    """Turns in these lines that it summarises: n. Those of earlier runs are not counted again."""
    elevated: int
    """Turns in these lines that it does not summarise, since a user gave a rule in them."""
    clusters: int
    """c = ⌈n / k⌉; there may be fewer, where a bundle fills more than one."""
    size: int
    """k, the turns that a summary stands for."""
    compacted: str
    """When it began, ISO 8601."""
    space: str
    """As ``Summary.space``."""


class Elevated(NamedTuple):
    """A turn in which a user gave a rule: it is not summarised."""

    line: int
    turn: str
    """Its id."""


class Declined(NamedTuple):
    """A cluster that has no summary."""

    level: int
    """Of the summary that it would have had."""
    lines: Lines
    sources: tuple[str, ...]
    """Ids of the turns or summaries in it; empty where these are too many."""
    turns: int
    why: str


Record = Run | Elevated | Declined | Summary


def record(fields: Mapping[str, object]) -> Record:
    """Return the record with these ``fields``; ValueError where they are not one."""
    match fields.get("type"):
        case "run":
            run = Run(
                _whole(fields, "start"),
                _whole(fields, "end"),
                _whole(fields, "turns", least=0),
                _whole(fields, "elevated", least=0),
                _whole(fields, "clusters", least=0),
                _whole(fields, "size"),
                _text(fields, "compacted"),
                _text(fields, "space"),
            )
            if run.turns + run.elevated > run.end - run.start + 1:
                raise ValueError("has more turns than lines")
            return run
        case "elevated":
            return Elevated(_whole(fields, "line"), _text(fields, "turn"))
        case "declined":
            return Declined(
                _whole(fields, "level"),
                _lines(fields),
                _texts(fields, "sources"),
                _whole(fields, "turns"),
                _text(fields, "why"),
            )
        case "summary":
            return _summary(fields)
        case _:
            raise ValueError("is no record of a compaction")


def _summary(fields: Mapping[str, object]) -> Summary:
    summary = Summary(
        id=_text(fields, "id"),
        session=_text(fields, "session"),
        level=_whole(fields, "level"),
        text=_text(fields, "text"),
        sources=_texts(fields, "sources"),
        lines=_lines(fields),
        turns=_whole(fields, "turns"),
        covered=_whole(fields, "covered", least=0),
        tokens=_whole(fields, "tokens", least=0),
        earliest=_text(fields, "earliest"),
        latest=_text(fields, "latest"),
        compacted=_text(fields, "compacted"),
        method=_text(fields, "method"),
        model=_text(fields, "model"),
        space=_text(fields, "space"),
        confidence=_share(fields, "confidence"),
        digest=_text(fields, "digest"),
        note=_text(fields, "note"),
    )
    if not _ID.fullmatch(summary.id) or not summary.sources:
        raise ValueError("has no id as summaries have them, or no sources")
    if summary.level > MOST_LEVEL:
        raise ValueError(f"is of a level over {MOST_LEVEL}")
    return summary


def _text(fields: Mapping[str, object], field: str) -> str:
    value = fields.get(field)
    if not isinstance(value, str):
        raise ValueError(f"has no text as its {field}")  # noqa: TRY004 - the line is wrong
    return encodable(value)


def _whole(fields: Mapping[str, object], field: str, *, least: int = 1) -> int:
    value = fields.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < _MOST:
        raise ValueError(f"has no number as its {field}")
    return value


def _share(fields: Mapping[str, object], field: str) -> float:
    value = fields.get(field)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"has no number as its {field}")  # noqa: TRY004 - the line is wrong
    if not 0 <= value <= 1:  # nor NaN, nor a whole number of 400 digits
        raise ValueError(f"has no share as its {field}")
    return float(value)


def _texts(fields: Mapping[str, object], field: str) -> tuple[str, ...]:
    value = fields.get(field)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"has no list of texts as its {field}")
    return tuple(map(encodable, value))


def _lines(fields: Mapping[str, object]) -> Lines:
    value = fields.get("lines")
    if not isinstance(value, list) or not value:
        raise ValueError("has no lines")
    spans: list[tuple[int, int]] = []
    for span in value:
        match span:
            case [int(first), int(last)] if 1 <= first <= last < _MOST:
                if spans and first <= spans[-1][1] + 1:
                    raise ValueError("has lines that do not rise")
                spans.append((int(first), int(last)))
            case _:
                raise ValueError("has lines that are none")
    return tuple(spans)


Edge = list[Any]
"""The kind of a record, and what it covers: ``turns`` makes it, ``of_edge`` reads it."""


def of_edge(edge: Edge) -> Record:
    """Return the record of an edge; fields that an edge does not keep are empty.

    A summary whose edge has 0 turns did not fit its sources, and does not count.
    """
    match edge:
        case ["run", start, end]:
            return Run(start, end, 0, 0, 0, 1, "", "")
        case ["elevated", line, name]:
            return Elevated(line, name)
        case ["declined", level, lines, sources, turns]:
            return Declined(level, _spans(lines), tuple(sources), turns, "")
        case [_, name, level, lines, sources, turns]:
            every = sources if level > 1 else [*sources] * turns
            return Summary(
                name, "", level, "", tuple(every), _spans(lines), turns,
                0, 0, "", "", "", "", "", "", 0.0, "",
            )  # fmt: skip
        case _:
            raise ValueError("no edge")


def _spans(lines: list[list[int]]) -> Lines:
    return tuple((first, last) for first, last in lines)


# --- runs of lines ------------------------------------------------------------------------


class Spans:
    """A set of lines, kept as runs of lines that follow each other."""

    def __init__(self) -> None:
        """Begin empty."""
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def __contains__(self, line: int) -> bool:
        """Whether ``line`` is in the set."""
        return self.meets(line, line)

    def copy(self) -> Spans:
        """Return another set of the same lines."""
        copy = Spans()
        copy._firsts, copy._lasts = [*self._firsts], [*self._lasts]
        return copy

    def meets(self, first: int, last: int) -> bool:
        """Return whether any line from ``first`` to ``last`` is in the set."""
        run = bisect_right(self._firsts, last) - 1
        return run >= 0 and self._lasts[run] >= first

    def add(self, first: int, last: int) -> None:
        """Add lines, of which none may be in the set."""
        start = bisect_left(self._lasts, first - 1)
        stop = bisect_right(self._firsts, last + 1)
        if start < stop:
            first = min(first, self._firsts[start])
            last = max(last, self._lasts[stop - 1])
        self._firsts[start:stop] = [first]
        self._lasts[start:stop] = [last]

    def runs(self) -> Lines:
        """Return the runs, rising."""
        return tuple(zip(self._firsts, self._lasts, strict=True))

    @property
    def last(self) -> int:
        """The last line; 0 where the set is empty."""
        return self._lasts[-1] if self._lasts else 0


def joined(every: Iterable[Lines]) -> Lines:
    """Return the lines of all of ``every``, which share no line, as runs."""
    spans = Spans()
    for lines in every:
        for first, last in lines:
            spans.add(first, last)
    return spans.runs()


def count(spans: Lines) -> int:
    """Return how many lines these are."""
    return sum(last - first + 1 for first, last in spans)


# --- what counts --------------------------------------------------------------------------


class Ids(Protocol):
    """A set of names, wherever it is kept."""

    def __contains__(self, name: object, /) -> bool:
        """Whether ``name`` was added."""
        ...

    def add(self, name: str, /) -> None:
        """Add ``name``."""
        ...


class Lineage:
    """Decides which records of one file count, given them one by one in the file's order."""

    def __init__(self, ids: Ids | None = None) -> None:
        """Begin without records; ``ids`` keeps the names of summaries, instead of memory."""
        self.ids: Ids = set[str]() if ids is None else ids
        self.run: Run | None = None
        """The run of the latest records."""
        self.before = Spans()
        """Lines that were done before it began."""
        self.done = Spans()
        """Lines that are covered, elevated or declined."""
        self.turns = 0
        """Turns of the run that are covered or declined."""
        self.elevated = 0
        """Turns of the run that are elevated."""
        self.melted = 0
        """Last line of the run that is covered or declined."""
        self.raised = 0
        """Last line of the run that is elevated."""
        self.waiting: dict[int, list[Summary]] = {}
        """By level, the summaries that no other one covers, in the order of the file."""
        self.last: dict[int, str] = {}
        """By level, the text of the last summary."""
        self.odd = 0
        """Lines that are no records, and records that do not fit."""

    @property
    def whole(self) -> bool:
        """Whether the run is complete."""
        run = self.run
        return run is None or (self.turns >= run.turns and self.elevated >= run.elevated)

    def take(self, entry: Record | None) -> bool:
        """Take the next record; return whether it counts."""
        match entry:
            case Run():
                self.run, self.before = entry, self.done.copy()
                self.turns = self.elevated = self.melted = self.raised = 0
                counts = True
            case Elevated():
                counts = self._elevate(entry.line)
            case Declined() | Summary() if entry.level == 1:
                counts = self._take_turns(entry)
            case Declined() | Summary():
                counts = self._take_summaries(entry)
            case _:
                counts = False
        self.odd += not counts
        return counts

    def _elevate(self, line: int) -> bool:
        if not self._fits(((line, line),)):
            return False
        self.done.add(line, line)
        self.elevated += 1
        self.raised = max(self.raised, line)
        return True

    def _take_turns(self, cluster: Declined | Summary) -> bool:
        """Take a summary of turns, or turns without one."""
        whole = isinstance(cluster, Declined) or len(cluster.sources) == cluster.turns
        if not whole or count(cluster.lines) != cluster.turns or not self._fits(cluster.lines):
            return False
        if isinstance(cluster, Summary) and not self._keep(cluster):
            return False
        for first, last in cluster.lines:
            self.done.add(first, last)
        self.turns += cluster.turns
        self.melted = max(self.melted, cluster.lines[-1][1])
        return True

    def _fits(self, spans: Lines) -> bool:
        """Whether lines are within the run's, and none of them is done."""
        run = self.run
        if run is None or spans[0][0] < run.start or spans[-1][1] > run.end:
            return False
        return not any(self.done.meets(first, last) for first, last in spans)

    def _take_summaries(self, cluster: Declined | Summary) -> bool:
        """Take a summary of summaries, or summaries without one."""
        below = self.waiting.get(cluster.level - 1, [])
        wanted = set(cluster.sources)
        sources = [child for child in below if child.id in wanted]
        if (
            len(sources) != len(cluster.sources)
            or cluster.turns != sum(child.turns for child in sources)
            or cluster.lines != joined(child.lines for child in sources)
            or (isinstance(cluster, Summary) and not self._keep(cluster))
        ):
            return False
        self.waiting[cluster.level - 1] = [child for child in below if child.id not in wanted]
        return True

    def _keep(self, summary: Summary) -> bool:
        """Keep a summary until another one covers it; False where its name is taken."""
        if summary.id in self.ids:
            return False
        self.ids.add(summary.id)
        self.waiting.setdefault(summary.level, []).append(summary)
        self.last[summary.level] = summary.text
        return True


# --- what summaries cover -----------------------------------------------------------------


class Coverage:
    """Which summaries stand for a line of a session, or for another summary."""

    def __init__(self, path: str, pieces: Iterable[Sequence[Edge]]) -> None:
        """Join the edges that count of the ``pieces`` of ``path``, in their order."""
        self._path = path
        self._spans: list[tuple[int, int, str]] = []
        self._above: dict[str, str] = {}
        self.elevated: dict[int, str] = {}
        """Lines of turns in which a user gave a rule, and the names of these turns."""
        self.last = (0, "")
        """The last line that a summary stands for, and the name of its turn."""
        self.odd: list[list[int]] = []
        """By piece, the places of its summaries that do not count."""
        lineage = Lineage()
        for piece in pieces:
            odd, place = [], -1
            for edge in piece:
                place += edge[0] == "summary"
                if lineage.take(of_edge(edge)):
                    self._take(edge)
                elif edge[0] == "summary":
                    odd.append(place)
            self.odd.append(odd)
        self._spans.sort()
        self._starts = [first for first, _, _ in self._spans]

    def _take(self, edge: Edge) -> None:
        if edge[0] == "elevated":
            self.elevated[edge[1]] = edge[2]
        elif edge[0] == "summary":
            _, name, level, lines, sources, _ = edge
            if level == 1:
                self._spans += [(first, last, name) for first, last in lines]
                self.last = max(self.last, (lines[-1][1], sources[-1]))
            else:
                self._above |= dict.fromkeys(sources, name)

    def of_line(self, line: int) -> tuple[str, ...]:
        """Return the ids of the summaries that stand for a turn, the nearest first."""
        span = bisect_right(self._starts, line) - 1
        if span < 0 or line > self._spans[span][1]:
            return ()
        name = self._spans[span][2]
        return (f"{self._path}#{name}", *self.of_summary(name))

    def of_summary(self, name: str) -> tuple[str, ...]:
        """Return the ids of the summaries that stand for another one, the nearest first."""
        ids = []
        while above := self._above.get(name):  # levels rise, so this ends
            ids.append(f"{self._path}#{above}")
            name = above
        return tuple(ids)

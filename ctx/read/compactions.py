"""Records of compactions: how a line is read, and which of them hold."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ctx.model import Lines, Summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


MOST_LEVEL = 16
"""Of 20 turns each, this is more than anybody can say."""
_MOST = 2**53
"""What whole numbers stay under: more than any file has lines."""
_ID = re.compile(r"s[0-9]{1,2}-[0-9a-f]{12}")
"""It stands in packets as a part of a command: nothing else may be an id."""


class Run(NamedTuple):
    """One compaction: which lines of the session it summarises. Written before its clusters."""

    start: int
    """Its first line of the session's file, counted from 1."""
    end: int
    """Its last line."""
    turns: int
    """Turns in these lines that it melts: n. What earlier runs did is not counted again."""
    elevated: int
    """Turns in these lines that it leaves as they are, since a user gave a rule in them."""
    clusters: int
    """c = ⌈n / k⌉; there may be fewer, where a bundle fills more than one."""
    size: int
    """k, the turns that a summary stands for."""
    compacted: str
    """When it began, ISO 8601."""
    space: str
    """As ``Summary.space``."""


class Elevated(NamedTuple):
    """A turn in which a user gave a rule: it is not melted."""

    line: int
    turn: str
    """Its id."""


class Declined(NamedTuple):
    """A cluster that has no summary."""

    level: int
    """Of the summary that it would have had."""
    lines: Lines
    sources: tuple[str, ...]
    """Ids of what it was to be made of; empty where that is too much to name."""
    turns: int
    why: str


Record = Run | Elevated | Declined | Summary


def record(fields: Mapping[str, object]) -> Record:
    """Return the record that ``fields`` tell; ValueError where they tell none."""
    match fields.get("type"):
        case "run":
            return _run(fields)
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


def _run(fields: Mapping[str, object]) -> Run:
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


def _summary(fields: Mapping[str, object]) -> Summary:
    made = Summary(
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
    if not _ID.fullmatch(made.id) or not made.sources:
        raise ValueError("has no id as summaries have them, or no sources")
    if made.level > MOST_LEVEL:
        raise ValueError(f"is of a level over {MOST_LEVEL}")
    return made


def _text(fields: Mapping[str, object], field: str) -> str:
    value = fields.get(field)
    if not isinstance(value, str):
        raise ValueError(f"has no text as its {field}")  # noqa: TRY004 - the line is wrong
    return _encodable(value)


def _encodable(text: str) -> str:
    """Return ``text`` without halves of characters, which nothing could take."""
    return text.encode("utf-8", "replace").decode()


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
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"has no list of texts as its {field}")
    return tuple(map(_encodable, value))


def _lines(fields: Mapping[str, object]) -> Lines:
    value = fields.get("lines")
    if not isinstance(value, list) or not value:
        raise ValueError("has no lines")
    spans: list[tuple[int, int]] = []
    for one in value:
        match one:
            case [int(first), int(last)] if 1 <= first <= last < _MOST:
                if spans and first <= spans[-1][1] + 1:
                    raise ValueError("has lines that do not rise")
                spans.append((int(first), int(last)))
            case _:
                raise ValueError("has lines that are none")
    return tuple(spans)


Edge = list[Any]
"""The type of a record, and what it covers (``summaries`` makes it)."""


def of_edge(edge: Edge) -> Record:
    """Return a record of which only what an edge keeps is told.

    Its turns are none where their number was not that of its sources: it fits nowhere.
    """
    match edge:
        case ["run", start, end]:
            return Run(start, end, 0, 0, 0, 1, "", "")
        case ["elevated", line, name]:
            return Elevated(line, name)
        case ["declined", level, lines, sources, turns]:
            return Declined(level, _spans(lines), tuple(sources), turns, "")
        case [_, name, level, lines, sources, turns]:
            told = sources if level > 1 else [*sources] * turns
            return Summary(
                name, "", level, "", tuple(told), _spans(lines), turns,
                0, 0, "", "", "", "", "", "", 0.0, "",
            )  # fmt: skip
        case _:
            raise ValueError("no edge")


def _spans(lines: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((first, last) for first, last in lines)


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


# --- runs of lines ------------------------------------------------------------------------


class Spans:
    """Lines, kept as runs of lines that follow each other."""

    def __init__(self) -> None:
        """Begin with none."""
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def __contains__(self, line: int) -> bool:
        """Whether ``line`` is among them."""
        at = bisect_right(self._firsts, line) - 1
        return at >= 0 and line <= self._lasts[at]

    def copy(self) -> Spans:
        """Return another one with the same lines."""
        made = Spans()
        made._firsts, made._lasts = [*self._firsts], [*self._lasts]
        return made

    def meets(self, first: int, last: int) -> bool:
        """Return whether any line from ``first`` to ``last`` is among them."""
        at = bisect_right(self._firsts, last) - 1
        return at >= 0 and self._lasts[at] >= first

    def add(self, first: int, last: int) -> None:
        """Add lines, of which none is among them yet."""
        start = bisect_left(self._lasts, first - 1)
        stop = bisect_right(self._firsts, last + 1)
        if start < stop:
            first = min(first, self._firsts[start])
            last = max(last, self._lasts[stop - 1])
        self._firsts[start:stop] = [first]
        self._lasts[start:stop] = [last]

    def runs(self) -> Lines:
        """Return them, rising."""
        return tuple(zip(self._firsts, self._lasts, strict=True))

    @property
    def last(self) -> int:
        """The last of them; 0 where there is none."""
        return self._lasts[-1] if self._lasts else 0


def joined(every: Iterable[Lines]) -> Lines:
    """Return the lines of ``every`` one, of which no two share a line, as runs."""
    spans = Spans()
    for one in every:
        for first, last in one:
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
    """Which records of one file count, taken one by one in the file's order."""

    def __init__(self, ids: Ids | None = None) -> None:
        """Begin with none; ``ids`` remembers the names of summaries, if memory is not to."""
        self.ids: Ids = set[str]() if ids is None else ids
        self.run: Run | None = None
        """The run that is being done, or was last."""
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
        """Whether all that the run was to do is done."""
        run = self.run
        return run is None or (self.turns >= run.turns and self.elevated >= run.elevated)

    def take(self, one: Record | None) -> bool:
        """Take the next record; return whether it counts."""
        match one:
            case Run():
                taken = self._begin(one)
            case Elevated():
                taken = self._elevate(one)
            case Declined() | Summary() if one.level == 1:
                taken = self._melt(one)
            case Declined() | Summary():
                taken = self._climb(one)
            case _:
                taken = False
        self.odd += not taken
        return taken

    def _begin(self, run: Run) -> bool:
        self.run, self.before = run, self.done.copy()
        self.turns = self.elevated = self.melted = self.raised = 0
        return True

    def _elevate(self, one: Elevated) -> bool:
        if not self._fits(((one.line, one.line),)):
            return False
        self.done.add(one.line, one.line)
        self.elevated += 1
        self.raised = max(self.raised, one.line)
        return True

    def _melt(self, one: Declined | Summary) -> bool:
        whole = isinstance(one, Declined) or len(one.sources) == one.turns
        if not whole or count(one.lines) != one.turns or not self._fits(one.lines):
            return False
        if isinstance(one, Summary) and not self._keep(one):
            return False
        for first, last in one.lines:
            self.done.add(first, last)
        self.turns += one.turns
        self.melted = max(self.melted, one.lines[-1][1])
        return True

    def _fits(self, spans: Lines) -> bool:
        """Whether lines are within the run's, and none of them is done."""
        run = self.run
        if run is None or spans[0][0] < run.start or spans[-1][1] > run.end:
            return False
        return not any(self.done.meets(first, last) for first, last in spans)

    def _climb(self, one: Declined | Summary) -> bool:
        below = self.waiting.get(one.level - 1, [])
        wanted = set(one.sources)
        found = [child for child in below if child.id in wanted]
        if len(found) != len(one.sources) or one.turns != sum(child.turns for child in found):
            return False
        if one.lines != joined(child.lines for child in found):
            return False
        if isinstance(one, Summary) and not self._keep(one):
            return False
        self.waiting[one.level - 1] = [child for child in below if child.id not in wanted]
        return True

    def _keep(self, one: Summary) -> bool:
        """Keep a summary until another one covers it; False where its name is taken."""
        if one.id in self.ids:
            return False
        self.ids.add(one.id)
        self.waiting.setdefault(one.level, []).append(one)
        self.last[one.level] = one.text
        return True

"""Records of compactions: how a line is read, which records count, and what summaries cover."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from operator import index
from typing import Any, NamedTuple

from ctx.model import JsonObject, Lines, Summary
from ctx.text import encodable
from ctx.text.regex import regex

MOST_LEVEL = 16  # of 20 turns each, this is more than any session holds
_MOST = 2**53  # whole numbers are smaller: no file has so many lines
_ID = regex(r"s[0-9]{1,2}-[0-9a-f]{12}")  # packets show ids in a command: they are safe


class Run(NamedTuple):
    """One compaction: which lines of the session it summarises. Written before its clusters."""

    start: int  # its first line of the session's file, counted from 1
    end: int  # its last line
    turns: int  # turns in these lines that it summarises: n, without those of earlier runs
    elevated: int  # turns in these lines that it leaves, since a user gave a rule in them
    clusters: int  # c = ⌈n / k⌉; there may be fewer, where a bundle fills more than one
    size: int  # k, the turns that a summary covers
    compacted: str  # when it began, ISO 8601
    space: str  # as ``Summary.space``


class Elevated(NamedTuple):
    """A turn in which a user gave a rule: it is not summarised."""

    line: int
    turn: str  # its id


class Declined(NamedTuple):
    """A cluster that has no summary."""

    level: int  # of the summary that it would have had
    lines: Lines
    sources: tuple[str, ...]  # ids of the turns or summaries in it; empty where these are too many
    turns: int
    why: str


Record = Run | Elevated | Declined | Summary


_RECORDS: dict[str, type[Record]] = {
    "run": Run, "elevated": Elevated, "declined": Declined, "summary": Summary,
}  # fmt: skip
_LEAST = {"covered": 0, "tokens": 0, "elevated": 0, "clusters": 0, "turns": 0} | dict.fromkeys(
    ("start", "end", "size", "line", "level"), 1
)  # fields that are whole numbers, and the least value of each


def record(fields: JsonObject) -> Record:
    """Return the record with these ``fields``; ValueError where they are not one."""
    kind = _RECORDS.get(str(fields.get("type")))
    if kind is None:
        raise ValueError("is no record of a compaction")
    made = kind(**{field: _value(field, fields.get(field)) for field in kind._fields})
    if isinstance(made, Run) and made.turns + made.elevated > made.end - made.start + 1:
        raise ValueError("has more turns than lines")
    if isinstance(made, Summary):
        if not _ID.fullmatch(made.id) or not made.sources:
            raise ValueError("has no id as summaries have them, or no sources")
        if made.level > MOST_LEVEL:
            raise ValueError(f"is of a level over {MOST_LEVEL}")
    return made


def _value(field: str, value: Any) -> Any:  # noqa: ANN401 - of any field
    try:
        if field == "lines":
            spans = tuple((index(first), index(last)) for first, last in value)
            rise = pairwise([(0, -1), *spans])
            if spans and all(end + 1 < first <= last < _MOST for (_, end), (first, last) in rise):
                return spans
        elif field == "sources":
            if isinstance(value, list):
                return tuple(encodable(text) for text in value)
        elif field == "confidence":
            if not isinstance(value, bool) and 0 <= value <= 1:  # NaN is neither
                return float(value)
        elif field in _LEAST:
            if not isinstance(value, bool) and _LEAST[field] <= index(value) < _MOST:
                return value
        else:
            return encodable(value)
    except (AttributeError, TypeError, ValueError):
        pass  # of another type
    raise ValueError(f"has no {field} as records have it")


Edge = list[Any]  # the kind of a record and what it covers, as the parse cache stores it


def edge(entry: Record, name: Callable[[str], str]) -> Edge:
    """Return a record's edge, of 0 turns if it does not fit its sources; ``name`` gives anchors."""
    match entry:
        case Run():
            return ["run", entry.start, entry.end]
        case Elevated():
            return ["elevated", entry.line, name(entry.turn) or f"line-{entry.line}"]
        case Declined():
            return ["declined", entry.level, entry.lines, entry.sources, entry.turns]
        case _:
            fits = entry.level > 1 or len(entry.sources) == entry.turns
            sources = entry.sources if entry.level > 1 else [name(entry.sources[-1])]
            turns = entry.turns if fits else 0
            return ["summary", entry.id, entry.level, entry.lines, sources, turns]


def of_edge(edge: Edge) -> Record:
    """Return the record of an edge; fields that an edge does not have are empty."""
    match edge:
        case ["run", start, end]:
            return Run(start, end, 0, 0, 0, 1, "", "")
        case ["elevated", line, name]:
            return Elevated(line, name)
        case ["declined", level, lines, sources, turns]:
            return Declined(level, tuple(map(tuple, lines)), tuple(sources), turns, "")
        case [_, name, level, lines, sources, turns]:
            every = sources if level > 1 else [*sources] * turns
            return Summary(
                name, "", level, "", tuple(every), tuple(map(tuple, lines)), turns,
                0, 0, "", "", "", "", "", "", 0.0, "",
            )  # fmt: skip
        case _:
            raise ValueError("no edge")


class Spans:
    """A set of lines, kept as runs of lines that follow each other."""

    def __init__(self, runs: Lines = ()) -> None:
        """Begin with ``runs``, which rise and do not meet."""
        self._firsts = [first for first, _ in runs]
        self._lasts = [last for _, last in runs]

    def __contains__(self, line: int) -> bool:
        return self.meets(line, line)

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


class Lineage:
    """Decides which records of one file count, given them one by one in the file's order."""

    def __init__(self) -> None:
        """Begin without records."""
        self.ids: set[str] = set()  # those of the summaries that count
        self.run: Run | None = None  # the run of the latest records
        self.before = Spans()  # lines that were done before it began
        self.done = Spans()  # lines that are covered, elevated or declined
        self.turns = 0  # turns of the run that are covered or declined
        self.elevated = 0  # turns of the run that are elevated
        self.last_covered = 0  # last line of the run that is covered or declined
        self.last_elevated = 0  # last line of the run that is elevated
        self.waiting: dict[int, list[Summary]] = {}  # by level, uncovered summaries in file order
        self.last: dict[int, str] = {}  # by level, the text of the last summary
        self.odd = 0  # lines that are no records, and records that do not fit

    @property
    def whole(self) -> bool:
        """Whether the run is complete."""
        run = self.run
        return run is None or (self.turns >= run.turns and self.elevated >= run.elevated)

    def take(self, entry: Record | None) -> bool:
        """Take the next record; return whether it counts."""
        match entry:
            case Run():
                self.run, self.before = entry, Spans(self.done.runs())
                self.turns = self.elevated = self.last_covered = self.last_elevated = 0
                counts = True
            case Elevated(line):
                counts = self._fits(((line, line),))
                if counts:
                    self.done.add(line, line)
                    self.elevated += 1
                    self.last_elevated = max(self.last_elevated, line)
            case Declined() | Summary() if entry.level == 1:
                counts = self._take_turns(entry)
            case Declined() | Summary():
                counts = self._take_summaries(entry)
            case _:
                counts = False
        self.odd += not counts
        return counts

    def _take_turns(self, cluster: Declined | Summary) -> bool:
        whole = isinstance(cluster, Declined) or len(cluster.sources) == cluster.turns
        if not whole or count(cluster.lines) != cluster.turns or not self._fits(cluster.lines):
            return False
        if isinstance(cluster, Summary) and not self._keep(cluster):
            return False
        for first, last in cluster.lines:
            self.done.add(first, last)
        self.turns += cluster.turns
        self.last_covered = max(self.last_covered, cluster.lines[-1][1])
        return True

    def _fits(self, spans: Lines) -> bool:
        """Whether lines are within the run's, and none of them is done."""
        run = self.run
        if run is None or spans[0][0] < run.start or spans[-1][1] > run.end:
            return False
        return not any(self.done.meets(first, last) for first, last in spans)

    def _take_summaries(self, cluster: Declined | Summary) -> bool:
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


class Coverage:
    """Which summaries cover a line of a session, or for another summary."""

    def __init__(self, path: str, pieces: Iterable[Sequence[Edge]]) -> None:
        """Join the edges that count of the ``pieces`` of ``path``, in their order."""
        self._path = path
        self._spans: list[tuple[int, int, str]] = []
        self._above: dict[str, str] = {}
        self.elevated: dict[int, str] = {}  # names of turns in which a user gave a rule, by line
        self.last = (0, "")  # the last line that a summary covers, and the name of its turn
        self.odd: list[list[int]] = []  # by piece, the places of its summaries that do not count
        lineage = Lineage()
        for piece in pieces:
            odd, place = [], -1
            for edge in piece:
                place += edge[0] == "summary"
                entry = of_edge(edge)
                counts = lineage.take(entry)
                if isinstance(entry, Summary) and not counts:
                    odd.append(place)
                elif isinstance(entry, Summary) and entry.level == 1:
                    self._spans += [(first, last, entry.id) for first, last in entry.lines]
                    self.last = max(self.last, (entry.lines[-1][1], entry.sources[-1]))
                elif isinstance(entry, Summary):
                    self._above |= dict.fromkeys(entry.sources, entry.id)
                elif isinstance(entry, Elevated) and counts:
                    self.elevated[entry.line] = entry.turn
            self.odd.append(odd)
        self._spans.sort()
        self._starts = [first for first, _, _ in self._spans]

    def of_line(self, line: int) -> tuple[str, ...]:
        """Return the ids of the summaries that cover a turn, the nearest first."""
        span = bisect_right(self._starts, line) - 1
        if span < 0 or line > self._spans[span][1]:
            return ()
        name = self._spans[span][2]
        return (f"{self._path}#{name}", *self.of_summary(name))

    def of_summary(self, name: str) -> tuple[str, ...]:
        """Return the ids of the summaries that cover another one, the nearest first."""
        ids = []
        while above := self._above.get(name):  # levels rise, so this ends
            ids.append(f"{self._path}#{above}")
            name = above
        return tuple(ids)

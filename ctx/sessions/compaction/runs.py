"""Which turns are summarised together, run by run."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ctx.errors import FileError
from ctx.model import Summary, Turn
from ctx.read import lineage, sessions
from ctx.read.lineage import Declined, Elevated, Lineage, Record, Run, Spans
from ctx.read.transcripts import stored
from ctx.sessions.compaction.look import Look, Looking, Tail, is_rule, name_of
from ctx.sessions.compaction.making import Held, Makes, Silenced
from ctx.sessions.survey import Survey

SIZE = 20
"""k: turns of a cluster by default."""


def normalised(size: int) -> int:
    """Return the target size k, at least 1: a ``size`` that is not positive is 20 (section 5)."""
    return size if size > 0 else SIZE


def cluster_count(n: int, size: int = SIZE) -> int:
    """Return c = ⌈max(n, 1) / k⌉, how many clusters n turns become (section 5); at least 1."""
    return -(-max(n, 1) // normalised(size))


def cluster_of(i: int, n: int, c: int) -> int:
    """Return ⌊i·c / max(n, 1)⌋, the cluster of turn i of n, both counted from 0 (section 5).

    In whole numbers, so that no session is too long for it.
    """
    return i * c // max(n, 1)


class Asked(NamedTuple):
    """The options of a compaction."""

    size: int
    """Turns of each summary; 20 if not positive."""
    tail: Tail
    when: str
    """When it begins, ISO 8601."""


class Began(NamedTuple):
    """A run begins, or is continued."""

    run: Run
    left: int
    """Turns of it that are still to be done."""


Event = Look | Began | Silenced | Elevated | Declined | Summary


class Work:
    """One session: what is done, what is to do, and doing it."""

    def __init__(
        self,
        state: str,
        name: str,
        asked: Asked,
        found: Survey,
        put: Callable[[str, dict[str, object]], None] = lambda _kind, _fields: None,
    ) -> None:
        """Read what is done already; ``put`` writes a record."""
        self._state, self._name, self._asked = state, name, asked
        self._found, self._put = found, put
        self.lineage = Lineage(found)
        for record in lineage.records(state, name):
            self.lineage.take(record)

    @property
    def unfinished(self) -> bool:
        """Whether the last run stopped before its end."""
        full = any(len(waiting) >= SIZE for waiting in self.lineage.waiting.values())
        return full or not self.lineage.whole

    def look(self) -> Look:
        """Return the state of the session; rules count as turns to summarise."""
        return self._whole(lambda _turn: False)

    def all(self, maker: Makes) -> Iterator[Event]:
        """Do what the last run left, then what is new."""
        for level in sorted(self.lineage.waiting):
            yield from self._rise(level, maker)
        run = self.lineage.run
        if run and not self.lineage.whole:
            at = self._looking(self.lineage.before, is_rule)
            seen = at.at(self._found, run.start, run.end)
            if (seen.melts, seen.rules) == (run.turns, run.elevated):
                yield from self._do(run, maker)
            # Else the session or the reader of rules has changed: the run ends here.
        seen = self._whole(is_rule)
        if seen.melts or seen.rules:
            size = normalised(self._asked.size)
            pieces = cluster_count(seen.melts, size) if seen.melts else 0
            run = Run(
                seen.start, seen.end, seen.melts, seen.rules, pieces, size, self._asked.when,
                maker.space,
            )  # fmt: skip
            self._write(run)
            yield from self._do(run, maker)

    def _looking(self, done: Spans, rule: Callable[[Turn], bool]) -> Looking:
        return Looking(self._state, self._name, self._asked.tail, done, rule)

    def _whole(self, rule: Callable[[Turn], bool]) -> Look:
        """Read the whole session; FileError if it has lost lines that are done."""
        done = self.lineage.done
        seen = self._looking(done, rule).whole(self._found)
        if done.last > seen.lines:
            raise FileError(
                f"{sessions.FOLDER}/{self._name}: has {seen.lines:,} lines, where {done.last:,} "
                "are summarised",
                f"if that is right, move {lineage.FOLDER}/{self._name} away and compact again",
            )
        return seen

    def _write(self, record: Record) -> None:
        if not self.lineage.take(record):
            raise RuntimeError(f"a record of the type {type(record).__name__} that does not fit")
        self._put(type(record).__name__.lower(), record._asdict())

    def _do(self, run: Run, maker: Makes) -> Iterator[Event]:
        """Do what is left of ``run``, in the order of the session."""
        state = self.lineage
        yield Began(run, run.turns + run.elevated - state.turns - state.elevated)
        melted, raised = state.melted, state.raised
        for piece in self._pieces(run, state.before):
            if isinstance(piece, Elevated):
                if piece.line > raised:
                    self._write(piece)
                    yield piece
            elif piece.last > melted:
                if piece.meets(state.done):
                    return  # clustered differently than before: a new run continues
                made = maker.of_turns(piece, run.compacted)
                yield from maker.remarks()
                self._write(made)
                yield made
                yield from self._rise(1, maker)

    def _rise(self, level: int, maker: Makes) -> Iterator[Event]:
        """Summarise summaries of a level, as soon as there are enough uncovered ones."""
        run = self.lineage.run
        while run and len(waiting := self.lineage.waiting.get(level, [])) >= SIZE:
            made = maker.of_summaries(waiting[:SIZE], run.compacted)
            yield from maker.remarks()
            self._write(made)
            yield made
            yield from self._rise(level + 1, maker)

    def _pieces(self, run: Run, before: Spans) -> Iterator[Elevated | Held]:
        """Yield the rules and the clusters of ``run``, in the order of the session.

        A bundle goes whole to the cluster of its first turn.
        """
        rules = self._found.elevated(run.start, run.end)
        bundles = _Bundles(self._found.melting(run.start, run.end))
        rule, held, number, index = next(rules, 0), Held(), 0, 0
        for line in stored.raw(self._state, self._name):
            if line.number > run.end:
                break
            turn = stored.turn_of(line, self._name) if line.number >= run.start else None
            if turn is None or line.number in before:
                continue
            line_turn = stored.Stored(line.number, turn, line.data)
            if line.number == rule:
                yield Elevated(line.number, name_of(line_turn))
                rule = next(rules, 0)
                continue
            wanted = cluster_of(index, run.turns, run.clusters)
            if wanted != number and not bundles.holds_back(line.number):
                if held.turns:
                    yield held
                held, number = Held(), wanted
            held.add(line_turn)
            index += 1
        if held.turns:
            yield held


class _Bundles:
    """Spans of lines that stay together, queried by rising line."""

    def __init__(self, spans: Iterator[tuple[int, int]]) -> None:
        self._spans = spans
        self._span = next(spans, None)

    def holds_back(self, line: int) -> bool:
        """Return whether a cut before ``line`` would split a bundle."""
        while self._span and self._span[1] < line:
            self._span = next(self._spans, None)
        return self._span is not None and self._span[0] < line

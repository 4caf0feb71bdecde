"""Which turns are summarised together, run by run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import FileError
from ctx.read import lineage, sessions
from ctx.read.lineage import Elevated, Lineage, Run
from ctx.read.transcripts import stored
from ctx.sessions.compaction.look import Looking, Tail, is_rule, name_of
from ctx.sessions.compaction.making import Held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ctx.model import Summary, Turn
    from ctx.read.lineage import Declined, Record, Spans
    from ctx.read.transcripts.stored import Stored
    from ctx.sessions.compaction.look import Look
    from ctx.sessions.compaction.making import Makes, Silenced
    from ctx.sessions.survey import Survey


SIZE = 20
"""k: turns of a cluster, where nothing else is asked for."""


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
    """What a compaction is to do."""

    size: int
    """Turns that a summary stands for; what is not positive is 20."""
    tail: Tail
    when: str
    """When it begins, ISO 8601."""


class Began(NamedTuple):
    """A run begins, or goes on."""

    run: Run
    left: int
    """Turns of it that are still to be done."""


def _nowhere(_kind: str, _fields: dict[str, object]) -> None:
    """Write nothing."""


class Work:
    """One session: what is done, what is to do, and doing it."""

    def __init__(
        self,
        state: str,
        name: str,
        asked: Asked,
        found: Survey,
        put: Callable[[str, dict[str, object]], None] = _nowhere,
    ) -> None:
        """Learn what is done already; ``put`` writes a record."""
        self._state, self._name, self._asked = state, name, asked
        self._found, self._put = found, put
        self.lineage = Lineage(found)
        for one in lineage.records(state, name):
            self.lineage.take(one)

    @property
    def unfinished(self) -> bool:
        """Whether the last run stopped before its end."""
        full = any(len(one) >= SIZE for one in self.lineage.waiting.values())
        return full or not self.lineage.whole

    def look(self) -> Look:
        """Return how the session stands; rules count as turns to melt."""
        return self._whole(_no_rule)

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
            # Else the session or the reader of rules has changed: the run ends where it is.
        seen = self._whole(is_rule)
        if seen.melts or seen.rules:
            run = self._run(seen, maker.space)
            self._write(run)
            yield from self._do(run, maker)

    def _looking(self, done: Spans, rule: Callable[[Turn], bool]) -> Looking:
        return Looking(self._state, self._name, self._asked.tail, done, rule)

    def _whole(self, rule: Callable[[Turn], bool]) -> Look:
        """Look through the session; FileError where it has lost lines that are done."""
        done = self.lineage.done
        seen = self._looking(done, rule).whole(self._found)
        if done.last > seen.lines:
            raise FileError(
                f"{sessions.FOLDER}/{self._name}: has {seen.lines:,} lines, where {done.last:,} "
                "are summarised",
                f"if that is right, move {lineage.FOLDER}/{self._name} away and compact again",
            )
        return seen

    def _run(self, seen: Look, space: str) -> Run:
        size = normalised(self._asked.size)
        pieces = cluster_count(seen.melts, size) if seen.melts else 0
        return Run(
            seen.start, seen.end, seen.melts, seen.rules, pieces, size, self._asked.when, space
        )

    def _write(self, one: Record) -> None:
        if not self.lineage.take(one):
            raise RuntimeError(f"a record of the type {type(one).__name__} that does not fit")
        self._put(type(one).__name__.lower(), one._asdict())

    def _do(self, run: Run, maker: Makes) -> Iterator[Event]:
        """Do what is left of ``run``, in the order of the session."""
        state = self.lineage
        yield Began(run, run.turns + run.elevated - state.turns - state.elevated)
        melted, raised = state.melted, state.raised
        for one in self._pieces(run, state.before):
            if isinstance(one, Elevated):
                if one.line > raised:
                    self._write(one)
                    yield one
            elif one.last > melted:
                if one.meets(state.done):
                    return  # cut otherwise than before: the run ends here, a new one goes on
                made = maker.of_turns(one, run.compacted)
                yield from maker.remarks()
                self._write(made)
                yield made
                yield from self._rise(1, maker)

    def _rise(self, level: int, maker: Makes) -> Iterator[Event]:
        """Summarise summaries of a level, as soon as there are enough that none covers."""
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
        for one in self._within(run):
            if one.line in before:
                continue
            if one.line == rule:
                yield Elevated(one.line, name_of(one))
                rule = next(rules, 0)
                continue
            wanted = cluster_of(index, run.turns, run.clusters)
            if wanted != number and not bundles.holds_back(one.line):
                if held.turns:
                    yield held
                held, number = Held(), wanted
            held.add(one)
            index += 1
        if held.turns:
            yield held

    def _within(self, run: Run) -> Iterator[Stored]:
        """Yield the turns in the lines of ``run``; what stands before them is not parsed."""
        for line in stored.raw(self._state, self._name):
            if line.number > run.end:
                return
            turn = stored.turn_of(line, self._name) if line.number >= run.start else None
            if turn is not None:
                yield stored.Stored(line.number, turn, line.data)


def _no_rule(_turn: Turn) -> bool:
    return False


class _Bundles:
    """Spans of lines that stay together, asked for by rising line."""

    def __init__(self, spans: Iterator[tuple[int, int]]) -> None:
        self._spans = spans
        self._span = next(spans, None)

    def holds_back(self, line: int) -> bool:
        """Return whether a cut before ``line`` would split a bundle."""
        while self._span and self._span[1] < line:
            self._span = next(self._spans, None)
        return self._span is not None and self._span[0] < line


if TYPE_CHECKING:
    Event = Look | Began | Silenced | Elevated | Declined | Summary

"""Compaction: the turns of a session become clusters, and each cluster a summary.

    sessions/x.jsonl --look--> run --clusters--> summaries --> sessions/summaries/x.jsonl

Two passes through the session's file, which hold of it what is small: the first finds the tail,
the rules and the bundles, the second summarises. A run is written before its
clusters and fixes them, so that an interrupted one is continued, not repeated.
"""

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sized
from typing import NamedTuple

from ctx.errors import FileError
from ctx.hosts.wrappers import spoken
from ctx.model import Counter, Summary, Turn
from ctx.model.boundaries import Boundaries, base_start, longest
from ctx.model.transcripts import Line
from ctx.read import lineage, sessions, stored
from ctx.read.authored.deontic.talk import gives_a_rule
from ctx.read.instructing.own import own
from ctx.read.lineage import Declined, Elevated, Lineage, Record, Run, Spans
from ctx.sessions.compaction.making import Maker, Means, Silenced, TurnCluster, name_of
from ctx.sessions.summaries import Journal, is_torn

__all__ = [
    "SIZE", "Began", "Event", "Look", "Means", "Mended", "Planned", "Settings", "Silenced",
    "Tail", "cluster_count", "cluster_of", "compact", "is_rule", "look", "normalised", "plan",
]  # fmt: skip

SIZE = 20  # k: turns of a cluster by default
LONGEST_RULE = 64 * 1024  # characters of a user's turn that is read for rules: longer is pasted
_MOST_PER_TOKEN = 128  # maximum of characters that any tokenizer counts as one token


class Tail(NamedTuple):
    """What a packet may include as the tail of a session."""

    turns: int  # always included; at least 1
    tokens: int  # the budget's share, up to which the tail is extended
    counter: Counter


class Settings(NamedTuple):
    """The options of a compaction."""

    size: int  # turns of each summary; 20 if not positive
    tail: Tail
    when: str  # when it begins, ISO 8601


class Look(NamedTuple):
    """What one pass through a session has found."""

    lines: int  # of the file, as far as it was read
    turns: int
    tail: int  # turns that are left alone, since a packet may include them as they are
    pending: int  # turns before the tail that are neither done nor rules
    rules: int  # turns before the tail that are not done, and in which a user gave a rule
    start: int  # line of the first turn that is not done; 0 if there is none
    end: int  # last line before the tail


class Began(NamedTuple):
    """A run begins, or is continued."""

    run: Run
    left: int  # turns of it that are still to be done


class Mended(NamedTuple):
    """The file of summaries was torn by an interruption, and is whole again."""

    what: str


Event = Look | Began | Silenced | Elevated | Declined | Summary | Mended


class Planned(NamedTuple):
    """What a compaction would do."""

    tail: int  # turns that are left alone
    turns: int  # turns that would be summarised
    clusters: int
    elevated: int


def compact(
    state: str, name: str, settings: Settings, means: Means
) -> Generator[Event, None, None]:
    """Compact the session in the file ``name``, yielding what was found and then each record.

    A record is yielded when it is written. Raises FileError, OSError and RefusedError if a file
    cannot be read or written, or another process compacts this session, EmbeddingError if the
    vector space fails: what was written before stays, and the next call goes on.
    """
    work = _Work(state, name, settings)
    seen = work.look()
    yield seen
    if not (seen.pending or work.unfinished or is_torn(state, name)):
        return
    # Files are made only now; changes of another process meanwhile are seen under its lock.
    with Journal(state, name) as journal:
        yield from map(Mended, journal.remarks)
        work = _Work(state, name, settings, journal.add)
        yield from work.all(Maker(stored.identity(state, name), work.lineage, means))
        journal.settle()


def plan(state: str, name: str, settings: Settings) -> Planned:
    """Return what ``compact`` would do; raises likewise, and writes nothing."""
    work = _Work(state, name, settings)
    tail = work.look().tail
    turns = clusters = rules = 0
    for record in work.all(Maker("", work.lineage, None)):
        if isinstance(record, Elevated):
            rules += 1
        elif isinstance(record, Declined) and record.level == 1:
            turns, clusters = turns + record.turns, clusters + 1
    return Planned(tail, turns, clusters, rules)


def look(state: str, name: str, settings: Settings) -> Look:
    """Return the state of a session; rules among new turns count as turns to summarise."""
    return _Work(state, name, settings).look()


def is_rule(turn: Turn) -> bool:
    """Return whether a user gives a rule in ``turn``, and has not only pasted it."""
    short = turn.role == "user" and len(turn.text) <= LONGEST_RULE
    return short and gives_a_rule(own(spoken(turn.text)[0]))


def normalised(size: int) -> int:
    """Return the target size k, at least 1: a ``size`` that is not positive is 20 (section 5)."""
    return size if size > 0 else SIZE


def cluster_count(n: int, size: int = SIZE) -> int:
    """Return c = ⌈max(n, 1) / k⌉, how many clusters n turns become (section 5); at least 1."""
    return -(-max(n, 1) // normalised(size))


def cluster_of(i: int, n: int, c: int) -> int:
    """Return ⌊i·c / max(n, 1)⌋ in whole numbers: the cluster of turn i of n, from 0 (section 5)."""
    return i * c // max(n, 1)


class _Work:
    def __init__(
        self,
        state: str,
        name: str,
        settings: Settings,
        put: Callable[[Record], None] = lambda _record: None,
    ) -> None:
        """Read what is done already; ``put`` writes a record."""
        self._state, self._name, self._settings = state, name, settings
        self._put = put
        self._rules: list[int] = []  # lines of turns in which a user gave a rule, rising
        self._bundles = Boundaries()  # of the turns that are to be summarised, by their number
        self._back = stored.back(state, name)
        self.lineage = Lineage()
        for record in lineage.records(state, name):
            self.lineage.take(record)

    @property
    def unfinished(self) -> bool:
        """Whether the last run stopped before its end."""
        full = any(len(waiting) >= SIZE for waiting in self.lineage.waiting.values())
        return full or not self.lineage.whole

    def look(self, rule: Callable[[Turn], bool] = lambda _turn: False) -> Look:
        """Read the session, turns of a ``rule`` as done; FileError if it has lost what is done."""
        done = self.lineage.done
        seen = self._pass(done, rule)
        if done.last > seen.lines:
            raise FileError(
                f"{sessions.FOLDER}/{self._name}: has {seen.lines:,} lines, where {done.last:,} "
                "are summarised",
                f"if that is right, move {lineage.FOLDER}/{self._name} away and compact again",
            )
        return seen

    def _pass(
        self, done: Spans, rule: Callable[[Turn], bool], first: int = 1, last: int | None = None
    ) -> Look:
        """Read a session, its rules and bundles; up to ``last``, as before a tail."""
        self._rules, self._bundles = [], Boundaries()
        tail = _Ending(self._settings.tail)
        turns, pending = array("Q"), array("Q")  # lines of turns; places among these
        lines = start = 0
        for line in stored.raw(self._state, self._name):
            if last is not None and line.number > last:
                break
            lines = line.number
            turn = self._turn(line)
            if turn is None:
                continue
            is_open = lines >= first and lines not in done
            start = start or (lines if is_open else 0)
            if is_open and rule(turn):
                self._rules.append(lines)
                is_open = False
            if is_open:
                if turn.bundle:
                    self._bundles.add(len(pending), turn.bundle)
                pending.append(len(turns))
            if last is None:
                tail.add(len(turns), turn)
            turns.append(lines)
        end = tail.start(turns) if last is None else len(turns)
        after = turns[end] if end < len(turns) else lines + 1
        return Look(
            lines, len(turns), len(turns) - end, bisect_left(pending, end),
            bisect_left(self._rules, after), start, after - 1,
        )  # fmt: skip

    def _turn(self, line: Line) -> Turn | None:
        """Return the turn in a line; one that its user took back says nothing."""
        turn = stored.turn_of(line, self._name)
        return turn._replace(role="tool", text="") if turn and turn.id in self._back else turn

    def all(self, maker: Maker) -> Iterator[Event]:
        """Do what the last run left, then what is new."""
        for level in sorted(self.lineage.waiting):
            yield from self._rise(level, maker)
        run = self.lineage.run
        if run and not self.lineage.whole:
            seen = self._pass(self.lineage.before, is_rule, run.start, run.end)
            if (seen.pending, seen.rules) == (run.turns, run.elevated):
                yield from self._do(run, maker)
            # Else the session or the reader of rules has changed: the run ends here.
        seen = self.look(is_rule)
        if seen.pending or seen.rules:
            size = normalised(self._settings.size)
            clusters = cluster_count(seen.pending, size) if seen.pending else 0
            run = Run(
                seen.start, seen.end, seen.pending, seen.rules, clusters, size,
                self._settings.when, maker.space,
            )  # fmt: skip
            self._write(run)
            yield from self._do(run, maker)

    def _write(self, record: Record) -> None:
        if not self.lineage.take(record):
            raise RuntimeError(f"a record of the type {type(record).__name__} that does not fit")
        self._put(record)

    def _do(self, run: Run, maker: Maker) -> Iterator[Event]:
        """Do what is left of ``run``, in the order of the session."""
        state = self.lineage
        yield Began(run, run.turns + run.elevated - state.turns - state.elevated)
        covered, elevated = state.last_covered, state.last_elevated
        for piece in self._pieces(run, state.before):
            if isinstance(piece, Elevated):
                if piece.line > elevated:
                    self._write(piece)
                    yield piece
            elif piece.last > covered:
                if piece.meets(state.done):
                    return  # clustered differently than before: a new run continues
                made = maker.of_turns(piece, run.compacted)
                yield from maker.remarks()
                self._write(made)
                yield made
                yield from self._rise(1, maker)

    def _rise(self, level: int, maker: Maker) -> Iterator[Event]:
        """Summarise summaries of a level, as soon as there are enough uncovered ones."""
        run = self.lineage.run
        while run and len(waiting := self.lineage.waiting.get(level, [])) >= SIZE:
            made = maker.of_summaries(waiting[:SIZE], run.compacted)
            yield from maker.remarks()
            self._write(made)
            yield made
            yield from self._rise(level + 1, maker)

    def _pieces(self, run: Run, before: Spans) -> Iterator[Elevated | TurnCluster]:
        """Yield rules and clusters of ``run``; a bundle is in the cluster of its first turn."""
        rules = {*self._rules}
        cluster, number, index = TurnCluster(), 0, 0
        for line in stored.raw(self._state, self._name):
            if line.number > run.end:
                break
            turn = self._turn(line) if line.number >= run.start else None
            if turn is None or line.number in before:
                continue
            entry = stored.Stored(line.number, turn, line.data)
            if line.number in rules:
                yield Elevated(line.number, name_of(entry))
                continue
            wanted = cluster_of(index, run.turns, run.clusters)
            if wanted != number and self._bundles.back(index) == index:
                if cluster.turns:
                    yield cluster
                cluster, number = TurnCluster(), wanted
            cluster.add(entry)
            index += 1
        if cluster.turns:
            yield cluster


class _Ending:
    """The last turns of a session, as many as its tail could hold beside its base."""

    def __init__(self, tail: Tail) -> None:
        self._tail = tail
        self._boundaries = Boundaries()
        self._texts: deque[str] = deque()
        self._least = 0  # least number of tokens of these texts

    def add(self, place: int, turn: Turn) -> None:
        """Add the next turn, and drop texts that no tail could hold."""
        if turn.bundle:
            self._boundaries.add(place, turn.bundle)
        self._texts.append(turn.text)
        self._least += _least(turn.text)
        while len(self._texts) > self._tail.turns:
            rest = self._least - _least(self._texts[0])
            if rest <= self._tail.tokens:
                break
            self._texts.popleft()
            self._least = rest

    def start(self, turns: Sized) -> int:
        """Return where the tail of ``turns`` starts, at the latest as in ``ctx.fit.continuity``."""
        dropped, texts = len(turns) - len(self._texts), list(self._texts)

        def price(place: int) -> int:
            if place < dropped:
                return self._tail.tokens + 1
            return max(1, self._tail.counter.count(texts[place - dropped]))

        base = base_start(turns, self._tail.turns, self._boundaries)
        room = self._tail.tokens - sum(map(price, range(max(base, dropped), len(turns))))
        return longest(base, self._boundaries, price, room)


def _least(text: str) -> int:
    return max(1, len(text) // _MOST_PER_TOKEN)

"""One pass through a session: its tail, its bundles, and the turns in which a user gave a rule."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from ctx.model import Counter, Turn
from ctx.read.authored.deontic.talk import gives_a_rule
from ctx.read.lineage import Spans
from ctx.read.transcripts import stored
from ctx.read.transcripts.stored import Stored
from ctx.sessions.survey import Place, Survey

LONGEST_RULE = 64 * 1024
"""Characters of a user's turn that is read for rules: longer ones were pasted."""
_MOST_PER_TOKEN = 128
"""Maximum of characters that any tokenizer counts as one token."""


class Tail(NamedTuple):
    """What a packet may include as the tail of a session."""

    turns: int
    """Always included; at least 1."""
    tokens: int
    """The budget's share, up to which the tail is extended."""
    counter: Counter


class Look(NamedTuple):
    """What one pass through a session has found."""

    lines: int
    """Of the file, as far as it was read."""
    turns: int
    tail: int
    """Turns that are left alone, since a packet may include them as they are."""
    melts: int
    """Turns before the tail that are neither done nor rules."""
    rules: int
    """Turns before the tail that are not done, and in which a user gave a rule."""
    start: int
    """Line of the first turn that is not done; 0 if there is none."""
    end: int
    """Last line before the tail."""


def is_rule(turn: Turn) -> bool:
    """Return whether a user gives a rule in ``turn``, as the deontic reader reads talk."""
    short = turn.role == "user" and len(turn.text) <= LONGEST_RULE
    return short and gives_a_rule(turn.text)


def name_of(line: Stored) -> str:
    """Return the id of a turn, or one made of its line if it has none."""
    return line.turn.id or f"line-{line.line}"


class Looking(NamedTuple):
    """Which session is read, and what for."""

    state: str
    name: str
    """Of its file."""
    tail: Tail
    done: Spans
    """Lines that are done already."""
    rule: Callable[[Turn], bool]
    """Returns whether a turn is a rule, and so not summarised."""

    def whole(self, found: Survey) -> Look:
        """Read all of the session; bundles and rules are left in ``found``."""
        return self._look(found, 1, None)

    def at(self, found: Survey, first: int, last: int) -> Look:
        """Read the lines from ``first`` to ``last`` as what precedes a tail."""
        return self._look(found, first, last)

    def _look(self, found: Survey, first: int, last: int | None) -> Look:
        found.forget()
        ending = _Ending(self.tail)
        lines = turns = melts = start = 0
        for line in stored.raw(self.state, self.name):
            if last is not None and line.number > last:
                break
            lines = line.number
            turn = stored.turn_of(line, self.name)
            if turn is None:
                continue
            place = Place(lines, turns, melts)
            is_open = lines >= first and lines not in self.done
            start = start or (lines if is_open else 0)
            if is_open and self.rule(turn):
                found.elevate(lines)
                is_open = False
            if turn.bundle:
                found.bundle(turn.bundle, place, melts=is_open)
            if last is None:
                ending.add(place, turn.text)
            turns += 1
            melts += is_open
        found.join()
        end = ending.start(found) or Place(lines + 1, turns, melts)
        rules = found.rules(end.line)
        return Look(lines, turns, turns - end.turns, end.open, rules, start, end.line - 1)


class _Ending:
    """The last turns of a session, as many as its tail could hold beside its base."""

    def __init__(self, tail: Tail) -> None:
        self._tail = tail
        self._turns: deque[tuple[Place, str]] = deque()
        self._least = 0
        """Least number of tokens of their texts."""

    def add(self, place: Place, text: str) -> None:
        """Add the next turn, and drop turns that no tail could hold."""
        self._turns.append((place, text))
        self._least += _least(text)
        while len(self._turns) > self._tail.turns:
            rest = self._least - _least(self._turns[0][1])
            if rest <= self._tail.tokens:
                break
            self._turns.popleft()
            self._least = rest

    def start(self, found: Survey) -> Place | None:
        """Return where the tail starts; None without turns.

        As ``ctx.fit.continuity``, but by the tokens of texts alone: never shorter than what a
        packet includes, which has headings and fences as well.
        """
        if not self._turns:
            return None
        turns = list(self._turns)
        start = found.back(turns[max(0, len(turns) - self._tail.turns)][0])
        at = _first(turns, start, len(turns))
        room = self._tail.tokens - self._price(turns[at:])
        while at and turns[at][0] == start and room > 0:
            earlier = found.back(turns[at - 1][0])
            first = _first(turns, earlier, at)
            room -= self._price(turns[first:at])
            if room < 0 or turns[first][0] != earlier:
                break
            start, at = earlier, first
        return start

    def _price(self, turns: list[tuple[Place, str]]) -> int:
        return sum(max(1, self._tail.counter.count(text)) for _, text in turns)


def _first(turns: list[tuple[Place, str]], start: Place, end: int) -> int:
    """Return the index of the first of ``turns``, before ``end``, that is not before ``start``."""
    while end and turns[end - 1][0].line >= start.line:
        end -= 1
    return end


def _least(text: str) -> int:
    return max(1, len(text) // _MOST_PER_TOKEN)

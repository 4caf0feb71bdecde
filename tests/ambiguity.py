"""In how many ways a regular expression can read a string: suspected strings for ``backtracking``.

The positions of the pattern's characters are the states of an automaton whose edges count in how
many ways one character follows another (Glushkov; Weber and Seidl, "On the degree of ambiguity
of finite automata", 1991). Two different ways from a state back to itself on one word make the
work exponential; a way from one loop to another on a word that both read adds a degree.
Possessive and atomic parts count as ordinary ones, what looks ahead as a way that leads nowhere:
more is suspected than is true.
"""

# ruff: noqa: ANN401 - parse trees have no types

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")
Pos = int
START: Pos = 0
"""The state before any character: a search stays there, and begins at every place of a text."""
MANY = 64
"""Repetitions from which on a bounded repeat is looked at as if it had no bound."""
MOST_STATES = 400_000
"""Of a product that are looked at; a pattern with more cannot be judged."""


class NotJudgedError(Exception):
    """A pattern is too large to look at, or has a part that nobody knows."""


class Pump(NamedTuple):
    """A string of any length: a beginning, and parts to be repeated, each with what follows it."""

    start: str
    parts: tuple[tuple[str, str], ...]
    degree: int
    """What its work is suspected to grow with: 2 for the square of its length; 3 for more."""

    def text(self, times: int) -> str:
        return self.start + "".join(part * times + after for part, after in self.parts)


# --- characters -----------------------------------------------------------------------------

SAMPLES = (
    "aeknstAEKSZ059_-+*/.,:;!?#$%&@|~^<>()[]{}=\"'`\\ \t\n\r\v\f\x1c\x00\x7f\x85\xa0"
    "\xe9\xdf\u03c0\u0414\u05d0\u0905\u0663\xb2\u2167\u65e5\u304b\u30ab\ud55c\u0301\u200b\u2028"
    "\u201c\u201d\u2018\u2019\u2013\u2014\u2026\u3002\uff1f\uff01\uff0c\uff1b\u061f\U0001f600"
)

_COMPILED: dict[tuple[str, int, bool], tuple[Any, dict[str, bool]]] = {}
"""What finds a character of a pattern, and which characters it took so far."""


class Atom:
    """One character of a pattern."""

    def __init__(self, item: Any, state: Any, *, binary: bool) -> None:
        self.key = str(item), state.flags, binary
        if self.key not in _COMPILED:
            found = _compiler.compile(_parser.SubPattern(state, [item]), state.flags)
            _COMPILED[self.key] = found, {}
        self._found, self._known = _COMPILED[self.key]
        self._binary = binary

    def takes(self, char: str) -> bool:
        known = self._known.get(char)
        if known is None:
            text = char.encode("latin-1") if self._binary else char
            known = self._known[char] = self._found.match(text) is not None
        return known


SINGLE = frozenset({"LITERAL", "NOT_LITERAL", "IN", "ANY"})
REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


def flagged(state: Any, add: int, drop: int) -> Any:
    new = _parser.State()
    new.__dict__.update(state.__dict__)
    new.flags = (state.flags | add) & ~drop
    return new


def _literals(tree: Any) -> Iterator[int]:
    """Yield every code point that a pattern names."""
    for op, argument in tree:
        name = str(op)
        if name in ("LITERAL", "NOT_LITERAL"):
            yield argument
        elif name == "RANGE":
            yield from argument
        elif name == "IN":
            yield from _literals(argument)
        else:
            for inner in parts(op, argument):
                yield from _literals(inner)


def parts(op: Any, argument: Any) -> list[Any]:
    """Return the parts that an item of a parse tree is made of."""
    name = str(op)
    if name in REPEATS:
        return [argument[2]]
    if name == "BRANCH":
        return list(argument[1])
    if name == "SUBPATTERN":
        return [argument[3]]
    if name == "ATOMIC_GROUP":
        return [argument]
    if name in ("ASSERT", "ASSERT_NOT"):
        return [argument[1]]
    return []


# --- the automaton --------------------------------------------------------------------------


class _Shape(NamedTuple):
    """A part of a pattern: in how many ways it is empty, begins and ends; 2 stands for more."""

    empty: int
    first: dict[Pos, int]
    last: dict[Pos, int]


_EMPTY = _Shape(1, {}, {})


def _times(one: int, other: int) -> int:
    return min(2, one * other)


def _sum(*runs: dict[Pos, int]) -> dict[Pos, int]:
    total: dict[Pos, int] = defaultdict(int)
    for run in runs:
        for pos, count in run.items():
            total[pos] = min(2, total[pos] + count)
    return {pos: count for pos, count in total.items() if count}


class _Step(NamedTuple):
    """A word that is read round one loop, round another, and from the one to the other."""

    loop: Pos
    other: Pos
    begin: Pos
    """Of the first loop, where the word begins and ends."""
    end: Pos
    word: str


class Automaton:
    """The positions of a pattern's characters, and how they follow each other."""

    def __init__(self, tree: Any, *, binary: bool, anchored: bool) -> None:
        self._binary = binary
        self._atoms: list[Atom | None] = [None]
        self._edges: dict[Pos, dict[Pos, int]] = defaultdict(dict)
        self._groups: dict[int, tuple[Any, Any]] = {}
        whole = self._sequence(tree, tree.state)
        if not anchored:
            self._join({START: 1}, {START: 1})
        self._join({START: 1}, whole.first)
        self._chars = self._kinds(tree)
        self._next = self._table()
        self.ends = self._fails()

    # building

    def _join(self, last: dict[Pos, int], first: dict[Pos, int]) -> None:
        for one, ways in last.items():
            for other, more in first.items():
                before = self._edges[one].get(other, 0)
                self._edges[one][other] = min(2, before + ways * more)

    def _sequence(self, tree: Any, state: Any) -> _Shape:
        whole = _EMPTY
        for op, argument in tree:
            whole = self._after(whole, self._item(op, argument, state))
        return whole

    def _after(self, one: _Shape, other: _Shape) -> _Shape:
        self._join(one.last, other.first)
        begins = {pos: _times(one.empty, ways) for pos, ways in other.first.items() if one.empty}
        goes_on = {pos: _times(other.empty, ways) for pos, ways in one.last.items() if other.empty}
        return _Shape(
            _times(one.empty, other.empty), _sum(one.first, begins), _sum(other.last, goes_on)
        )

    def _item(  # noqa: C901, PLR0911 - a line for each kind
        self, op: Any, argument: Any, state: Any
    ) -> _Shape:
        name = str(op)
        if name in SINGLE:
            self._atoms.append(Atom((op, argument), state, binary=self._binary))
            pos = len(self._atoms) - 1
            return _Shape(0, {pos: 1}, {pos: 1})
        if name in REPEATS:
            return self._repeat(argument, state)
        if name == "BRANCH":
            shapes = [self._sequence(one, state) for one in parts(op, argument)]
            empty = min(2, sum(one.empty for one in shapes))
            return _Shape(
                empty, _sum(*(one.first for one in shapes)), _sum(*(one.last for one in shapes))
            )
        if name == "SUBPATTERN":
            group, add, drop, inner = argument
            state = flagged(state, add, drop)
            if group is not None:
                self._groups[group] = inner, state
            return self._sequence(inner, state)
        if name == "ATOMIC_GROUP":
            return self._sequence(argument, state)
        if name == "GROUPREF":
            return self._sequence(*self._groups[argument])
        if name in ("ASSERT", "ASSERT_NOT"):
            ahead, inner = argument
            looked = self._sequence(inner, state) if ahead > 0 else _EMPTY
            return _Shape(1, looked.first, {})  # a way that leads nowhere
        if name == "FAILURE":
            return _Shape(0, {}, {})
        if name == "AT":
            return _EMPTY
        raise NotJudgedError(name)

    def _repeat(self, argument: Any, state: Any) -> _Shape:
        least, most, inner = argument
        whole = _EMPTY
        for _ in range(min(least, 64)):
            whole = self._after(whole, self._sequence(inner, state))
        if most == least:
            return whole
        if most > MANY:
            one = self._sequence(inner, state)
            self._join(one.last, one.first)
            return self._after(whole, _Shape(min(2, 1 + one.empty), one.first, one.last))
        rest = _EMPTY
        for _ in range(min(most - least, 3)):  # x(x(x)?)?
            one = self._after(self._sequence(inner, state), rest)
            rest = _Shape(min(2, 1 + one.empty), one.first, one.last)
        return self._after(whole, rest)

    def _kinds(self, tree: Any) -> list[str]:
        points = {n + more for n in _literals(tree) for more in (-1, 0, 1)}
        most = 256 if self._binary else 0x110000
        own = (chr(n) for n in sorted(points) if 0 <= n < most)
        distinct = {atom.key: atom for atom in self._atoms[1:] if atom}
        kinds: dict[tuple[bool, ...], str] = {}
        for char in (*SAMPLES, *own):
            if ord(char) < most:
                takes = tuple(atom.takes(char) for atom in distinct.values())
                kinds.setdefault(takes, char)
        places = {key: place for place, key in enumerate(distinct)}
        at = [places[atom.key] for atom in self._atoms[1:] if atom]
        self._takes = {char: (True, *(takes[i] for i in at)) for takes, char in kinds.items()}
        return list(self._takes)

    def _table(self) -> dict[Pos, dict[str, list[tuple[Pos, int]]]]:
        table: dict[Pos, dict[str, list[tuple[Pos, int]]]] = {}
        for pos in range(len(self._atoms)):
            table[pos] = {}
            for char in self._chars:
                takes = self._takes[char]
                to = [(p, n) for p, n in self._edges[pos].items() if takes[p]]
                if to:
                    table[pos][char] = to
        return table

    def _fails(self) -> list[str]:
        rare = sorted(self._chars, key=lambda char: sum(self._takes[char]))
        return ["", *rare[:5], *(f"{char}{char}" for char in rare[:1]), "\n"]

    # looking

    def _successors(self, pos: Pos) -> list[Pos]:
        return list(self._edges[pos])

    def pumps(self) -> Iterator[Pump]:
        parts = _components(range(len(self._atoms)), self._successors)
        loops = [one for one in parts if len(one) > 1 or one[0] in self._edges[one[0]]]
        for loop in loops:
            if word := self._twice(loop):
                yield Pump(self._way(START, loop[0]), ((word, ""),), 3)
        reach = {loop[0]: self._reached(loop[0]) for loop in loops}
        once = [
            _Step(one[0], other[0], *found)
            for one in loops
            for other in loops
            if other is not one and other[0] in reach[one[0]]
            for found in self._between(one, other)
        ]
        for a in once:
            start = self._way(START, a.begin)
            for b in once:
                if b.loop == a.other or b.loop in reach[a.other]:
                    middle = self._way(a.end, b.begin)
                    yield Pump(start, ((a.word, middle), (b.word, "")), 3)
                    if not middle and a.word == b.word:
                        yield Pump(start, ((a.word, ""),), 3)
        for a in once:
            yield Pump(self._way(START, a.begin), ((a.word, ""),), 2)

    def _reached(self, pos: Pos) -> set[Pos]:
        found, waiting = set(), [pos]
        while waiting:
            for one in self._successors(waiting.pop()):
                if one not in found:
                    found.add(one)
                    waiting.append(one)
        return found

    def _way(self, start: Pos, end: Pos) -> str:
        if start == end:
            return ""
        return _search((start,), (end,), self._one) or ""

    def _one(self, state: tuple[Pos, ...]) -> Iterator[tuple[str, tuple[Pos, ...]]]:
        for char, to in self._next[state[0]].items():
            for pos, _ in to:
                yield char, (pos,)

    def _twice(self, loop: list[Pos]) -> str:
        inside = set(loop)
        first = loop[0]

        def steps(state: tuple[Pos, ...]) -> Iterator[tuple[str, tuple[Pos, ...]]]:
            a, b, differs = state
            for char, to in self._next[a].items():
                for p, ways in to:
                    if p in inside:
                        for q, _ in self._next[b].get(char, ()):
                            if q in inside:
                                new = differs or p != q or (a == b and ways > 1)
                                yield char, (p, q, int(new))

        return _search((first, first, 0), (first, first, 1), steps) or ""

    def _between(self, loop: list[Pos], other: list[Pos]) -> Iterator[tuple[Pos, Pos, str]]:
        left, right = set(loop), set(other)

        def steps(state: tuple[Pos, ...]) -> Iterator[tuple[str, tuple[Pos, ...]]]:
            a, b, c = state
            for char, to in self._next[a].items():
                lefts = [p for p, _ in to if p in left]
                rights = [p for p, _ in self._next[c].get(char, ()) if p in right]
                middles = self._next[b].get(char, ()) if lefts and rights else ()
                for middle, _ in middles:
                    for p in lefts:
                        for q in rights:
                            yield char, (p, middle, q)

        for p in loop[:8]:
            for q in other[:8]:
                if word := _search((p, p, q), (p, q, q), steps):
                    yield p, q, word
                    return


def _components(
    states: Iterable[Pos], successors: Callable[[Pos], list[Pos]]
) -> Iterator[list[Pos]]:
    """Yield the strongly connected parts of a graph (Tarjan), without recursion."""
    index: dict[Pos, int] = {}
    low: dict[Pos, int] = {}
    stack: list[Pos] = []
    held: set[Pos] = set()
    for root in states:
        work = [] if root in index else [(root, iter(successors(root)))]
        while work:
            pos, rest = work[-1]
            if pos not in index:
                index[pos] = low[pos] = len(index)
                stack.append(pos)
                held.add(pos)
            for one in rest:
                if one not in index:
                    work.append((one, iter(successors(one))))
                    break
                if one in held:
                    low[pos] = min(low[pos], index[one])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[pos])
                if low[pos] == index[pos]:
                    part: list[Pos] = []
                    while not part or part[-1] != pos:
                        part.append(stack.pop())
                        held.discard(part[-1])
                    yield part[::-1]


def _search(
    start: tuple[Pos, ...],
    end: tuple[Pos, ...],
    steps: Callable[[tuple[Pos, ...]], Iterator[tuple[str, tuple[Pos, ...]]]],
) -> str | None:
    """Return a shortest word of at least a character from ``start`` to ``end``."""
    came: dict[tuple[Pos, ...], tuple[tuple[Pos, ...], str]] = {}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        for char, new in steps(state):
            if new in came:
                continue
            came[new] = state, char
            if new == end:
                word = char
                while state != start:
                    state, before = came[state]
                    word = before + word
                return word
            waiting.append(new)
        if len(came) > MOST_STATES:
            raise NotJudgedError("too many states")
    return None

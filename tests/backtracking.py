"""How much work a regular expression can be made to do, counted in steps, not seconds.

``judge`` gives the strings that ``ambiguity`` suspects to a machine that backtracks as ``re``
does, possessive parts and all, at n, 2n, 4n, …, and looks how its steps grow.
"""

# ruff: noqa: ANN401 - parse trees have no types

from collections.abc import Callable, Sequence
from importlib import import_module
from math import log2
from typing import Any, NamedTuple

from tests.ambiguity import MANY, REPEATS, SINGLE, Atom, Automaton, NotJudgedError, Pump, flagged

_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")
_constants: Any = import_module("re._constants")
Program = list[tuple[Any, ...]]
"""Instructions: each a name and what it is about."""
Held = tuple[int | None, ...]
"""Where groups begin and end, and where turns of loops began."""
MOST_STEPS = 600_000
SIZES = (16, 32, 64, 128)
CUBIC, QUADRATIC = 2.5, 1.5
"""Exponents of growth from which on work is worse than quadratic, and than linear."""
LINEAR = 1.1
"""An exponent up to which the work is linear: a part that grows with the square of a text and
is as small as that at 64 makes no more than 1.2 of it at 128."""


class Verdict(NamedTuple):
    """What was found."""

    degree: int
    """What the work grows with: 1 for the length of a text, 2 for its square, 3 for more."""
    text: str = ""
    """The worst string."""


def judge(pattern: str | bytes, flags: int = 0, *, anchored: bool = False) -> Verdict:
    """Return how the work of ``pattern`` grows on the worst string that is found.

    ``anchored`` for one that is only tried at one place of a text, else at all. What is more
    than quadratic was counted, what is quadratic is suspected. Raises NotJudgedError where
    nothing can be told.
    """
    tree = _parser.parse(pattern, flags)
    binary = isinstance(pattern, bytes)
    automaton = Automaton(tree, binary=binary, anchored=anchored)
    machine = Machine(tree, binary=binary, anchored=anchored)
    worst = Verdict(1)
    for pump in dict.fromkeys(automaton.pumps()):
        for end in automaton.ends:
            if pump.degree > worst.degree:
                found = _degree(machine, pump, end)
                worst = max(worst, found, key=lambda one: one.degree)
    return worst


def machine_of(pattern: str) -> "Machine":
    """Return what searches a pattern."""
    return Machine(_parser.parse(pattern), binary=False, anchored=False)


def shown(pump: Pump, end: str = "") -> str:
    """Return a string as messages show it."""
    return " ".join((f"{pump.start!r}", *(f"{a!r}*n {b!r}" for a, b in pump.parts), f"{end!r}"))


def _degree(machine: "Machine", pump: Pump, end: str) -> Verdict:
    steps: list[int] = []
    for size in SIZES:
        steps.append(machine.steps(pump.text(size) + end))
        if steps[-1] >= MOST_STEPS or (len(steps) > 2 and log2(steps[-1] / steps[-2]) <= LINEAR):
            break
    if len(steps) <= 2:
        return Verdict(3, shown(pump, end))
    growth = log2(steps[-1] / steps[-2])
    if steps[-1] >= MOST_STEPS:
        growth = max(growth, log2(steps[-2] / steps[-3]))
    return Verdict(3 if growth >= CUBIC else 2 if growth >= QUADRATIC else 1, shown(pump, end))


class _OutOfStepsError(Exception):
    """The work is more than anybody waits for."""


class Machine:
    """Matches as ``re`` does, by trying, and counts what it tries."""

    def __init__(self, tree: Any, *, binary: bool, anchored: bool) -> None:
        self._anchored = anchored
        self._binary = binary
        self._registers: int = 2 * (tree.state.groups - 1)
        self._left: int = 0
        self._text = ""
        self._program = self._whole(tree, tree.state)

    def steps(self, text: str) -> int:
        try:
            self.spans(text)
        except _OutOfStepsError:
            return MOST_STEPS
        return int(MOST_STEPS - self._left)

    def spans(self, text: str) -> list[tuple[int, int]]:
        self._left, self._text = MOST_STEPS, text
        found = []
        at = 0
        while at <= (0 if self._anchored else len(text)):
            end = self._run(self._program, at, (None,) * self._registers)
            if end is not None:
                found.append((at, end[0]))
            at = at + 1 if end is None else max(at + 1, end[0])
        return found

    def _whole(self, tree: Any, state: Any) -> Program:
        program: Program = []
        self._sequence(program, tree, state)
        program.append(("end",))
        return program

    def _sequence(self, program: Program, tree: Any, state: Any) -> None:
        for op, argument in tree:
            self._item(program, op, argument, state)

    def _item(  # noqa: C901 - a line for each kind
        self, program: Program, op: Any, argument: Any, state: Any
    ) -> None:
        name = str(op)
        if name in SINGLE:
            program.append(("char", Atom((op, argument), state, binary=self._binary).takes))
        elif name in REPEATS:
            self._repeat(program, name, argument, state)
        elif name == "BRANCH":
            self._either(program, argument[1], state)
        elif name == "SUBPATTERN":
            group, add, drop, inner = argument
            if group is not None:
                program.append(("save", 2 * group - 2))
            self._sequence(program, inner, flagged(state, add, drop))
            if group is not None:
                program.append(("save", 2 * group - 1))
        elif name == "ATOMIC_GROUP":
            program.append(("atomic", self._whole(argument, state)))
        elif name == "GROUPREF":
            program.append(("again", 2 * argument - 2))
        elif name in ("ASSERT", "ASSERT_NOT"):
            way, inner = argument
            back = 0 if way > 0 else inner.getwidth()[0]
            program.append(("look", self._whole(inner, state), back, name == "ASSERT"))
        elif name == "AT":
            program.append(("at", _place(argument, state, binary=self._binary)))
        elif name == "FAILURE":
            program.append(("fail",))
        else:
            raise NotJudgedError(name)

    def _repeat(self, program: Program, name: str, argument: Any, state: Any) -> None:
        least, most, inner = argument
        if name == "POSSESSIVE_REPEAT":
            if len(inner) == 1 and str(inner[0][0]) in SINGLE:
                takes = Atom(inner[0], state, binary=self._binary).takes
                program.append(("run", takes, least, most))
                return
            held: Program = []
            self._repeat(held, "MAX_REPEAT", argument, state)
            program.append(("atomic", [*held, ("end",)]))
            return
        for _ in range(least):
            self._sequence(program, inner, state)
        splits = []
        if most > max(MANY, least):
            mark = self._register()
            begin = len(program)
            splits.append(begin)
            program += [("split",), ("mark", mark)]
            self._sequence(program, inner, state)
            program.append(("loop", mark, begin))
        else:
            for _ in range(most - least):
                splits.append(len(program))
                program.append(("split",))
                self._sequence(program, inner, state)
        for at in splits:
            ways = (at + 1, len(program))
            program[at] = ("split", *(ways[::-1] if name == "MIN_REPEAT" else ways))

    def _either(self, program: Program, branches: Sequence[Any], state: Any) -> None:
        ends = []
        for branch in branches[:-1]:
            split = len(program)
            program.append(("split",))
            self._sequence(program, branch, state)
            ends.append(len(program))
            program.append(("to",))
            program[split] = ("split", split + 1, len(program))
        self._sequence(program, branches[-1], state)
        for at in ends:
            program[at] = ("to", len(program))

    def _register(self) -> int:
        self._registers += 1
        return self._registers - 1

    # running

    def _run(  # noqa: C901, PLR0912, PLR0915 - a line for each instruction
        self, program: Program, at: int, held: Held
    ) -> tuple[int, Held] | None:
        text = self._text
        waiting = [(0, at, held)]
        while waiting:
            here, at, held = waiting.pop()
            while True:
                self._left -= 1
                if self._left < 0:
                    raise _OutOfStepsError
                step = program[here]
                name = step[0]
                here += 1
                if name == "char":
                    if at >= len(text) or not step[1](text[at]):
                        break
                    at += 1
                elif name == "split":
                    _, here, other = step
                    waiting.append((other, at, held))
                elif name == "to":
                    here = step[1]
                elif name in ("mark", "save"):
                    held = _with(held, step[1], at)
                elif name == "loop":
                    if held[step[1]] != at:  # what matched nothing is not tried again
                        here = step[2]
                elif name == "end":
                    return at, held
                elif name == "again":
                    start, stop = held[step[1]], held[step[1] + 1]
                    said = text[start:stop] if start is not None and stop is not None else "\0\0"
                    if not text.startswith(said, at):
                        break
                    at += len(said)
                elif name == "run":
                    _, takes, least, most = step
                    start = at
                    while at < len(text) and at - start < most and takes(text[at]):
                        at += 1
                    self._left -= at - start
                    if at - start < least:
                        break
                elif name == "atomic":
                    found = self._run(step[1], at, held)
                    if found is None:
                        break
                    at, held = found
                elif name == "look":
                    _, inner, back, wanted = step
                    found = self._run(inner, at - back, held) if at >= back else None
                    if (found is None) == wanted:
                        break
                elif name == "at":
                    if not step[1](text, at):
                        break
                else:
                    break  # "fail"
        return None


def _with(held: Held, register: int, at: int) -> Held:
    return (*held[:register], at, *held[register + 1 :])


def _place(argument: Any, state: Any, *, binary: bool) -> Callable[[str, int], bool]:
    """Return what tells whether a place of a text is the one: its beginning, a word's edge."""
    found = _compiler.compile(_parser.SubPattern(state, [(_constants.AT, argument)]), state.flags)

    def holds(text: str, at: int) -> bool:
        return found.match(text.encode("latin-1") if binary else text, at) is not None

    return holds

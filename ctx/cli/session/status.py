"""``ctx session status``: how far sessions are summarised, and how well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ctx.app.options import PacketOptions
from ctx.app.sessions import named, tails
from ctx.app.settings import load
from ctx.cli.options import taking
from ctx.cli.session import Tally, complain_of_none, complain_of_stale, each, locate, readable
from ctx.cli.session.compact import Session
from ctx.model import Json, Summary
from ctx.read import lineage, stored
from ctx.read.lineage import Declined, Elevated
from ctx.read.sessions import FOLDER
from ctx.sessions import compaction
from ctx.streams import complain, counted, write_json, write_lines
from ctx.text.names import masked_all, shown


@taking("dir", "json")
def status(options: PacketOptions, *, session: Session = None, json: bool = False) -> int:
    """Show turns, tail, summaries, compression ratio and mean confidence of sessions.

    Exit codes: 0 success, 2 usage or no such session, 4 no context directory, 6 a file that
    cannot be read.
    """
    world, root, state = locate(options)
    tail_of = tails(state, load(root, world, options).settings)
    with readable(state):
        names = [named(state, session)] if session else [*tail_of]
        without = [] if session else sorted({*lineage.names(state)} - {*names})
    for name in without:
        complain(f"{lineage.FOLDER}/{shown(name)}: summarises a session that is gone")
    if not names:
        complain_of_none(root)
    states: list[State] = []
    code = each(names, lambda name: states.append(_state(state, name, tail_of[name])))
    _write(states, as_json=json)
    return code


class State(Tally):
    """How far one session is summarised, or all of them."""

    def __init__(self, ident: str = "", file: str = "") -> None:
        super().__init__()
        self.id, self.file = ident, file
        self.turns = 0
        self.tail = 0  # turns that are left alone now, since a packet may include them as they are
        self.elevated = 0
        self.declined = 0  # turns of clusters without a summary
        self.open = 0  # turns before the tail that no compaction has looked at
        self.methods: Counter[str] = Counter()

    def take(self, record: lineage.Record) -> None:
        """Count a record that counts."""
        match record:
            case Elevated():
                self.elevated += 1
            case Declined() if record.level == 1:
                self.declined += record.turns
            case Summary():
                self.methods[record.method] += 1
                self.count(record)
            case _:
                pass

    def add(self, other: State) -> None:
        """Add what another one counts."""
        for name, value in vars(other).items():
            if name not in ("id", "file"):
                setattr(self, name, getattr(self, name) + value)

    def figures(self) -> dict[str, Json]:
        """Return all of it as JSON has it."""
        return {
            "turns": self.turns,
            "tail": self.tail,
            "covered": self.summarised,
            "elevated": self.elevated,
            "declined": self.declined,
            "not_compacted": self.open,
            "summaries": {str(level): count for level, count in sorted(self.levels.items())},
            "methods": dict(sorted(self.methods.items())),
            "covered_tokens": self.turn_tokens,
            "summary_tokens": self.summary_tokens,
            "ratio": self.ratio,
            "confidence": self.confidence,
        }


def _state(folder: str, name: str, tail: compaction.Tail) -> State:
    state = State(stored.identity(folder, name), f"{FOLDER}/{name}")
    known = lineage.Lineage()
    for record in lineage.counting(folder, name, known):
        state.take(record)
    if known.odd:
        many = "line does" if known.odd == 1 else "lines do"
        complain(f"{lineage.FOLDER}/{shown(name)}: {known.odd:,} {many} not count")
    complain_of_stale(folder, name)
    seen = compaction.look(folder, name, compaction.Settings(0, tail, ""))
    state.turns, state.tail, state.open = seen.turns, seen.tail, seen.pending
    return state


def _write(states: Sequence[State], *, as_json: bool) -> None:
    total = State()
    for state in states:
        total.add(state)
    if as_json:
        every: Json = [{"id": one.id, "file": one.file, **one.figures()} for one in states]
        totals = {"sessions": len(states), **total.figures()}
        write_json(masked_all({"sessions": every, "total": totals}), ascii_only=True)
        return
    lines = [f"{shown(state.id)}: {', '.join(_parts(state))}" for state in states]
    if len(states) > 1:
        lines.append(f"{len(states):,} sessions: {', '.join(_parts(total))}")
    write_lines(lines)


def _parts(state: State) -> Iterator[str]:
    yield counted(state.turns, "turn")
    for count, what in (
        (state.tail, "in the tail"),
        (state.summarised, "summarised"),
        (state.elevated, "elevated"),
        (state.declined, "declined"),
        (state.open, "not compacted yet"),
    ):
        if count:
            yield f"{count:,} {what}"
    if not state.levels:
        return
    levels = "; ".join(f"{many:,} of level {level}" for level, many in sorted(state.levels.items()))
    yield f"{state.levels.total():,} summaries ({levels})"
    yield ", ".join(f"{count:,} {shown(name)}" for name, count in sorted(state.methods.items()))
    if state.ratio is not None:
        yield f"{state.ratio:g} tokens in one"
    yield f"mean confidence {state.confidence:g}"

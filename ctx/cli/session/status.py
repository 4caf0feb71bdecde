"""``ctx session status``: how far sessions are summarised, and how well."""

from collections.abc import Iterator, Sequence

from ctx.app.compacting import State, state_of
from ctx.app.options import PacketOptions
from ctx.app.sessions import named, tails
from ctx.app.settings import load
from ctx.cli.options import taking
from ctx.cli.session import complain_of_none, each, locate, readable
from ctx.model import Json
from ctx.read import lineage
from ctx.read.sessions import FOLDER
from ctx.streams import complain, counted, write_json, write_lines
from ctx.text.names import masked_all, shown


@taking("dir", "json")
def status(options: PacketOptions, *, session: str | None = None, json: bool = False) -> int:
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
    code = each(names, lambda name: states.append(state_of(state, name, tail_of[name], complain)))
    _write(states, as_json=json)
    return code


def _write(states: Sequence[State], *, as_json: bool) -> None:
    total = State()
    for state in states:
        total.add(state)
    if as_json:
        every: Json = [
            {"id": one.id, "file": f"{FOLDER}/{one.name}", **one.figures()} for one in states
        ]
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

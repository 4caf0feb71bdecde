"""``ctx session expand``: the turns that a summary covers, or what covers what."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from hashlib import blake2b
from typing import Annotated, NamedTuple

import typer

from ctx.app.options import PacketOptions
from ctx.app.sessions import named
from ctx.app.settings import load
from ctx.cli.options import taking
from ctx.cli.session import locate, readable
from ctx.cli.session.show import write_turns
from ctx.errors import OK, UNREADABLE, FileError, UsageError
from ctx.model import Json, Lines, Summary, Turn
from ctx.read import lineage as records
from ctx.read import stored as transcripts
from ctx.read.files import RefusedError
from ctx.read.lineage import Declined, Elevated
from ctx.read.sessions import FOLDER
from ctx.read.stored import Stored
from ctx.streams import complain, write_json, write_lines
from ctx.text.names import few, masked_all, shown

MOST_NAMED = 5  # ids that a message names
_MOST_SOURCES = 8  # sources that a person is shown


class Place(NamedTuple):
    """What was asked for, and where it is."""

    name: str  # of the session's file
    summary: Summary | None
    line: int  # of a turn; 0 for a summary


@taking("dir", "json", helps={"json": "Write the lines as stored."})
def expand(
    options: PacketOptions,
    summary: Annotated[
        str, typer.Argument(metavar="ID", help="A summary, or how its id begins; or a turn.")
    ],
    *,
    lineage: Annotated[
        bool, typer.Option("--lineage", help="Show what it covers, and what covers it.")
    ] = False,
    json: bool = False,
) -> int:
    """Show the turns that a summary covers, as they are stored but for secrets.

    Exit codes: 0 shown, 2 usage or no such summary, 4 no context directory, 6 a file that
    cannot be read, or a session that has changed since.
    """
    world, root, state = locate(options)
    with readable(state):
        place = _found(state, summary)
        if not lineage:
            redact = not load(root, world, options).settings.allow_secrets
            return _expand(state, place, as_json=json, redact=redact)
        found = _Lineage(state, place, summary)
        if json:
            write_json(masked_all(found.as_object()))
        else:
            write_lines(_lines(found))
    return OK


def _found(state: str, asked: str) -> Place:
    found = _summaries(state, records.names(state), asked)
    found = found or _turns(state, transcripts.names(state), asked)
    where, mark, rest = asked.partition("#")
    if not found and mark:
        name = os.path.basename(where)
        if where in (f"{FOLDER}/{name}", f"{records.FOLDER}/{name}"):  # as packets name it
            where = name.removesuffix(".jsonl")
        name = named(state, where)
        found = _summaries(state, [name], rest) or _turns(state, [name], rest)
    if not found:
        raise _unknown(state, asked)
    if len(found) > 1:
        every = [
            f"{place.name.removesuffix('.jsonl')}#"
            f"{place.summary.id if place.summary else rest or asked}"
            for place in found
        ]
        what = f"{shown(asked)}: more than one is called so, or begins so"
        raise UsageError(f"{what}: {few(every, MOST_NAMED)}")
    return found[0]


def _summaries(state: str, names: Sequence[str], asked: str) -> list[Place]:
    exact: list[Place] = []
    begun: list[Place] = []
    for name in names:
        for record in _counting(state, name):
            if not isinstance(record, Summary):
                continue
            if record.id == asked:
                exact.append(Place(name, record, 0))
            elif asked and record.id.startswith(asked) and len(begun) <= MOST_NAMED:
                begun.append(Place(name, record, 0))
    return exact or begun


def _counting(state: str, name: str) -> Iterator[records.Record]:
    """Yield what counts of a file; one that must be left out is named, and holds nothing."""
    try:
        yield from records.counting(state, name)
    except RefusedError as error:
        complain(str(error))


def _turns(state: str, names: Sequence[str], asked: str) -> list[Place]:
    found = []
    for name in names:
        try:
            for turn in transcripts.turns(state, name):
                if asked == (turn.turn.id or f"line-{turn.line}"):
                    found.append(Place(name, None, turn.line))
                    break
        except RefusedError as error:
            complain(str(error))
    return found


def _unknown(state: str, asked: str) -> UsageError:
    every = (record for name in records.names(state) for record in _counting(state, name))
    ids = [record.id for record in every if isinstance(record, Summary)]
    close = get_close_matches(asked[:200], ids, n=MOST_NAMED, cutoff=0.5)
    hint = "`ctx session status` shows which sessions have summaries"
    hint = f"close to it: {few(close, MOST_NAMED)}" if close else hint
    return UsageError(f"no summary and no turn {shown(asked)!r} is stored here", hint)


def _expand(state: str, place: Place, *, as_json: bool, redact: bool) -> int:
    if place.summary is None:
        turns = _stored(state, place.name, ((place.line, place.line),))
        write_turns(turns, as_json=as_json, redact=redact)
        return OK
    if not os.path.lexists(os.path.join(state, FOLDER, place.name)):
        raise FileError(
            f"{FOLDER}/{place.name}: is gone, and with it the {place.summary.turns:,} turns that "
            f"{shown(place.summary.id)} covers",
            "import its transcript again",
        )
    checked = _Checked(state, place.name, place.summary)
    write_turns(checked.stored(), as_json=as_json, redact=redact)
    if checked.digest(place.summary.id) == place.summary.digest:
        return OK
    complain(
        f"{FOLDER}/{place.name}: has changed since {shown(place.summary.id)} was made: these are "
        "not the turns that it was made of"
    )
    return UNREADABLE


def _stored(state: str, name: str, spans: Lines) -> Iterator[Stored]:
    """Yield lines of a session as they are stored; one that is no turn as output of a tool."""
    following = iter(spans)
    first, last = next(following)
    for line in transcripts.raw(state, name):
        if line.number > last:
            if (span := next(following, None)) is None:
                return
            first, last = span
        if line.number >= first:
            turn = transcripts.turn_of(line, name)
            text = line.data.decode("utf-8", "replace")
            yield Stored(line.number, turn or Turn("", "", "", "tool", text), line.data)


class _Checked:
    """The lines that a summary covers, and what digest they have now."""

    def __init__(self, state: str, name: str, top: Summary) -> None:
        self._stored = _stored(state, name, top.lines)
        self._sources: dict[str, tuple[str, ...]] = {}
        spans: list[tuple[int, int, str]] = []
        for record in records.below(records.counting(state, name), top):
            if record.level == 1:
                spans += [(first, last, record.id) for first, last in record.lines]
            else:
                self._sources[record.id] = record.sources
        self._spans_of = iter(sorted(spans))
        self._span = next(self._spans_of)
        self._bytes = {ident: blake2b(digest_size=16) for _, _, ident in spans}

    def stored(self) -> Iterator[Stored]:
        for record in self._stored:
            while record.line > self._span[1]:
                self._span = next(self._spans_of)
            self._bytes[self._span[2]].update(record.data + b"\n")
            yield record

    def digest(self, ident: str) -> str:
        """Return the digest that a summary would have, made of what is there now."""
        if ident in self._bytes:
            return self._bytes[ident].hexdigest()
        return records.stands_for(self.digest(child) for child in self._sources[ident])


class _Lineage:
    def __init__(self, state: str, place: Place, asked: str) -> None:
        self.name, self.summary, self.line = place.name, place.summary, place.line
        self.id = asked
        self.state, self.why = "not compacted", ""
        self.parents: list[Summary] = []
        self.session = place.name.removesuffix(".jsonl")
        if os.path.lexists(os.path.join(state, FOLDER, place.name)):
            self.session = transcripts.identity(state, place.name)
        every = records.counting(state, place.name)
        if place.summary is None:
            self.parents = records.upwards(
                self._seen(every),
                lambda summary: summary.level == 1 and _holds(summary.lines, self.line),
            )
            self.state = "covered" if self.parents else self.state
        else:
            self.id = place.summary.id
            self.parents = records.upwards(every, lambda record: record.id == self.id)[1:]

    def _seen(self, every: Iterable[records.Record]) -> Iterator[records.Record]:
        """Pass records on, looking for the reason why no summary covers the turn."""
        for record in every:
            match record:
                case Elevated(line) if line == self.line:
                    self.state = "elevated"
                case Declined(1, spans, _, _, why) if _holds(spans, self.line):
                    self.state, self.why = "declined", why
                case _:
                    pass
            yield record

    def as_object(self) -> dict[str, Json]:
        where = {"session": self.session, "file": f"{FOLDER}/{self.name}"}
        names = ("id", "level", "method", "model", "confidence", "turns")
        parents: list[Json] = [{name: getattr(one, name) for name in names} for one in self.parents]
        if self.summary is None:
            about: dict[str, Json] = {"line": self.line, "state": self.state, "why": self.why}
            return {"id": self.id, "kind": "turn", **where, **about, "parents": parents}
        about = {**self.summary._asdict(), **where}
        del about["id"]
        return {"id": self.id, "kind": "summary", **about, "parents": parents}


def _holds(spans: Lines, line: int) -> bool:
    return any(first <= line <= last for first, last in spans)


def _lines(found: _Lineage) -> Iterator[str]:
    where = f"{shown(found.session)} ({FOLDER}/{found.name})"
    record = found.summary
    if record is None:
        why = f": {shown(found.why)}" if found.why else ""
        yield f"turn {shown(found.id)} · line {found.line:,} of {where}"
        yield f"state: {found.state}{why}"
    else:
        yield f"summary {_about(record)} · of {where}"
        yield f"turns: {record.turns:,} in lines {_spans(record.lines)}, {record.covered:,} tokens"
        yield f"text: {record.tokens:,} tokens, confidence measured in {shown(record.space)}"
        yield f"times: {shown(record.earliest) or 'undated'} to {shown(record.latest) or 'undated'}"
        yield f"compacted: {shown(record.compacted)}"
        if record.note:
            yield f"note: {shown(record.note)}"
        more = f" and {len(record.sources) - _MOST_SOURCES:,} more"
        sources = ", ".join(shown(name) for name in record.sources[:_MOST_SOURCES])
        yield f"sources: {sources}{more if len(record.sources) > _MOST_SOURCES else ''}"
    yield from (f"part of: {_about(parent)}" for parent in found.parents)


def _about(record: Summary) -> str:
    model = f" by {shown(record.model)}" if record.model else ""
    return (
        f"{shown(record.id)} · level {record.level} · {shown(record.method)}{model} · "
        f"confidence {record.confidence:.3g}"
    )


def _spans(spans: Lines) -> str:
    parts = [f"{first:,}" if first == last else f"{first:,}-{last:,}" for first, last in spans]
    return ", ".join(parts[:_MOST_SOURCES]) + (", …" if len(parts) > _MOST_SOURCES else "")

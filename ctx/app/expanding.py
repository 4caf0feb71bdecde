"""What a summary covers and what covers it, found by an id as a packet or a person writes it."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from ctx.app.sessions import MOST_NAMED, named
from ctx.errors import FileError, UsageError
from ctx.model import Json, Lines, Summary, Turn
from ctx.read import lineage, stored
from ctx.read.files import RefusedError
from ctx.read.lineage import Declined, Elevated, Spans
from ctx.read.sessions import FOLDER
from ctx.read.stored import Stored
from ctx.text.names import few, shown


class Place(NamedTuple):
    """What was asked for, and where it is."""

    name: str  # of the session's file
    summary: Summary | None
    line: int  # of a turn; 0 for a summary


class Search:
    """Looks summaries and turns up by their ids."""

    def __init__(self, state: str, complain: Callable[[str], object]) -> None:
        """Look into ``state``; ``complain`` gets a line on each file that cannot be read."""
        self._state, self._complain = state, complain

    def find(self, asked: str) -> Place:
        """Return the one that is called ``asked``, or whose id begins so; else UsageError."""
        state = self._state
        found = self._summaries(lineage.names(state), asked)
        found = found or self._turns(stored.names(state), asked)
        where, mark, rest = asked.partition("#")
        if not found and mark:
            name = os.path.basename(where)
            if where in (f"{FOLDER}/{name}", f"{lineage.FOLDER}/{name}"):  # as packets name it
                where = name.removesuffix(".jsonl")
            name = named(state, where)
            found = self._summaries([name], rest) or self._turns([name], rest)
        if not found:
            raise self._unknown(asked)
        if len(found) > 1:
            every = [
                f"{place.name.removesuffix('.jsonl')}#"
                f"{place.summary.id if place.summary else rest or asked}"
                for place in found
            ]
            what = f"{shown(asked)}: more than one is called so, or begins so"
            raise UsageError(f"{what}: {few(every, MOST_NAMED)}")
        return found[0]

    def _each(self, names: Sequence[str]) -> Iterator[tuple[str, Summary]]:
        """Yield the summaries of files; one that must be left out is named."""
        for name in names:
            try:
                yield from ((name, summary) for summary in lineage.summaries(self._state, name))
            except RefusedError as error:
                self._complain(str(error))

    def _summaries(self, names: Sequence[str], asked: str) -> list[Place]:
        every = [one for one in self._each(names) if asked and one[1].id.startswith(asked)]
        found = [one for one in every if one[1].id == asked] or every
        return [Place(name, summary, 0) for name, summary in found]

    def _turns(self, names: Sequence[str], asked: str) -> list[Place]:
        found = []
        for name in names:
            try:
                for turn in stored.turns(self._state, name):
                    if asked == (turn.turn.id or f"line-{turn.line}"):
                        found.append(Place(name, None, turn.line))
                        break
            except RefusedError as error:
                self._complain(str(error))
        return found

    def _unknown(self, asked: str) -> UsageError:
        ids = [summary.id for _, summary in self._each(lineage.names(self._state))]
        close = get_close_matches(asked[:200], ids, n=MOST_NAMED, cutoff=0.5)
        hint = "`ctx session status` shows which sessions have summaries"
        hint = f"close to it: {few(close, MOST_NAMED)}" if close else hint
        return UsageError(f"no summary and no turn {shown(asked)!r} is stored here", hint)


def turns_of(state: str, place: Place) -> Iterator[Stored]:
    """Return the turn, or those of the summary, as stored; FileError where these are gone."""
    if place.summary is None:
        return _lines(state, place.name, ((place.line, place.line),))
    if not os.path.lexists(os.path.join(state, FOLDER, place.name)):
        raise FileError(
            f"{FOLDER}/{place.name}: is gone, and with it the {place.summary.turns:,} turns that "
            f"{shown(place.summary.id)} covers",
            "import its transcript again",
        )
    return _lines(state, place.name, place.summary.lines)


def _lines(state: str, name: str, spans: Lines) -> Iterator[Stored]:
    """Yield lines of a session as they are stored; one that is no turn as output of a tool."""
    wanted = Spans(spans)
    for line in stored.raw(state, name):
        if line.number > wanted.last:
            return
        if line.number in wanted:
            turn = stored.turn_of(line, name)
            text = line.data.decode("utf-8", "replace")
            yield Stored(line.number, turn or Turn("", "", "", "tool", text), line.data)


class Lineage:
    """What covers a summary or a turn."""

    def __init__(self, state: str, place: Place, asked: str) -> None:
        """Read the summaries of its session; ``asked`` is what a turn is called."""
        self.name, self.summary, self.line = place.name, place.summary, place.line
        self.id = place.summary.id if place.summary else asked
        self.state, self.why = "not compacted", ""
        self.session = place.name.removesuffix(".jsonl")
        if os.path.lexists(os.path.join(state, FOLDER, place.name)):
            self.session = stored.identity(state, place.name)
        every = lineage.counting(state, place.name)
        self.parents: list[Summary]
        if place.summary is None:
            self.parents = lineage.upwards(
                self._seen(every),
                lambda summary: summary.level == 1 and self.line in Spans(summary.lines),
            )
            self.state = "covered" if self.parents else self.state
        else:
            self.parents = lineage.upwards(every, lambda record: record.id == self.id)[1:]

    def _seen(self, every: Iterable[lineage.Record]) -> Iterator[lineage.Record]:
        """Pass records on, looking for the reason why no summary covers the turn."""
        for record in every:
            match record:
                case Elevated(line) if line == self.line:
                    self.state = "elevated"
                case Declined(1, spans, _, _, why) if self.line in Spans(spans):
                    self.state, self.why = "declined", why
                case _:
                    pass
            yield record

    def as_object(self) -> dict[str, Json]:
        """Return all of it as JSON has it."""
        where = {"session": self.session, "file": f"{FOLDER}/{self.name}"}
        names = ("id", "level", "method", "model", "confidence", "turns")
        parents: list[Json] = [{name: getattr(one, name) for name in names} for one in self.parents]
        if self.summary is None:
            about: dict[str, Json] = {"line": self.line, "state": self.state, "why": self.why}
            return {"id": self.id, "kind": "turn", **where, **about, "parents": parents}
        about = {**self.summary._asdict(), **where}
        del about["id"]
        return {"id": self.id, "kind": "summary", **about, "parents": parents}

"""Stored sessions, read a line at a time: ``sessions/*.jsonl``."""

import os
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import BinaryIO, NamedTuple

from ctx.model import Turn
from ctx.model.transcripts import Line
from ctx.read import files, own
from ctx.read.sessions import FOLDER, LONGEST, SUMMARIES
from ctx.text.json_lines import lines, parse
from ctx.text.times import moment

_END = 64 * 1024  # bytes at the end of a session in which its last turn is looked for

_JITTER = 60  # seconds by which the clock of a transcript may step back from turn to turn
_WORK = (b'"role": "tool"', b"[tool_use ", b"```")
_MOST_TITLE = 200  # characters of the first request that serve as a title


class Summary(NamedTuple):
    """A stored session without its turns."""

    id: str
    file: str  # its name in ``sessions/``
    turns: int
    first: str  # the earliest time in it, as written; empty where it has none
    last: str  # the latest
    bytes: int
    title: str  # the host's; else how the first request begins
    branch: str  # the last one that a turn names; empty where none does


class Stored(NamedTuple):
    """A line of a stored session."""

    line: int  # counted from 1
    turn: Turn
    data: bytes  # the line without its newline


def names(state: str) -> list[str]:
    """Return the sorted names of stored sessions' files; OSError where they cannot be listed."""
    return files.names(os.path.join(state, FOLDER), ".jsonl")


def foreign(root: str) -> list[str]:
    """Return the files in ``sessions/`` of the repository itself; raises OSError."""
    folders = {FOLDER: ".jsonl", f"{FOLDER}/aside": ".txt", SUMMARIES: ".jsonl"}
    links = {folder for folder in folders if os.path.islink(os.path.join(root, folder))}
    return [
        f"{folder}/{name}"
        for folder, ending in folders.items()
        if not links & {FOLDER, folder}
        for name in files.names(os.path.join(root, folder), ending)
    ]


def opened(state: str, path: str) -> BinaryIO:
    """Open a file of the state directory, of any size.

    Raises RefusedError where it must not be read, OSError where it cannot be.
    """
    files.inspect(state, path, files.Limits(sys.maxsize, allow_links=False))
    return files.opened(os.path.join(state, path))


def raw(state: str, name: str) -> Iterator[Line]:
    """Yield the lines of a stored session; raises as ``opened`` does."""
    with opened(state, f"{FOLDER}/{name}") as file:
        yield from lines(file, LONGEST)


def turn_of(line: Line, name: str) -> Turn | None:
    """Return the turn in a line of the session in the file ``name``; None where it holds none."""
    try:
        return own.turn(parse(line.data)[0], name.removesuffix(".jsonl"))
    except ValueError:
        return None


def turns(state: str, name: str) -> Iterator[Stored]:
    """Yield the turns of a stored session, without its other lines; raises as ``opened`` does."""
    for line in raw(state, name):
        if turn := turn_of(line, name):
            yield Stored(line.number, turn, line.data)


def ordered(state: str, name: str) -> Iterator[Stored]:
    """Yield the turns of a session by time; raises as ``opened`` does.

    A fork may be stored before what its origin went on with.
    """
    places = _in_time([line.turn.ts for line in turns(state, name)])
    if places == [*range(len(places))]:
        yield from turns(state, name)
    else:
        every = list(turns(state, name))
        yield from (every[place] for place in places)


def _in_time(stamps: Sequence[str]) -> list[int]:
    """Return the places of times in their order; what steps back by less than ``_JITTER`` stays."""
    times, latest = list[float](), 0.0
    for stamp in stamps:
        time = moment(stamp) if stamp else None
        at = time.timestamp() if time else latest
        latest = at if at < latest - _JITTER else max(at, latest)
        times.append(latest)
    return sorted(range(len(times)), key=times.__getitem__)


def back(state: str, name: str) -> frozenset[str]:
    """Return the ids of the turns that the user took back; raises as ``opened`` does."""
    return frozenset(id_ for line in raw(state, name) for id_ in _back(line))


def is_work(state: str, name: str) -> bool:
    """Return whether a session has calls of tools or code, as work with an agent has."""
    return any(sign in line.data for line in raw(state, name) for sign in _WORK)


def _back(line: Line) -> list[str]:
    try:
        return own.taken_back(parse(line.data)[0]) if own.BACK.encode() in line.data else []
    except ValueError:
        return []


def ended(state: str, name: str) -> datetime | None:
    """Return the latest time among a session's last turns, if any; raises as ``opened`` does."""
    return max(
        filter(None, (moment(turn.ts) for turn in last(state, name) if turn.ts)), default=None
    )


def last(state: str, name: str) -> list[Turn]:
    """Return the turns in the last ``_END`` bytes of a session that nobody took back.

    Raises as ``opened`` does.
    """
    with opened(state, f"{FOLDER}/{name}") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _END))
        data = file.read().split(b"\n")
    lines = [Line(0, line, len(line), ended=True) for line in data]
    gone = {id_ for line in lines for id_ in _back(line)}  # noted behind the turns
    every = (turn_of(line, name) for line in lines)
    held = [turn for turn in every if turn and turn.id not in gone]
    return [held[place] for place in _in_time([turn.ts for turn in held])]


def _title(line: Line) -> str:
    try:
        return own.title_of(parse(line.data)[0])
    except ValueError:
        return ""


def identity(state: str, name: str) -> str:
    """Return the id of a stored session: that of its first turn, else its file's name."""
    first = next(turns(state, name), None)
    return first.turn.session if first else name.removesuffix(".jsonl")


def summary(state: str, name: str) -> Summary:
    """Return a stored session without its turns; raises as ``opened`` does."""
    count, session, title, asked, branch = 0, "", "", "", ""
    first: tuple[datetime, str] | None = None
    last: tuple[datetime, str] | None = None
    for line in raw(state, name):
        turn = turn_of(line, name)
        if turn is None:
            title = _title(line) or title
            continue
        count += 1
        named = turn.extra.get("branch")
        branch = named if named and isinstance(named, str) else branch
        time = moment(turn.ts) if turn.ts else None
        is_first = not asked or (time and first and time < first[0])
        if turn.role == "user" and is_first:
            asked = " ".join(turn.text[:_MOST_TITLE].split())
        session = session or turn.session
        if time:
            first = min(first or (time, turn.ts), (time, turn.ts))
            last = max(last or (time, turn.ts), (time, turn.ts))
    size = os.stat(os.path.join(state, FOLDER, name)).st_size
    times = (first[1] if first else "", last[1] if last else "")
    return Summary(
        session or name.removesuffix(".jsonl"), name, count, *times, size, title or asked, branch
    )

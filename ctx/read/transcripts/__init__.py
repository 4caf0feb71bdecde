"""Transcripts of sessions as turns, whoever wrote them: one format a file, in a registry.

A new format is a module of this folder that is a ``Format``, and its line in ``FORMATS``.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import UsageError
from ctx.model import Turn
from ctx.read.transcripts import claude_code, own
from ctx.read.transcripts.format import Format, Found, NotATurnError, Note, Skip, Torn
from ctx.read.transcripts.lines import LIMIT, lines, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import BinaryIO

    from ctx.read.transcripts.lines import Line

FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        claude_code,
        own,
    )
}
"""By the name that ``--format`` takes."""

HEAD_LINES = 100
"""Lines that parse and that are looked at, at most, to recognise a format."""
HEAD_BYTES = 8 * 1024 * 1024
"""Bytes that are looked at, at most (and one line at least)."""
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

__all__ = [
    "FORMATS", "Found", "NotATurnError", "Note", "Skip", "Torn", "Transcript", "read",
]  # fmt: skip


class Transcript(NamedTuple):
    """A transcript that was recognised."""

    format: str
    """Its name in ``FORMATS``; empty where the transcript is."""
    found: Iterator[Found]
    """What is in it, in its order, read while it is taken. A turn without an id has an
    empty one. Raises OSError, and UsageError for a turn of no session."""


class _Read(NamedTuple):
    """A line, parsed."""

    line: Line
    fields: dict[str, object] | None
    """None where it is no JSON object."""
    what: str
    """What is wrong with it, or was mended."""


def read(stream: BinaryIO, name: str, *, session: str = "", form: str = "") -> Transcript:
    """Recognise the transcript in ``stream`` (or take it for ``form``) and begin to read it.

    ``name`` is for messages; ``session`` for lines that name none. Raises UsageError where
    no format knows the shape, OSError where the stream cannot be read.
    """
    if form and form not in FORMATS:
        raise UsageError(f"--format: {form!r} is none of {', '.join(FORMATS)}")
    parsed = _parsed(stream, name)
    head: list[_Read] = []
    chosen = FORMATS[form] if form else _recognised(parsed, head)
    if chosen is None and head:
        raise UsageError(
            f"{name}: not a transcript of a known form",
            f"known are {', '.join(FORMATS)}; --format names one",
        )
    if chosen is None:
        return Transcript("", iter(()))
    every = _found(chain(head, parsed), chosen, name, session)
    return Transcript(chosen.name, every)


def _recognised(parsed: Iterator[_Read], head: list[_Read]) -> Format | None:
    """Return the format of the first line that has a known shape; keep what was taken."""
    seen = size = 0
    for one in parsed:
        head.append(one)
        size += len(one.line.data)
        if one.fields is not None:
            seen += 1
            for form in FORMATS.values():
                if form.recognises(one.fields):
                    return form
        if seen >= HEAD_LINES or size >= HEAD_BYTES:
            break
    return None


def _parsed(stream: BinaryIO, name: str) -> Iterator[_Read]:
    for line in lines(stream):
        data = line.data
        if line.number == 1:
            if data.startswith(_UTF16):
                raise UsageError(f"{name}: is written in UTF-16", "save it as UTF-8")
            data = data.removeprefix(_BOM)
        if line.too_long:
            what = f"is {line.length:,} bytes long, over the limit of {LIMIT:,}"
            yield _Read(line, None, what)
        elif data.strip():
            try:
                fields, mended = parse(data)
            except ValueError as error:
                torn = "" if line.ended else ", and is the last of a file that was cut off"
                yield _Read(line, None, f"{error}{torn}")
            else:
                yield _Read(line, fields, "invalid UTF-8 replaced" if mended else "")


def _found(every: Iterator[_Read], form: Format, name: str, session: str) -> Iterator[Found]:
    latest: dict[str, datetime] = {}
    for line, fields, what in every:
        if fields is None:
            yield Found(line.number, Torn(line.data, what))
            continue
        try:
            pieces = list(form.read(fields, session))
        except NotATurnError as error:
            yield Found(line.number, Torn(line.data, str(error)))
            continue
        if what:
            yield Found(line.number, Note(what))
        for piece in pieces:
            if isinstance(piece, Turn):
                yield from _checked(piece, line.number, name, latest)
            else:
                yield Found(line.number, piece)


def _checked(turn: Turn, line: int, name: str, latest: dict[str, datetime]) -> Iterator[Found]:
    """Yield a turn unless it says nothing, with what is odd about its time."""
    if not turn.session:
        raise UsageError(f"{name}: line {line} names no session", "--session ID names one")
    if not turn.text.strip():
        yield Found(line, Skip("empty text"))
        return
    time = own.moment(turn.ts) if turn.ts else None
    if time is not None:
        before = latest.get(turn.session)
        if before is not None and time < before:
            yield Found(line, Note("time earlier than the one before, order kept"))
        latest[turn.session] = time
    yield Found(line, turn)

"""Transcripts as turns, in whatever format they are written."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import BinaryIO, NamedTuple

from ctx.errors import UsageError
from ctx.hosts.transcripts import NAMES, format_of
from ctx.hosts.wrappers import spoken
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import (
    SUBAGENT,
    About,
    Format,
    Found,
    Line,
    NotATurnError,
    Note,
    Skip,
    Torn,
)
from ctx.read import own
from ctx.text.json_lines import LIMIT, lines, parse
from ctx.text.times import moment

FORMATS: dict[str, Format] = {form.name: form for form in (*map(format_of, NAMES), own.FORMAT)}
"""All formats, by the name that ``--format`` takes."""

HEAD_LINES = 100  # most lines with JSON that are read to recognise a format
HEAD_BYTES = 8 * 1024 * 1024  # most bytes that are read for this; at least one line is
_NAMES, _NAME = 6, 40  # fields of an unknown object that are named, and characters of each
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DOCUMENT = b"{"  # the first line of a form that is one JSON document on many lines


class Transcript(NamedTuple):
    """A transcript that was recognised."""

    format: str  # its name in ``FORMATS``; empty for an empty transcript
    found: Iterator[Found]  # in order, bit by bit; UsageError for a turn without a session, OSError


class _Parsed(NamedTuple):
    line: Line
    fields: JsonObject | None  # none where it is no JSON object
    problem: str  # why it is no object, or what was replaced in it; empty otherwise


def check_format(form: str) -> None:
    """Raise UsageError where there is no format called ``form``."""
    if form not in FORMATS:
        raise UsageError(f"--format: unknown format {form!r}", f"one of {', '.join(FORMATS)}")


def read(
    stream: BinaryIO, name: str, *, session: str = "", form: str = "", before: int = 0
) -> Transcript:
    """Recognise the format of the transcript in ``stream``, unless it is ``form``, and read it.

    ``name`` is for messages, ``session`` for lines that name none; ``before`` are the lines before
    the stream. UsageError where no format matches, OSError where it cannot be read.
    """
    if form:
        check_format(form)
    parsed = _parsed(stream, name)
    head: list[_Parsed] = []
    chosen = FORMATS[form] if form else _recognised(parsed, head)
    if chosen is None and head:
        raise UsageError(
            f"{name}: not a transcript of a known form: {_shape(head)}",
            f"known are {', '.join(FORMATS)}; --format names one",
        )
    if chosen is None:
        return Transcript("", iter(()))
    return Transcript(
        chosen.name, _found(chain(head, parsed), chosen, name, About(session), before)
    )


def _shape(head: Sequence[_Parsed]) -> str:
    """Return what the first line with JSON holds, in few words."""
    first = next((one.fields for one in head if one.fields is not None), None)
    if first is None:
        return "no line of it is JSON"
    names = [f"{name[:_NAME]!r}" for name in list(first)[:_NAMES]]
    more = f" and {len(first) - _NAMES} more" if len(first) > _NAMES else ""
    return f"its first object has {', '.join(names)}{more}" if names else "its objects are empty"


def _recognised(parsed: Iterator[_Parsed], head: list[_Parsed]) -> Format | None:
    """Return the format of the first line that has one; add the lines read to ``head``."""
    seen = size = 0
    for parsed_line in parsed:
        head.append(parsed_line)
        size += len(parsed_line.line.data)
        if parsed_line.fields is not None:
            seen += 1
            for form in FORMATS.values():
                if form.recognises(parsed_line.fields):
                    return form
        if seen >= HEAD_LINES or size >= HEAD_BYTES:
            break
    return None


def _parsed(stream: BinaryIO, name: str) -> Iterator[_Parsed]:
    every = lines(stream)
    first = next(every, None)
    if first and first.data.startswith(_UTF16):
        raise UsageError(f"{name}: is written in UTF-16", "save it as UTF-8")
    while first and not first.data.strip() and not first.too_long:
        first = next(every, None)
    if first is None:
        return
    begin = first.data.removeprefix(_BOM)
    if form := next((form for form in FORMATS.values() if form.begins(begin)), None):
        path = getattr(stream, "name", "")
        lines_ = chain((first._replace(data=begin),), every)
        whole = form.objects(lines_, path if isinstance(path, str) else "")
        yield from (_Parsed(line, fields, "") for line, fields in whole)
    elif begin.strip() == _DOCUMENT:
        # A stream may have no end: what is too long for one document is read no further.
        data = begin + b"\n" + stream.read(LIMIT)
        held = data if len(data) < LIMIT else b""
        yield from _objects((Line(first.number, held, len(data), ended=True),))
    else:
        yield from _objects(chain((first,), every))


def _objects(every: Iterable[Line]) -> Iterator[_Parsed]:
    for line in every:
        if line.too_long:
            yield _Parsed(line, None, f"is {line.length:,} bytes long, over the limit of {LIMIT:,}")
        elif line.data.strip():
            try:
                fields, mended = parse(
                    line.data if line.number > 1 else line.data.removeprefix(_BOM)
                )
            except ValueError as error:
                torn = "" if line.ended else ", and is the last of a file that was cut off"
                yield _Parsed(line, None, f"{error}{torn}")
            else:
                yield _Parsed(line, fields, "invalid UTF-8 replaced" if mended else "")


def _found(
    every: Iterator[_Parsed], form: Format, name: str, about: About, before: int
) -> Iterator[Found]:
    latest: dict[str, datetime] = {}
    for line, fields, problem in every:
        if fields is None:
            yield Found(line.number, Torn(line.data, problem))
            continue
        try:
            pieces = list(form.read(fields, about.session))
        except NotATurnError as error:
            yield Found(line.number, Torn(line.data, str(error)))
            continue
        if problem:
            yield Found(line.number, Note(problem))
        for place, piece in enumerate(pieces):
            if isinstance(piece, About):
                about = about._replace(
                    session=piece.session or about.session, branch=piece.branch or about.branch,
                    folder=piece.folder or about.folder,
                    helper=piece.helper or (about.helper and not form.holds_all),
                )  # fmt: skip
                is_told = piece.title or piece.fork or piece.until
                if is_told and about.session and not about.helper:
                    yield Found(line.number, piece._replace(session=about.session))
                continue
            said = _said(piece, form, about) if isinstance(piece, Turn) else piece
            if not isinstance(said, Turn):
                yield Found(line.number, said)
                continue
            named = said.id if form.has_ids else f"{before + line.number}/{place}"
            place_of_work = {"branch": about.branch, "cwd": about.folder}
            extra = {field: value for field, value in place_of_work.items() if value}
            turn = said._replace(id=named, extra={**said.extra, **extra})
            about = about._replace(branch="", folder="")
            yield from _checked(turn, line.number, name, latest)


def _said(turn: Turn, form: Format, about: About) -> Turn | Skip:
    """Return a turn, of the user with nothing but what a person typed; or why it is left out."""
    if about.helper:
        return Skip(SUBAGENT)
    if not form.is_wrapped or turn.role != "user":
        return turn
    words, why = spoken(turn.text)
    return Skip(why, turn) if why and not words.strip() else turn._replace(text=words)


def _checked(turn: Turn, line: int, name: str, latest: dict[str, datetime]) -> Iterator[Found]:
    """Yield a turn, or why it is skipped, after a note about a time that runs backwards."""
    if not turn.session:
        raise UsageError(f"{name}: line {line} names no session", "--session ID names one")
    if not turn.text.strip():
        yield Found(line, Skip("empty text"))
        return
    time = moment(turn.ts) if turn.ts else None
    if time is not None:
        before = latest.get(turn.session)
        if before is not None and time < before:
            yield Found(line, Note("time earlier than the one before, order kept"))
        latest[turn.session] = time
    yield Found(line, turn)

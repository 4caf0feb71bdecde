"""Lines taken out of one file and put into another, and the copy that a move leaves."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from ctx.errors import FileError

_BOM = b"\xef\xbb\xbf"
_SOURCE = re.compile(
    r"(?:tasks|decisions|learnings)\.md|(?:decisions|learnings)/(?!\.)([^/\0]+\.md)", re.IGNORECASE
)
_TARGET = re.compile(r"archive/(?:tasks|decisions|learnings)-\d{4}-\d{2}-\d{2}\.md")
_ABOUT = "the file as it was before lines of it went to an archive; ctx archive removes this copy"


class Step(NamedTuple):
    """What is to move from one file to another."""

    source: str
    """Relative to the context directory, with forward slashes, as is ``target``."""
    target: str
    before: bytes
    """The source as it was when that was decided."""
    spans: tuple[tuple[int, int], ...]
    """Lines, counted from 0, each span with the one after its last; in the order in which they
    come to stand in the target."""
    ahead: int = 0
    """How many of the spans, the first ones, are put at ``at``; the others are appended."""
    at: int = 0
    """A line's start in the target, in bytes."""


class After(NamedTuple):
    """Both files once lines have moved."""

    rest: bytes
    grown: bytes


class Left(NamedTuple):
    """What a step that was not finished has left."""

    step: Step
    archived: str
    """Digest of the target before the step."""
    grown: str
    """Digest of the target after it."""


def moved(step: Step, archived: bytes) -> After:
    """Return the source and the target, which holds ``archived``, after ``step``.

    Lines are moved byte for byte, and no byte that the target holds changes. A mark of the byte
    order stays with its file, and a line end is added only to a last line that has none where
    another line comes to stand behind it.
    FileError where not every line would be in one of the two just once.
    """
    mark = _BOM if step.before.startswith(_BOM) else b""
    lines = step.before[len(mark) :].splitlines(keepends=True)
    ahead, behind = (
        [number for start, end in spans for number in range(start, end)]
        for spans in (step.spans[: step.ahead], step.spans[step.ahead :])
    )
    out = ahead + behind
    if not out or len(set(out)) != len(out) or not 0 <= min(out) <= max(out) < len(lines):
        raise FileError(f"{step.source}: has no such lines: {step.spans}")
    gone = set(out)
    rest = mark + b"".join(line for at, line in enumerate(lines) if at not in gone)
    at = step.at if step.ahead else len(archived)
    pieces = [
        archived[:at],
        *(lines[number] for number in ahead),
        archived[at:],
        *(lines[number] for number in behind),
    ]
    pieces = [one for one in pieces if one]
    ending = b"\r\n" if b"\r\n" in step.before else b"\n"
    # Only the last piece may end without a line end.
    joined = [
        one if one == _BOM or one.endswith((b"\n", b"\r")) else one + ending
        for one, _ in pairwise(pieces)
    ]
    after = After(rest, b"".join((*joined, pieces[-1])))
    if _lines(step.before) + _lines(archived) != _lines(after.rest) + _lines(after.grown):
        raise FileError(
            f"{step.source}: its lines end in different ways, and two would become one",
            "save it with one kind of line ends, then archive again",
        )
    return after


def _lines(data: bytes) -> Counter[bytes]:
    """Return how often each line is in ``data``, line ends and a mark of the byte order apart."""
    return Counter(data.removeprefix(_BOM).splitlines())


def copy_of(step: Step, archived: bytes, grown: bytes) -> bytes:
    """Return what is kept until ``step`` is done: one line of JSON, then the source as it was."""
    head = {
        "about": _ABOUT,
        "source": step.source,
        "target": step.target,
        "lines": step.spans,
        "ahead": step.ahead,
        "at": step.at,
        "archived": digest(archived),
        "grown": digest(grown),
    }
    return json.dumps(head).encode() + b"\n" + step.before


def left_by(copy: bytes) -> Left | None:
    """Return the step that left ``copy``; None where it is no such copy.

    A directory may come from elsewhere: no other files are named than those of a step.
    """
    head, _, before = copy.partition(b"\n")
    try:
        told = json.loads(head)
        spans = tuple((int(start), int(end)) for start, end in told["lines"])
        step = Step(
            told["source"], told["target"], before, spans, int(told["ahead"]), int(told["at"])
        )
        named = _SOURCE.fullmatch(step.source)
        if not (named and _TARGET.fullmatch(step.target)):
            return None
        if not (0 <= step.ahead <= len(spans) and step.at >= 0):
            return None
        if named[1] and os.path.basename(named[1]) != named[1]:  # as on Windows: ..\\x.md
            return None
        return Left(step, str(told["archived"]), str(told["grown"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def digest(data: bytes) -> str:
    """Return what stands for a file's bytes."""
    return blake2b(data, digest_size=32).hexdigest()

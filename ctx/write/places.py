"""Where a new entry belongs in a file, whatever its line ends and encoding."""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import re
from collections.abc import Sequence
from typing import NamedTuple

from ctx.write.lines import Lines

_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"(#{1,6})(?![^ \t])[ \t]*+(.*)")
_DATED = re.compile(r"\[\d{4}-\d{2}-\d{2}")
_KEY = re.compile(r"[A-Za-z_][\w-]*:(?:\s|$)")
_TAG = re.compile(r" {0,3}</?[A-Za-z]")
_BLANK = re.compile(r"^[ \t]*$")
_RAW = re.compile(r" {0,3}<(script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE)
_OPENINGS = (
    (re.compile(r" {0,3}<!--"), "-->"),
    (re.compile(r" {0,3}<\?"), "?>"),
    (re.compile(r" {0,3}<!\[CDATA\["), "]]>"),
    (re.compile(r" {0,3}<![A-Za-z]"), ">"),
)
_MOST_FRONT = 200
"""Lines within which frontmatter ends; as ctx reads it."""
_INDEXES = ("themes", "index")
"""Plain headings of lists, which are no entries; as ctx reads them."""
_ENTRY_LEVEL = 2


class Placed(NamedTuple):
    """A file's bytes, and where a new entry goes."""

    data: bytes
    text: str
    """The file decoded, without a mark of the byte order."""
    codec: str
    at: int
    """Offset in ``data``: always where a line starts, or the end."""
    ended: bool
    """Whether what stands before ends a line."""
    apart: bool
    """Whether it also ends in a blank line, or nothing stands before."""
    more: bool
    """Whether anything follows."""
    eol: str
    """How lines end in the file."""
    problem: str = ""
    """Why there is no place, with the line; empty where there is one."""

    def with_block(self, block: str) -> bytes:
        r"""Return the file with ``block``, whose lines end in ``\n``, set apart by blank lines."""
        before = ("" if self.ended else "\n") + ("" if self.apart else "\n")
        text = f"{before}{block}{chr(10) if self.more else ''}".replace("\n", self.eol)
        new = text.encode(self.codec, "replace")
        return self.data[: self.at] + new + self.data[self.at :]


def place(data: bytes) -> Placed:
    """Return where the next entry goes in a file.

    Directly before the first heading of an entry. Without one at the end, which is behind the
    file's heading, the comment that teaches its format, and an index; what else stands there
    would be read as a part of an entry before it. ``problem`` says where a fence, comment or HTML
    block that never ends leaves no place.
    """
    held = Lines(data)
    lines = held.texts
    found = _scan(lines)
    number = len(lines) if found.entry is None else found.entry
    if found.entry is None and found.open is not None:
        problem = f":{found.open + 1}: a code fence, comment or HTML block is not closed"
        return Placed(data, held.text, held.codec, held.end, ended=True, apart=True, more=False,
                      eol="\n", problem=problem)  # fmt: skip
    ended = held.is_ended(number)
    return Placed(
        data,
        held.text,
        held.codec,
        held.offset(number),
        ended=ended,
        apart=not number or (ended and not lines[number - 1].strip(" \t")),
        more=any(line.strip() for line in lines[number:]),
        eol=held.eol,
    )


class _Scan(NamedTuple):
    entry: int | None
    """The line of the first heading of an entry, counted from 0."""
    open: int | None
    """The line of a block that never ends."""


def _scan(lines: Sequence[str]) -> _Scan:
    until: re.Pattern[str] | None = None
    opened = 0
    for number in range(_front(lines), len(lines)):
        line = lines[number]
        if until is not None:
            until = None if until.search(line) else until
        elif _is_entry(line):
            return _Scan(number, None)
        else:
            until, opened = _opens(line), number
    return _Scan(None, opened if until not in (None, _BLANK) else None)


def _front(lines: Sequence[str]) -> int:
    """Return how many lines the frontmatter takes; 0 without."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    first = next((line for line in lines[1:] if line.strip() and line[0] != "#"), "")
    if not _KEY.match(first):
        return 0
    last = min(len(lines), _MOST_FRONT)
    end = next((number for number in range(1, last) if lines[number].rstrip() == "---"), 0)
    return end + 1 if end else 0


def _opens(line: str) -> re.Pattern[str] | None:
    """Return what ends the block that ``line`` opens over more than this line; None for none."""
    fence = _FENCE.match(line)
    if fence:
        run = fence[2]
        return re.compile(rf"^ {{0,3}}{re.escape(run[0])}{{{len(run)},}}[ \t]*$")
    raw = _RAW.match(line)
    if raw:
        end = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
        return None if end.search(line) else end
    for opening, mark in _OPENINGS:
        if opening.match(line):
            return None if mark in line else re.compile(re.escape(mark))
    return _BLANK if _TAG.match(line) else None


def _is_entry(line: str) -> bool:
    """Whether a line is the heading of an entry, or of a group of them."""
    heading = _HEADING.match(line)
    if not heading:
        return False
    text = heading[2].strip()
    closed = text.rstrip("#")
    text = closed.strip() if closed[-1:].isspace() else text
    if _DATED.match(text):
        return True
    return len(heading[1]) == _ENTRY_LEVEL and text.lower() not in _INDEXES

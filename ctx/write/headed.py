"""What an entry says of itself: a line directly below its heading, or the line that says it now."""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import re
from collections.abc import Sequence

from ctx.write.lines import Lines

_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_STATUS = re.compile(
    r"(\*\*Status\*\*:|\*\*Status:\*\*|__Status__:|__Status:__)[ \t]*", re.IGNORECASE
)
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")


def with_status(data: bytes, first: int, last: int, status: str) -> bytes:
    """Return a file in which an entry says another status; what it said stays behind that.

    ``first`` and ``last`` are its lines, from 0. As the file is, where no line says a status.
    """
    held = Lines(data)
    for number in range(first + 1, min(last + 1, len(held.texts))):
        line = held.texts[number]
        if _FENCE.match(line):
            break  # what stands in code says nothing
        label = _STATUS.match(line)
        if label:
            was = line[label.end() :].strip()
            more = f" (was: {was})" if was else ""
            return held.replaced(number, f"{label[1]} {status}{more}")
    return data


def below_heading(data: bytes, heading: int, line: str) -> bytes:
    """Return a file with ``line`` as a paragraph behind the heading that starts at a line, from 0.

    Whatever the heading's form, with ``#`` or underlined; every other line stays.
    """
    held = Lines(data)
    behind = _end(held.texts, heading)
    more = ["", line]
    if behind < len(held.texts) and held.texts[behind].strip():
        more.append("")
    return held.inserted(behind, more)


def _end(lines: Sequence[str], heading: int) -> int:
    """Return the line behind a heading."""
    if _ATX.match(lines[heading]):
        return heading + 1
    below = range(heading + 1, len(lines))
    return next((at + 1 for at in below if _UNDERLINE.match(lines[at])), heading + 1)

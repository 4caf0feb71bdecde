"""The outline of a Markdown file by its lines, unparsed: frontmatter, headings, what never ends."""

import re
from collections.abc import Sequence

from ctx.text.regex import regex

FRONT = "---"  # the line before and behind frontmatter
MAX_LINES = 200  # a fence that is not closed within these is a divider, not frontmatter
_FRONT_KEY = regex(r"[A-Za-z_][\w-]*:(?:\s|$)")
_HEADING = regex(r"(#{1,6})(?:[ \t]|$)")
FENCE = regex(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})")
# HTML blocks of CommonMark kinds 1 to 5 run to their end mark, over blank lines and headings.
_HTML_ENDS = (
    (regex(r" {0,3}<!--"), regex(r"-->")),
    (
        regex(r"(?i) {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)"),
        regex(r"(?i)</(?:script|pre|style|textarea)>"),
    ),
    (regex(r" {0,3}<\?"), regex(r"\?>")),
    (regex(r" {0,3}<!\[CDATA\["), regex(r"\]\]>")),
    (regex(r" {0,3}<![A-Za-z]"), regex(r">")),
)
_HTML_TAG = regex(r" {0,3}</?[A-Za-z]")
_BLANK = regex(r"^[ \t]*$")


def extent(lines: Sequence[str]) -> int:
    """Return how many of a file's ``lines`` are its frontmatter, fences included; 0 without."""
    end = closing_of_front(lines) if opens_front(lines) else 0
    return end + 1 if end else 0


def opens_front(lines: Sequence[str]) -> bool:
    """Return whether the first of a file's ``lines`` may open frontmatter, by what follows it."""
    first = next((line for line in lines[1:] if line.strip() and line[0] != "#"), "")
    return lines[0].rstrip() == FRONT and bool(_FRONT_KEY.match(first))


def closing_of_front(lines: Sequence[str]) -> int:
    """Return the line of the closing fence, counted from 0; 0 where there is none."""
    last = min(len(lines), MAX_LINES)
    return next((number for number in range(1, last) if lines[number].rstrip() == FRONT), 0)


def structure(lines: Sequence[str], max_level: int) -> tuple[list[int], int | None]:
    """Return the lines of headings up to ``max_level``, and of a block that never ends, if any.

    Only headings at the start of a line that are certainly outside fences, comments and HTML.
    """
    cuts: list[int] = []
    end: re.Pattern[str] | None = None  # of the block that could contain headings
    indent = opened = 0  # of the fence that is open
    for number, line in enumerate(lines):
        if end is not None:
            if indent and line[:indent].strip(" \t"):
                return cuts, None  # inside a list the fence has ended here, outside not
            if end.search(line):
                end = None
            elif end is _BLANK and _opens(line)[0] not in (None, _BLANK):
                return cuts, None  # if the tag is text, this line opens a block
            continue
        if line[:1] == "#":
            heading = _HEADING.match(line)
            if heading and len(heading[1]) <= max_level:
                cuts.append(number)
        elif line.lstrip(" ")[:1] in ("`", "~", "<"):
            end, indent = _opens(line)
            opened = number
    return cuts, opened if end not in (None, _BLANK) else None


def _opens(line: str) -> tuple[re.Pattern[str] | None, int]:
    """Return the end of the block that ``line`` opens (None without one), and its indent."""
    fence = FENCE.match(line)
    if fence:
        run = fence[2]
        return re.compile(rf"^ {{0,3}}{re.escape(run[0])}{{{len(run)},}}[ \t]*$"), len(fence[1])
    if "<" not in line[:4]:
        return None, 0
    indent = len(line) - len(line.lstrip(" "))
    for opening, closing in _HTML_ENDS:
        if opening.match(line):
            return (None if closing.search(line) else closing), indent
    return (_BLANK if _HTML_TAG.match(line) else None), indent

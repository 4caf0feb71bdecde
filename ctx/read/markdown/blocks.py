"""Markdown as blocks with line spans, parsed chunk by chunk.

A file is cut at headings into chunks that parse the same alone as in the file, so that after
an edit only the chunks that changed are parsed.
"""

import re
from collections.abc import Iterator

from ctx.read.markdown.block import Block
from ctx.read.markdown.plain import scan
from ctx.text.regex import regex
from ctx.typed import NamedTuple

MAX_LINE = 64 * 1024  # characters; a longer line is data, not prose, and is replaced by its size

_HEADING = regex(r"(#{1,6})(?:[ \t]|$)")
_FENCE = regex(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})")
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
_RAW_TAG = regex(r"(?i) {0,3}<(script|pre|style|textarea)\b")
_END_MARKS = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}
_HTML_TAG = regex(r" {0,3}</?[A-Za-z]")


class Chunk(NamedTuple):
    """A run of lines that parses the same alone as in its file."""

    start: int  # first line, counted from 0
    text: str


def normalise(text: str) -> str:
    r"""Return ``text`` as the parsers expect it: ``\n`` ends lines, no NULs, no BOM."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")


def shorten_lines(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Replace lines over ``MAX_LINE`` by a note; return the text, and (line, length) of each."""
    if len(text) <= MAX_LINE:
        return text, []
    long: list[tuple[int, int]] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            long.append((number, len(line)))
            lines[number - 1] = f"(a line of {len(line):,} characters is left out)"
    return "\n".join(lines), long


def chunks(text: str, max_level: int = 6) -> Iterator[Chunk]:
    """Cut ``text`` before headings of ``max_level`` or higher at the start of a line.

    Only where that is certain to be outside fences, comments and HTML: a heading at a line's start
    ends every list and quote. Where indentation does not decide whether a fence belongs to a list,
    the rest of the text is one chunk.
    """
    lines = text.split("\n")
    begin = 0
    for line in _scan(lines, max_level)[0]:
        if line > begin:
            yield Chunk(begin, "\n".join(lines[begin:line]) + "\n")
            begin = line
    yield Chunk(begin, "\n".join(lines[begin:]))


def left_open(text: str) -> int | None:
    """Return the line of a fence, comment or HTML block that takes in the rest, or None."""
    return _scan(text.split("\n"), 0)[1]


def closed(text: str) -> str:
    """Return ``text`` with an end for an open block: it must not take in other entries."""
    if "```" not in text and "~~~" not in text and "<" not in text:
        return text
    lines = text.split("\n")
    opened = _scan(lines, 0)[1]
    return text if opened is None else f"{text}\n{_end_mark(lines[opened])}"


def _end_mark(line: str) -> str:
    fence = _FENCE.match(line)
    if fence:
        return fence[1] + fence[2]
    tag = _RAW_TAG.match(line)
    if tag:
        return f"</{tag[1]}>"
    for opening, mark in _END_MARKS.items():
        if line.lstrip(" ").startswith(opening):
            return mark
    return ">"


def _scan(lines: list[str], max_level: int) -> tuple[list[int], int | None]:
    """Return the lines of headings that can be cut at, and of a block that never ends."""
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
    fence = _FENCE.match(line)
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


_BLANK = regex(r"^[ \t]*$")


def blocks(text: str) -> list[Block]:
    """Return the top-level blocks of ``text``, in order."""
    found = scan(text)
    if found is None:
        from ctx.read.markdown.tree import tree  # the import costs four bare starts of Python

        return tree(text)
    return found

"""Markdown as blocks with line spans, parsed chunk by chunk.

A file is cut at headings into chunks that parse the same alone as in the file, so that after
an edit only the chunks that changed are parsed.
"""

from collections.abc import Iterator

from ctx.read.markdown.block import Block
from ctx.read.markdown.plain import scan
from ctx.text.outline import FENCE, structure
from ctx.text.regex import regex
from ctx.typed import NamedTuple

MAX_LINE = 64 * 1024  # characters; a longer line is data, not prose, and is replaced by its size

_RAW_TAG = regex(r"(?i) {0,3}<(script|pre|style|textarea)\b")
_END_MARKS = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}


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
    for line in structure(lines, max_level)[0]:
        if line > begin:
            yield Chunk(begin, "\n".join(lines[begin:line]) + "\n")
            begin = line
    yield Chunk(begin, "\n".join(lines[begin:]))


def left_open(text: str) -> int | None:
    """Return the line of a fence, comment or HTML block that takes in the rest, or None."""
    return structure(text.split("\n"), 0)[1]


def closed(text: str) -> str:
    """Return ``text`` with an end for an open block: it must not take in other entries."""
    if "```" not in text and "~~~" not in text and "<" not in text:
        return text
    lines = text.split("\n")
    opened = structure(lines, 0)[1]
    return text if opened is None else f"{text}\n{_end_mark(lines[opened])}"


def _end_mark(line: str) -> str:
    fence = FENCE.match(line)
    if fence:
        return fence[1] + fence[2]
    tag = _RAW_TAG.match(line)
    if tag:
        return f"</{tag[1]}>"
    for opening, mark in _END_MARKS.items():
        if line.lstrip(" ").startswith(opening):
            return mark
    return ">"


def blocks(text: str) -> list[Block]:
    """Return the top-level blocks of ``text``, in order."""
    found = scan(text)
    if found is None:
        from ctx.read.markdown.tree import tree  # the import costs four bare starts of Python

        return tree(text)
    return found

"""Entries kept within the place that a packet gives them.

What CommonMark reads as a heading of the packet's levels becomes a deeper one, what reads as a
notice of the packet is marked, and what an entry leaves open is closed.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ctx.read.markdown.blocks import closed
from ctx.read.markdown.plain import scan
from ctx.text.structure import FORGED, HTML_HEADING, NOTICE, OPENING, OWN_LEVELS, deeper

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_BOX = re.compile(r"\[[ xX~/>-]?\]")
_TRIES = 4
"""Rounds of mending: what was hidden by a heading can be one itself."""
_PROBE = f"\n\n{'#' * OWN_LEVELS} x\n"
_TICKS = re.compile("`+")


def nested(text: str) -> str:
    """Return the body or the introduction of an entry as a packet can hold it.

    Nearly every text is returned as it is, and without a parser.
    """
    if not (OPENING.search(text) or FORGED.search(text)):
        return text
    if text[:1].isspace():  # what stands above it could take it in
        text = _fenced(text) if text.startswith(("    ", "\t")) else text.lstrip(" ")
    if _BOX.match(text):  # which some sections write as an item, others as a paragraph
        text = _nested(f"- {text}").removeprefix("- ")
    return _nested(text)


def _nested(text: str) -> str:
    if _is_harmless(text):
        return text
    for mended in _mendings(text):
        if _stays(mended):
            return mended
    return _fenced(text)


def _mendings(text: str) -> Iterable[str]:
    for _ in range(_TRIES):
        text = _mended(text)
        yield text
    yield closed(text)


def _is_harmless(text: str) -> bool:
    """Whether a look at plain blocks tells that a text forges nothing and leaves nothing open."""
    found = scan(text)
    if found is None:
        return False
    lines = text.split("\n")
    for block in found:
        if block.kind in ("code", "comment"):
            lines[block.start : block.end] = [""] * (block.end - block.start)
    return not FORGED.search("\n".join(lines))


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # four bare starts: only for what looks like a forgery

    markdown = MarkdownIt("commonmark").enable("table")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    return markdown


def _mended(text: str) -> str:
    """Return ``text`` with the headings and notices that are found in it made an entry's own."""
    tokens = _markdown().parse(text)
    lines = text.split("\n")
    for token in tokens:
        if token.map is None:
            continue
        start, end = token.map
        if token.type == "heading_open" and int(token.tag[1]) <= OWN_LEVELS:
            _deepen(lines, token)
        elif token.type == "html_block":
            lines[start:end] = [deeper(line, raw=True) for line in lines[start:end]]
        elif token.type == "inline" and _holds_heading(token.content):
            pairs = zip(token.content.split("\n"), deeper(token.content).split("\n"), strict=True)
            for at, (old, new) in enumerate(pairs, start):
                line = lines[at].replace(old.strip(), new.strip())
                changed = line != lines[at] or old == new
                lines[at] = line if changed else deeper(line, raw=True)  # a cell with escapes
        if token.type in ("inline", "html_block"):
            lines[start:end] = [NOTICE.sub(r"\g<0>\\", line) for line in lines[start:end]]
    return "\n".join(lines)


def _deepen(lines: list[str], token: Token) -> None:
    """Make a heading one of an entry; dashes under a line divide, as readers of files have it."""
    start, end = token.map or (0, 0)
    last = end - 1
    if token.markup == "-":
        lines[last] = lines[last].replace("-", "*")
    elif (token.markup == "=" and end - start > 2) or (token.markup == "=" and token.level):  # noqa: PLR2004
        lines[last] = lines[last].replace("=", "\\=", 1)
    elif token.markup == "=":
        lines[start:end] = [f"{'#' * (OWN_LEVELS + 1)} {lines[start].strip()}", ""]
    else:
        lines[start] = lines[start].replace("#", "#" * (OWN_LEVELS + 1), 1)


def _holds_heading(content: str) -> bool:
    """Whether a paragraph, a title or a cell holds a tag of a heading, and not in its code."""
    if not HTML_HEADING.search(content):
        return False
    found: list[Token] = []
    _markdown().inline.parse(content, _markdown(), {}, found)
    return any(one.type == "html_inline" and HTML_HEADING.match(one.content) for one in found)


def _stays(text: str) -> bool:
    """Whether a parser finds nothing forged, and what stands after the text as it is."""
    tokens = _markdown().parse(text + _PROBE)
    heads = [one for one in tokens if one.type == "heading_open" and int(one.tag[1]) <= OWN_LEVELS]
    return (
        len(heads) == 1 and heads[0].level == 0 and heads[0] is tokens[-3] and _mended(text) == text
    )


def _fenced(text: str) -> str:
    """Return ``text`` as code, where there is no telling what it is."""
    fence = "`" * max(3, *(len(run) + 1 for run in _TICKS.findall(text)), 0)
    return f"{fence}\n{text}\n{fence}"

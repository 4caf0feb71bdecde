"""Markdown as blocks with line spans, by markdown-it-py.

Its inline phase is left out, since entries keep their Markdown as written.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from ctx.read.markdown.block import Block, Item

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark").enable("table")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    # `---` under a paragraph divides entries in files as people write them; as a setext
    # underline it would turn the paragraph above it into a heading.
    markdown.disable("lheading")
    return markdown


def tree(text: str) -> list[Block]:
    """Return the top-level blocks of ``text``, in order."""
    return list(_blocks(_markdown().parse(text)))


def _blocks(tokens: list[Token]) -> Iterator[Block]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = _closing(tokens, at)
        start, stop = token.map or (0, 0)
        if token.type == "heading_open":
            yield Block("heading", start, stop, int(token.tag[1]), tokens[at + 1].content, ())
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            yield Block("list", start, stop, 0, "", _items(tokens, at + 1, end))
        else:
            yield Block(_kind(token), start, stop, 0, "", ())
        at = end + 1


def _kind(token: Token) -> str:
    if token.type == "paragraph_open":
        return "paragraph"
    if token.type == "hr":
        return "divider"
    if token.type == "blockquote_open":
        return "quote"
    if token.type in ("fence", "code_block"):
        return "code"
    if token.type == "table_open":
        return "table"
    content = token.content.strip()
    return "comment" if content.startswith("<!--") and content.endswith("-->") else "html"


def _items(tokens: list[Token], at: int, end: int) -> tuple[Item, ...]:
    items = []
    while at < end:
        close = _closing(tokens, at)
        start, stop = tokens[at].map or (0, 0)
        items.append(Item(start, stop, _nested(tokens, at + 1, close)))
        at = close + 1
    return tuple(items)


def _nested(tokens: list[Token], at: int, end: int) -> tuple[tuple[Item, ...], ...]:
    lists = []
    while at < end:
        close = _closing(tokens, at)
        if tokens[at].type in ("bullet_list_open", "ordered_list_open"):
            lists.append(_items(tokens, at + 1, close))
        at = close + 1
    return tuple(lists)


def _closing(tokens: list[Token], at: int) -> int:
    """Return the index of the token that closes the one at ``at`` (itself if it has no pair)."""
    if tokens[at].nesting != 1:
        return at
    depth = 0
    for index in range(at, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1

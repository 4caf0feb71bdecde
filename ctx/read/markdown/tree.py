"""Markdown as blocks with line spans, by markdown-it-py without its inline phase."""

from collections.abc import Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ctx.read.markdown.block import Block, Item


@cache
def markdown(*disabled: str) -> MarkdownIt:
    """Return a parser of blocks and tables, without what is ``disabled``."""
    made = MarkdownIt("commonmark").enable("table").disable(disabled)
    made.core.ruler.enableOnly(["normalize", "block"])
    return made


def tree(text: str) -> list[Block]:
    """Return the top-level blocks of ``text``, in order."""
    # `---` under a paragraph divides entries in files as people write them; as a setext
    # underline it would turn the paragraph above it into a heading.
    return [_block(tokens) for tokens in _groups(markdown("lheading").parse(text))]


def _block(tokens: list[Token]) -> Block:
    first = tokens[0]
    start, stop = first.map or (0, 0)
    if first.type == "heading_open":
        return Block("heading", start, stop, int(first.tag[1]), tokens[1].content)
    if first.type in _LISTS:
        return Block("list", start, stop, items=_items(tokens))
    content = first.content.strip()
    is_comment = content.startswith("<!--") and content.endswith("-->")
    return Block(_KINDS.get(first.type) or ("comment" if is_comment else "html"), start, stop)


def _items(tokens: list[Token]) -> tuple[Item, ...]:
    items = []
    for item in _groups(tokens[1:-1]):
        start, stop = item[0].map or (0, 0)
        lists = (_items(group) for group in _groups(item[1:-1]) if group[0].type in _LISTS)
        items.append(Item(start, stop, tuple(lists)))
    return tuple(items)


def _groups(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield each outermost token with all up to the one that closes it."""
    begin = depth = 0
    for end, token in enumerate(tokens, 1):
        depth += token.nesting
        if depth == 0:
            yield tokens[begin:end]
            begin = end


_LISTS = ("bullet_list_open", "ordered_list_open")
_KINDS = {
    "paragraph_open": "paragraph",
    "hr": "divider",
    "blockquote_open": "quote",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
}

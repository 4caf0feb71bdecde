"""Conventions: list items under headings, with what introduces them, and prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.card import INDEXES, Card, Parser, dedent, slug, title_of
from ctx.read.markdown.block import by_heading, group_of, introduces, introduction, text_of
from ctx.read.markdown.blocks import blocks, closed
from ctx.text.checkbox import without_marker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.read.markdown.block import Block


def _conventions(text: str) -> list[Card]:
    """Return the list items of one chunk as cards.

    A paragraph right before a list introduces it where it ends in a colon, or where no blank line
    follows it. It stays with each item, since ``Do not:`` reverses their meaning. A heading
    without a list is one entry, examples and tables included; so is a paragraph beside a list.
    """
    lines = text.split("\n")
    return [card for run in by_heading(blocks(text)) for card in _cards(lines, run)]


def _cards(lines: list[str], found: list[Block]) -> list[Card]:
    """Return the cards below one heading."""
    group = group_of(found)
    if group.strip().lower() in INDEXES:
        return []  # an index of themed files, not entries
    if not any(block.kind == "list" for block in found):
        run = [block for block in found if block.kind not in ("heading", "comment", "divider")]
        named = group or any(_is_prose(lines, block) for block in run)
        return [_prose(lines, run, group)] if run and named else []
    cards: list[Card] = []
    for number, block in enumerate(found):
        if block.kind == "list":
            cards += _items(lines, block, group, introduction(lines, found, number))
        elif _is_prose(lines, block) and not introduces(lines, found, number):
            cards.append(_prose(lines, [block], group))
    return cards


def _items(lines: list[str], block: Block, group: str, lead: str) -> Iterator[Card]:
    for item in block.items:
        body = dedent(lines[item.start : item.end])
        title = title_of(without_marker(body))
        if not title:
            continue  # a bullet without text
        end = item.start + body.count("\n")
        yield Card(slug(title), "soft", title, item.start, end, body, group=group, lead=lead)


def _prose(lines: list[str], run: list[Block], group: str) -> Card:
    texts = [text_of(lines, block).strip("\n") for block in run]
    prose = [text for text, block in zip(texts, run, strict=True) if _is_prose(lines, block)]
    # The heading, if any, is the title where an example or a table comes first.
    named = group and not _is_prose(lines, run[0])
    title = group if named else title_of(prose[0].lstrip("> "))
    return Card(
        slug(title), "soft", title, run[0].start, run[-1].end - 1,
        closed("\n\n".join(texts)), group=group,
    )  # fmt: skip


def _is_prose(lines: list[str], block: Block) -> bool:
    """Whether a block is prose, and not an empty quote."""
    text = text_of(lines, block)
    return block.kind in ("paragraph", "quote") and bool(text.replace(">", "").strip())


CONVENTIONS = Parser("convention", _conventions, cut_level=6)

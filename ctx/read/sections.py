"""Reference documents: every section is background, and nothing is a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.card import INDEXES, Card, Parser, slug, title_of
from ctx.read.markdown.block import last_line, text_of
from ctx.read.markdown.blocks import blocks, closed
from ctx.text.checkbox import without_marker

if TYPE_CHECKING:
    from ctx.read.markdown.block import Block

_SECTION_LEVEL = 2
_SILENT = frozenset({"comment", "divider"})


def _cards(text: str) -> list[Card]:
    """Return a card for each section with text.

    The text under the document's title is a section, and so is the text under each heading of
    the second level, with its deeper headings.
    """
    runs: list[list[Block]] = []
    for block in blocks(text):
        if not runs or (block.kind == "heading" and block.level <= _SECTION_LEVEL):
            runs.append([])
        runs[-1].append(block)
    lines = text.split("\n")
    title = ""
    cards = []
    for run in runs:
        head = run[0]
        named = head.kind == "heading" and head.level <= _SECTION_LEVEL
        if named and head.level == 1 and not title:
            title = head.text
        if card := _card(lines, run, title, named=named):
            cards.append(card)
    return cards


def _card(lines: list[str], run: list[Block], document: str, *, named: bool) -> Card | None:
    shown = [block for block in (run[1:] if named else run) if block.kind not in _SILENT]
    if not shown or (named and run[0].text.strip().lower() in INDEXES):
        return None
    body = closed("\n\n".join(_text(lines, block) for block in shown))
    if not body:
        return None
    title = title_of(run[0].text if named else without_marker(body).lstrip("> "))
    group = document if document != title else ""
    first, last = run[0].start, last_line(lines, shown[-1])
    return Card(slug(title), "variant", title or "(untitled)", first, last, body, group=group)


def _text(lines: list[str], block: Block) -> str:
    """Return a block; headings nest below the title that the packet gives to an entry."""
    if block.kind == "heading":
        return f"{'#' * min(6, block.level + 1)} {block.text}"
    return text_of(lines, block).strip("\n").rstrip()


SECTIONS = Parser("lore", _cards)  # in one chunk: a section is shown under its document's title

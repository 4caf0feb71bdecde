"""Files of rules and conventions: list items under headings, with what introduces them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.read.block import by_heading, group_of
from ctx.read.blocks import blocks
from ctx.read.card import INDEXES, Card, dedent, slug, title_of
from ctx.read.marks import without_marker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import Kind, Tier
    from ctx.read.block import Block


class Listed(NamedTuple):
    """Parser of a file whose list items are entries.

    A paragraph right before a list that ends in a colon, or in no blank line, introduces
    it: it is kept with each item, since ``Do not:`` turns the items around. Other prose
    becomes soft entries: in a constitution block by block, in other files the whole of a
    heading that has no list, examples and tables included.
    """

    kind: Kind
    tier: Tier
    prose_always: bool
    cut_level: int = 6

    def __call__(self, text: str) -> list[Card]:
        """Return the cards of one chunk."""
        lines = text.split("\n")
        return [card for run in by_heading(blocks(text)) for card in self._cards(lines, run)]

    def _cards(self, lines: list[str], found: list[Block]) -> list[Card]:
        """Return the cards below one heading."""
        group = group_of(found)
        if group.strip().lower() in INDEXES:
            return []  # an index of themed files, not entries
        if not self.prose_always and not any(block.kind == "list" for block in found):
            return self._section(lines, found, group)
        cards: list[Card] = []
        for at, block in enumerate(found):
            if block.kind == "list":
                lead = _lead(lines, found, at)
                cards += self._items(lines, block, group, lead)
            elif _is_said(lines, block) and not _introduces(lines, found, at):
                cards.append(self._prose(lines, [block], group))
        return cards

    def _items(self, lines: list[str], block: Block, group: str, lead: str) -> Iterator[Card]:
        for item in block.items:
            body = dedent(lines[item.start : item.end])
            title = title_of(without_marker(body))
            if not title:
                continue  # a bullet without text
            end = item.start + body.count("\n")
            yield Card(
                slug(title), self.tier, title, item.start, end, body,
                group=group, lead=lead,
            )  # fmt: skip

    def _prose(self, lines: list[str], run: list[Block], group: str) -> Card:
        texts = ["\n".join(lines[block.start : block.end]).strip("\n") for block in run]
        prose = [text for text, block in zip(texts, run, strict=True) if _is_said(lines, block)]
        # The heading names what begins with an example or a table, where there is one.
        named = group and not _is_said(lines, run[0])
        title = group if named else title_of(prose[0].lstrip("> "))
        return Card(
            slug(title), "soft", title, run[0].start, run[-1].end - 1,
            "\n\n".join(texts), group=group,
        )  # fmt: skip

    def _section(self, lines: list[str], found: list[Block], group: str) -> list[Card]:
        """A heading without any list is one entry: its prose, tables and examples."""
        run = [block for block in found if block.kind not in ("heading", "comment", "rule")]
        named = group or any(_is_said(lines, block) for block in run)
        return [self._prose(lines, run, group)] if run and named else []


def _is_prose(block: Block) -> bool:
    return block.kind in ("paragraph", "quote")


def _is_said(lines: list[str], block: Block) -> bool:
    """Whether a block is prose, and not an empty quote."""
    text = "".join(lines[block.start : block.end])
    return _is_prose(block) and bool(text.replace(">", "").strip())


def _introduces(lines: list[str], found: list[Block], at: int) -> bool:
    """Whether the paragraph at ``at`` leads into the list that follows it."""
    block = found[at]
    if block.kind != "paragraph" or at + 1 >= len(found) or found[at + 1].kind != "list":
        return False
    # Without a blank line between them the list goes on with the sentence.
    joined = block.end == found[at + 1].start
    return joined or "\n".join(lines[block.start : block.end]).rstrip(" *_\n").endswith(":")


def _lead(lines: list[str], found: list[Block], at: int) -> str:
    if at == 0 or not _introduces(lines, found, at - 1):
        return ""
    block = found[at - 1]
    return "\n".join(lines[block.start : block.end]).strip()


RULES = Listed("rule", "hard", prose_always=True)
CONVENTIONS = Listed("convention", "soft", prose_always=False)

"""The partition of an authored document: every line of it in one node, every node in one tier.

Source: ``retrieval-math`` section 7.2; the rules by which a node gets its tier are restated
in the design notes. Nodes are whole lines, so that their offsets can be told in the bytes
of the file, whatever its line ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.read import deontic, frontmatter, tier_marks
from ctx.read.block import introduces, introduction, text_of
from ctx.read.blocks import blocks, chunks
from ctx.read.marks import without_marker
from ctx.read.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.model import Modality, Tier
    from ctx.read.block import Block

_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s|$)")
INSTRUCTING = frozenset(
    {
        "always",
        "constraints",
        "do",
        "dont",
        "do_not",
        "guidelines",
        "instruction",
        "instructions",
        "must",
        "must_not",
        "never",
        "policy",
        "policies",
        "prompt",
        "requirements",
        "rule",
        "rules",
        "system",
        "system_prompt",
    }
)
"""Keys of frontmatter whose values instruct; dashes count as underscores."""


def partition(text: str) -> list[Node]:
    """Return the nodes of ``text`` (line ends normalised): disjoint, and together all of it.

    A list item is hard, with everything nested in it; so are the keys of frontmatter that
    instruct. A block quote is soft, and so is a paragraph that the deontic reader promotes.
    Everything else is variant. ``<!-- ctx:hard -->``, ``soft`` or ``variant`` before a block
    overrule that; before a heading they hold for what stands below it.
    """
    lines = text.split("\n")
    head = frontmatter.extent(lines)
    found = [*_front(lines, head), *_body(lines, _blocks(lines, head))]
    return _complete(lines, found)


def _blocks(lines: Sequence[str], head: int) -> list[Block]:
    """Return the blocks of the document; the lines of its frontmatter count as blank."""
    text = "\n".join([*([""] * head), *lines[head:]])
    return [
        block._replace(
            start=block.start + chunk.start,
            end=block.end + chunk.start,
            items=tuple(
                item._replace(start=item.start + chunk.start, end=item.end + chunk.start)
                for item in block.items
            ),
        )
        for chunk in chunks(text)
        for block in blocks(chunk.text)
    ]


def _front(lines: Sequence[str], head: int) -> Iterator[Node]:
    """Yield frontmatter in runs of lines that instruct and lines that do not."""
    start, instructs = 0, False
    for number in range(head):
        key = _KEY.match(lines[number])
        now = instructs
        if key:
            now = key[1].casefold().replace("-", "_") in INSTRUCTING
        elif lines[number].rstrip() == "---":
            now = False
        if now != instructs:
            yield from _run(start, number, instructs=instructs)
            start, instructs = number, now
    yield from _run(start, head, instructs=instructs)


def _run(start: int, end: int, *, instructs: bool) -> Iterator[Node]:
    if start < end:
        yield Node("hard" if instructs else "variant", "frontmatter", start, end)


class _Reader:
    """Walks the blocks of a document with the heading and the overruling in force."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.group = ""
        self.sections: list[tuple[int, Tier]] = []
        """Levels of the headings whose blocks are overruled, and their tiers; innermost last."""
        self.next: Tier | None = None
        """Tier of the next block, where a comment says so."""

    def heading(self, block: Block) -> Node:
        self.group = block.text.strip()
        while self.sections and block.level <= self.sections[-1][0]:
            self.sections.pop()
        if self.next:
            self.sections.append((block.level, self.next))
            self.next = None
        return Node("variant", "heading", block.start, block.end, self.group)

    def comment(self, block: Block) -> Node:
        overrule = tier_marks.MARK.fullmatch(text_of(self.lines, block).strip())
        if overrule:
            self.next = tier_marks.TIERS.get(overrule[1].lower(), self.next)
        return Node("variant", "comment", block.start, block.end, self.group)

    def overruled(self) -> Tier | None:
        """Return the tier that the author gave the block at hand, and be done with it."""
        tier = self.next or (self.sections[-1][1] if self.sections else None)
        self.next = None
        return tier


def _body(lines: Sequence[str], found: Sequence[Block]) -> Iterator[Node]:
    reader = _Reader(lines)
    for at, block in enumerate(found):
        if block.kind == "heading":
            yield reader.heading(block)
        elif block.kind == "comment":
            yield reader.comment(block)
        elif block.kind == "list":
            yield from _items(reader, block, introduction(lines, found, at))
        elif introduces(lines, found, at):
            yield _introducing(reader, found, at)
        else:
            yield _leaf(reader, block)


def _items(reader: _Reader, block: Block, lead: str) -> Iterator[Node]:
    tier = reader.overruled() or "hard"
    for item in block.items:
        text = without_marker("\n".join(reader.lines[item.start : item.end]).strip())
        modality = deontic.read(led(lead, text)).modality
        yield Node(tier, "item", item.start, item.end, reader.group, lead, modality)


def led(lead: str, text: str) -> str:
    """Return the text of an item behind the introduction of its list.

    An introduction that ends with a word is a title, unless the item goes on with its sentence.
    """
    titled = lead[-1:].isalnum() and text.lstrip("*_ ")[:1].isupper()
    return f"{lead}\n\n{text}" if titled else f"{lead} {text}".lstrip()


def _introducing(reader: _Reader, found: Sequence[Block], at: int) -> Node:
    """Return the introduction of a list as a node of the list's tier.

    ``Do not:`` turns its items around, so it is said wherever they are said. What overrules
    the introduction overrules the list as well.
    """
    given = reader.next
    tier = reader.overruled() or "hard"
    reader.next = given
    block = found[at]
    modality = deontic.read(text_of(reader.lines, block)).modality
    return Node(
        tier, "paragraph", block.start, block.end, reader.group, "", modality, introduces=True
    )


def _leaf(reader: _Reader, block: Block) -> Node:
    kind = block.kind
    overruled = reader.overruled()
    modality: Modality | str = ""
    tier: Tier = "variant"
    if kind in ("paragraph", "quote"):
        modality = deontic.read(text_of(reader.lines, block)).modality
        tier = "soft" if modality or kind == "quote" else "variant"
    return Node(overruled or tier, kind, block.start, block.end, reader.group, modality=modality)


def _complete(lines: Sequence[str], found: Iterable[Node]) -> list[Node]:
    """Return the nodes without blank edges, and what no block took as nodes of their own.

    A parser takes definitions of links out of the text; they are bytes of the document.
    """
    nodes: list[Node] = []
    at = 0
    for node in found:
        start, end = _trimmed(lines, max(at, node.start), node.end)
        if start >= end:
            continue
        nodes += _between(lines, at, start)
        nodes.append(node._replace(start=start, end=end))
        at = end
    return nodes + list(_between(lines, at, len(lines)))


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return start, end


def _between(lines: Sequence[str], at: int, stop: int) -> Iterator[Node]:
    start, end = _trimmed(lines, at, stop)
    if start < end:
        yield Node("variant", "definition", start, end)

"""The partition of an authored document: each line is in one node, each node has one tier."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ctx.read import frontmatter
from ctx.read.authored import deontic
from ctx.read.markdown.block import introduces, introduction, text_of
from ctx.read.markdown.blocks import blocks, chunks
from ctx.text.checkbox import without_marker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.model import Modality, Tier
    from ctx.read.markdown.block import Block


class Node(NamedTuple):
    """A leaf of the document, in source order."""

    tier: Tier
    kind: str
    """``item``, ``paragraph``, ``quote``, ``heading``, ``code``, ``html``, ``table``,
    ``frontmatter``, ``comment``, ``divider`` or ``definition`` (of a link)."""
    start: int
    """First line, counted from 0; not blank."""
    end: int
    """One past the last line that is not blank."""
    group: str = ""
    """The text of the heading above it."""
    lead: str = ""
    """An item's introduction, which is also a node of its own."""
    modality: Modality | str = ""
    introduces: bool = False
    """Whether it introduces the list that follows, and so is part of each of its items."""


TIERS: dict[str, Tier] = {"hard": "hard", "soft": "soft", "variant": "variant"}
MARK = re.compile(r"<!--\s*ctx:\s*(\w+)\s*-->", re.IGNORECASE)
_ANY_MARK = re.compile(r"<!--\s*ctx:\s*(\S(?:[^>]{0,60}[^>\s])??)\s*-->", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`]*`")


def to_mend(text: str, nodes: Sequence[Node]) -> list[tuple[int, str]]:
    """Return the line, counted from 1, of each mark in ``text`` without effect, and the reason.

    ``nodes`` are its partition.
    """
    if "ctx:" not in text:
        return []
    lines = text.split("\n")
    return sorted([*_unknown_marks(lines), *_idle_marks(lines, nodes)])


def _unknown_marks(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        mark = _ANY_MARK.fullmatch(line.strip()) if "ctx:" in line else None
        if mark and mark[1].lower() not in TIERS:
            from difflib import get_close_matches  # only for the rare mistake

            near = get_close_matches(mark[1].lower().split(maxsplit=1)[0], TIERS, 1)
            hint = f"did you mean {near[0]}?" if near else "write hard, soft or variant"
            yield number, f"ctx:{mark[1]} names no tier; {hint}"


def _idle_marks(lines: Sequence[str], nodes: Sequence[Node]) -> Iterator[tuple[int, str]]:
    for number, node in enumerate(nodes):
        word = _tier_mark(lines, node)
        if not word:
            yield from _misplaced(lines, node)
        elif why := _idle(lines, nodes[number + 1 :]):
            yield node.start + 1, f"ctx:{word} {why}"


def _tier_mark(lines: Sequence[str], node: Node) -> str:
    """Return the tier that a comment gives the next block; empty for other nodes."""
    if node.kind != "comment":
        return ""
    mark = MARK.fullmatch("\n".join(lines[node.start : node.end]).strip())
    return mark[1] if mark and mark[1].lower() in TIERS else ""


def _idle(lines: Sequence[str], after: Iterable[Node]) -> str:
    """Return why a mark before ``after`` overrules nothing; empty where it overrules."""
    for node in after:
        word = _tier_mark(lines, node)
        if word:
            return f"overrules nothing: ctx:{word} in line {node.start + 1} stands after it"
        if node.kind not in ("comment", "definition"):
            return ""
    return "overrules nothing: no block stands after it"


def _misplaced(lines: Sequence[str], node: Node) -> Iterator[tuple[int, str]]:
    """Yield the marks that are not alone between two blocks, without those in code."""
    fenced = False
    for number in range(node.start, node.end):
        fenced ^= lines[number].lstrip("-+* \t").startswith(("```", "~~~"))
        line = _CODE_SPAN.sub("", lines[number])
        mark = None if fenced or node.kind in ("code", "frontmatter") else MARK.search(line)
        if mark and mark[1].lower() in TIERS:
            where = "stands inside a list item" if node.kind == "item" else "shares its line"
            yield (
                number + 1,
                f"ctx:{mark[1]} {where} and overrules nothing; give it a line before a block",
            )


_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s|$)")
INSTRUCTING = frozenset({
    "always", "constraints", "do", "dont", "do_not", "guidelines", "instruction", "instructions",
    "must", "must_not", "never", "policy", "policies", "prompt", "requirements", "rule", "rules",
    "system", "system_prompt",
})  # fmt: skip
"""Keys of frontmatter whose values are instructions; dashes count as underscores."""


def partition(text: str) -> list[Node]:
    """Return the nodes of ``text`` (line ends normalised): disjoint, and together all of it.

    A list item is hard, with everything nested in it; so are the keys of frontmatter that
    instruct. A block quote is soft, and so is a paragraph that the deontic reader promotes.
    Everything else is variant. ``<!-- ctx:hard -->``, ``soft`` or ``variant`` before a block
    overrule that; before a heading they overrule its whole section.
    """
    lines = text.split("\n")
    head = frontmatter.extent(lines)
    return _complete(lines, [*_front(lines, head), *_body(lines, _blocks(lines, head))])


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
            yield Node("hard" if instructs else "variant", "frontmatter", start, number)
            start, instructs = number, now
    if start < head:
        yield Node("hard" if instructs else "variant", "frontmatter", start, head)


class _Reader:
    """Walks the blocks of a document; knows the heading and the overruled tier of each."""

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
        overrule = MARK.fullmatch(text_of(self.lines, block).strip())
        if overrule:
            self.next = TIERS.get(overrule[1].lower(), self.next)
        return Node("variant", "comment", block.start, block.end, self.group)

    def overruled(self) -> Tier | None:
        """Return the tier that a mark gives the current block; None without one."""
        tier = self.next or (self.sections[-1][1] if self.sections else None)
        self.next = None
        return tier


def _body(lines: Sequence[str], found: Sequence[Block]) -> Iterator[Node]:
    reader = _Reader(lines)
    for number, block in enumerate(found):
        if block.kind == "heading":
            yield reader.heading(block)
        elif block.kind == "comment":
            yield reader.comment(block)
        elif block.kind == "list":
            yield from _items(reader, block, introduction(lines, found, number))
        elif introduces(lines, found, number):
            yield _introducing(reader, block)
        else:
            yield _leaf(reader, block)


def _items(reader: _Reader, block: Block, lead: str) -> Iterator[Node]:
    tier = reader.overruled() or "hard"
    for item in block.items:
        text = without_marker("\n".join(reader.lines[item.start : item.end]).strip())
        modality = deontic.read(led(lead, text)).modality
        yield Node(tier, "item", item.start, item.end, reader.group, lead, modality)


def led(lead: str, text: str) -> str:
    """Return the text of an item after the introduction of its list.

    An introduction that ends with a word is a title, unless the item continues its sentence.
    """
    titled = lead[-1:].isalnum() and text.lstrip("*_ ")[:1].isupper()
    return f"{lead}\n\n{text}" if titled else f"{lead} {text}".lstrip()


def _introducing(reader: _Reader, block: Block) -> Node:
    """Return the introduction of a list as a node of the list's tier.

    ``Do not:`` reverses its items, so it is part of each of them. A mark before the introduction
    overrules the list, too.
    """
    mark = reader.next
    tier = reader.overruled() or "hard"
    reader.next = mark
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
    """Return the nodes without blank edges, and lines between them as nodes of their own.

    These are definitions of links, which a parser takes out of the text.
    """
    nodes: list[Node] = []
    last = 0
    for node in found:
        start, end = _trimmed(lines, max(last, node.start), node.end)
        if start < end:
            nodes += [*_between(lines, last, start), node._replace(start=start, end=end)]
            last = end
    return [*nodes, *_between(lines, last, len(lines))]


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return start, end


def _between(lines: Sequence[str], start: int, end: int) -> Iterator[Node]:
    start, end = _trimmed(lines, start, end)
    if start < end:
        yield Node("variant", "definition", start, end)

"""Authored documents as entries: required rules, guidelines and background.

``partition`` decides the tier of a block; this module makes entries of the nodes.
"""

from __future__ import annotations

from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from ctx.read.authored.partition import partition
from ctx.read.card import Card, Parser, dedent, slug, title_of
from ctx.read.markdown.blocks import closed
from ctx.text.checkbox import without_marker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.read.authored.partition import Node

_SILENT = frozenset({"heading", "comment", "divider", "definition", "frontmatter"})
"""Nodes without content of their own: a heading is the group of the nodes below it."""
_PROSE = frozenset({"paragraph", "quote", "item"})


def _cards(text: str) -> list[Card]:
    """Return the cards of a document, frontmatter included.

    Each hard or soft node is a rule. An introduction is part of each item of its list, and an
    example or table is part of the rule that announces it with a colon. Other variant nodes that
    follow each other under one heading are one piece of background, so that an example stays
    with the sentence before it.
    """
    lines = text.split("\n")
    cards: list[Card] = []
    for _, nodes in groupby(announced(lines, partition(text)), key=_run_of):
        run = list(nodes)
        if run[0].tier == "variant":
            cards += _background(lines, [node for node in run if node.kind not in _SILENT])
        elif not run[0].introduces:
            cards += _rule(lines, run[0])
    return cards


def announced(lines: Sequence[str], nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield ``nodes``; a rule that announces the next node is joined with it."""
    taken = False
    leads = {
        node.lead
        for node in nodes
        if node.lead and _words(dedent(lines[node.start : node.end]), node).strip()
    }
    for node, after in zip_longest(nodes, nodes[1:]):
        if taken:
            taken = False
        elif node.introduces and "\n".join(lines[node.start : node.end]).strip() not in leads:
            yield node._replace(introduces=False)  # of items without text
        elif after is not None and _announces(lines, node, after):
            taken = True
            yield node._replace(end=after.end)
        else:
            yield node


def _announces(lines: Sequence[str], node: Node, after: Node) -> bool:
    """Whether a rule ends in a colon before an example or table; an unclosed fence is neither."""
    is_rule = node.tier != "variant" and not node.introduces
    first, last = lines[after.start].strip()[:3], lines[after.end - 1].strip()
    fenced = first in ("```", "~~~")
    closed = not fenced or (last.startswith(first) and after.end - after.start > 1)
    ends_in_colon = lines[node.end - 1].rstrip(" *_").endswith(":")
    return is_rule and ends_in_colon and after.kind in ("code", "table") and closed


def _run_of(node: Node) -> tuple[str, str] | Node:
    """Return what nodes of one run share: background its heading; each rule is a run."""
    return ("lore", node.group) if node.tier == "variant" else node


def _rule(lines: Sequence[str], node: Node) -> Iterator[Card]:
    body = dedent(lines[node.start : node.end], trailing=True)
    title = title_of(_words(body, node))
    if not title:
        return  # a bullet or a quote without text
    if node.kind != "item":  # the end of an item closes its fences
        body = closed(body)
    yield Card(
        slug(title), node.tier, title, node.start, node.end - 1, body,
        group=node.group, lead=node.lead, modality=node.modality,
    )  # fmt: skip


def _words(body: str, node: Node) -> str:
    """Return the text of a rule without its bullet, check box or quote marks."""
    return without_marker(body) if node.kind == "item" else body.lstrip("> \n")


def _background(lines: Sequence[str], run: Sequence[Node]) -> Iterator[Card]:
    group = run[0].group if run else ""
    if not group and not any(node.kind in _PROSE for node in run):
        return  # an example or a table without any sentence before it
    body = closed("\n\n".join(_texts(lines, run)))
    title = group or title_of(without_marker(body).lstrip("> ")) or "(untitled)"
    yield Card(
        slug(title), "variant", title, run[0].start, run[-1].end - 1, body,
        group=group,
    )  # fmt: skip


def _texts(lines: Sequence[str], run: Iterable[Node]) -> Iterator[str]:
    """Yield the text of each node; items that follow each other stay a list."""
    for kind, nodes in groupby(run, key=lambda node: (node.kind == "item", node.lead)):
        texts = ["\n".join(lines[node.start : node.end]) for node in nodes]
        if kind[0]:
            yield "\n".join(texts)
        else:
            yield from texts


# In one chunk: the mark that overrules a section is before its heading.
AUTHORED = Parser("rule", _cards, reads_front=True)

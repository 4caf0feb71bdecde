"""Authored documents as entries: hard and soft rules, and lore.

Which tier a block has is for ``partition`` to say; here the nodes of a document become
what a packet can say.
"""

from __future__ import annotations

from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from ctx.read.authored.partition import partition
from ctx.read.card import Card, dedent, slug, title_of
from ctx.read.checkbox import without_marker
from ctx.read.markdown.blocks import closed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.model import Kind
    from ctx.read.authored.partition import Node

_SILENT = frozenset({"heading", "comment", "divider", "definition", "frontmatter"})
"""Nodes that tell nothing by themselves: a heading is said as the group of what it heads."""
_PROSE = frozenset({"paragraph", "quote", "item"})


class Authored(NamedTuple):
    """Parser of an authored document.

    Each hard or soft node is a rule; an introduction is said with each item of its list, and
    the example or table that a rule announces with a colon is said with the rule. Other
    variant nodes that follow each other under one heading are one piece of lore, so that an
    example is not torn from the sentence that leads up to it.
    """

    kind: Kind = "rule"
    cut_level: int = 0
    """No cuts: what overrules a section stands before its heading."""
    reads_front: bool = True

    def __call__(self, text: str) -> list[Card]:
        """Return the cards of a document, frontmatter included."""
        lines = text.split("\n")
        runs = groupby(announced(lines, partition(text)), key=_run_of)
        return [card for _, run in runs for card in _cards(lines, list(run))]


_ANNOUNCED = frozenset({"code", "table"})


def announced(lines: Sequence[str], nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield ``nodes``, a rule that announces the next one together with it."""
    taken = False
    said = {node.lead for node in nodes if node.lead and _has_words(lines, node)}
    for node, after in zip_longest(nodes, nodes[1:]):
        if taken:
            taken = False
        elif node.introduces and "\n".join(lines[node.start : node.end]).strip() not in said:
            yield node._replace(introduces=False)  # of items without text
        elif after is not None and _announces(lines, node) and _is_example(lines, after):
            taken = True
            yield node._replace(end=after.end)
        else:
            yield node


def _is_example(lines: Sequence[str], node: Node) -> bool:
    """Whether a node can be said with the rule before it: not where it swallows the rest."""
    first, last = lines[node.start].strip()[:3], lines[node.end - 1].strip()
    fenced = first in ("```", "~~~")
    closed = not fenced or (last.startswith(first) and node.end - node.start > 1)
    return node.kind in _ANNOUNCED and closed


def _has_words(lines: Sequence[str], node: Node) -> bool:
    return bool(_words(dedent(lines[node.start : node.end]), node).strip())


def _announces(lines: Sequence[str], node: Node) -> bool:
    is_rule = node.tier != "variant" and not node.introduces
    return is_rule and lines[node.end - 1].rstrip(" *_").endswith(":")


def _run_of(node: Node) -> tuple[str, str] | Node:
    """Tell apart what is said apart: lore by its heading, each rule by itself."""
    return ("lore", node.group) if node.tier == "variant" else node


def _cards(lines: Sequence[str], run: list[Node]) -> Iterator[Card]:
    first = run[0]
    if first.tier == "variant":
        yield from _lore(lines, [node for node in run if node.kind not in _SILENT])
    elif not first.introduces:
        yield from _rule(lines, first)


def _rule(lines: Sequence[str], node: Node) -> Iterator[Card]:
    body = dedent(lines[node.start : node.end], trailing=True)
    title = title_of(_words(body, node))
    if not title:
        return  # a bullet or a quote without text
    if node.kind != "item":  # what an item opens ends with the item
        body = closed(body)
    yield Card(
        slug(title), node.tier, title, node.start, node.end - 1, body,
        group=node.group, lead=node.lead, modality=node.modality,
    )  # fmt: skip


def _words(body: str, node: Node) -> str:
    """Return the text of a rule without the marks before it."""
    return without_marker(body) if node.kind == "item" else body.lstrip("> \n")


def _lore(lines: Sequence[str], run: Sequence[Node]) -> Iterator[Card]:
    group = run[0].group if run else ""
    if not group and not any(node.kind in _PROSE for node in run):
        return  # an example or a table that nothing leads up to
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


AUTHORED = Authored()

"""Comments by which an author overrules the tier of a block: ``<!-- ctx:variant -->``.

What they do is for ``partition``; here is what they look like, and which of them do nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.model import Tier
    from ctx.read.node import Node

TIERS: dict[str, Tier] = {"hard": "hard", "soft": "soft", "variant": "variant"}
MARK = re.compile(r"<!--\s*ctx:\s*(\w+)\s*-->", re.IGNORECASE)
_LOOKS_LIKE_ONE = re.compile(r"<!--\s*ctx:\s*(\S(?:[^>]{0,60}[^>\s])??)\s*-->", re.IGNORECASE)
"""Whatever words are in it."""
_CODE_SPAN = re.compile(r"`[^`]*`")


def to_mend(text: str, nodes: Sequence[Node]) -> list[tuple[int, str]]:
    """Return the line, counted from 1, of each mark in ``text`` that does nothing, and why.

    ``nodes`` are its partition.
    """
    if "ctx:" not in text:
        return []
    lines = text.split("\n")
    return sorted([*_strange(lines), *_idle_marks(lines, nodes)])


def _strange(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        mark = _LOOKS_LIKE_ONE.fullmatch(line.strip()) if "ctx:" in line else None
        if mark and mark[1].lower() not in TIERS:
            yield number, _no_tier(mark[1])


def _no_tier(words: str) -> str:
    """Return what is wrong with a mark that says ``words``."""
    from difflib import get_close_matches  # only when there is something to mend

    near = get_close_matches(words.lower().split(maxsplit=1)[0], TIERS, 1)
    hint = f"did you mean {near[0]}?" if near else "write hard, soft or variant"
    return f"ctx:{words} names no tier; {hint}"


def _idle_marks(lines: Sequence[str], nodes: Sequence[Node]) -> Iterator[tuple[int, str]]:
    for at, node in enumerate(nodes):
        word = _tier_mark(lines, node)
        why = _idle(lines, nodes[at + 1 :]) if word else ""
        if why:
            yield node.start + 1, f"ctx:{word} {why}"
        if not word:
            yield from _misplaced(lines, node)


def _tier_mark(lines: Sequence[str], node: Node) -> str:
    """Return the tier that a comment gives what stands after it; empty for other nodes."""
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
    """Yield the marks that are not alone between two blocks; not those that code shows."""
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

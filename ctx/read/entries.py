"""DECISIONS.md, LEARNINGS.md and their themed folders: dated blocks under headings."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ctx.read.card import INDEXES, Card, Parser, slug, title_of
from ctx.read.markdown.block import last_line, text_of
from ctx.read.markdown.blocks import blocks, closed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.read.markdown.block import Block

_STAMP = re.compile(r"\[(\d{4}-\d{2}-\d{2}(?:[-T ]\d{2}:?\d{2}(?::?\d{2})?)?)Z?\][ \t]*")
_SUPERSEDED = re.compile(
    r"^[ \t>-]*(?:~~[ \t]*superseded\b"
    r"|(?:\*\*|__)?status(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*[*_~]*(?:superseded|deprecated)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_SUPERSEDES = re.compile(
    r"\bsupersedes\b[*_]{0,3}:?[*_]{0,3}[ \t]{1,3}([^\n|]{1,300})", re.IGNORECASE
)
_ENTRY_LEVEL = 2
_BODY_LEVEL = 4  # headings inside an entry nest below its own, which is the packet's third level


def _cards(text: str) -> list[Card]:
    """Return the dated entries of one chunk.

    ``## [2026-05-30-114429] Title``, ``## [2026-05-30] Title`` and a plain ``## Title`` are
    entries, each up to the next heading of its level or a higher one. Dated headings of
    another level are entries as well; a plain heading above them is none.
    """
    lines = text.split("\n")
    found = blocks(text)
    heads = _entry_heads(found)
    return [
        _card(lines, found[head : _end(found, head, stop)])
        for head, stop in pairwise([*heads, len(found)])
    ]


def _entry_heads(found: list[Block]) -> list[int]:
    """Return the places of the headings that begin an entry."""
    heads = [place for place, block in enumerate(found) if block.kind == "heading"]
    dated = [place for place in heads if _STAMP.match(found[place].text)]
    plain = [
        place
        for place in heads
        if found[place].level == _ENTRY_LEVEL
        and place not in dated
        and found[place].text.strip().lower() not in INDEXES
        and not _heads_dated_ones(found, place, dated)
    ]
    return sorted(dated + plain)


def _heads_dated_ones(found: list[Block], head: int, dated: list[int]) -> bool:
    """Whether there are dated headings below the plain one at ``head``."""
    end = _end(found, head, len(found))
    return any(head < place < end for place in dated)


def _end(found: list[Block], head: int, stop: int) -> int:
    """Return the index of the block that ends the entry at ``head``, ``stop`` at the latest."""
    level = found[head].level
    ends = (
        place
        for place in range(head + 1, stop)
        if found[place].kind == "heading" and found[place].level <= level
    )
    return next(ends, stop)


def _card(lines: list[str], run: list[Block]) -> Card:
    head = run[0]
    stamp = _STAMP.match(head.text)
    raw = head.text[stamp.end() :] if stamp else head.text
    title = title_of(raw.strip("~ ") if raw.strip().startswith("~~") else raw)
    timestamp = stamp[1].replace(" ", "-").replace("T", "-").replace(":", "") if stamp else ""
    kept = run[1:]
    while kept and kept[-1].kind in ("divider", "comment"):
        kept.pop()  # it belongs to the file, not to the entry
    body = closed("\n".join(_body_lines(lines, kept, head.level)).strip("\n"))
    own = "\n".join(
        text_of(lines, block) for block in kept if block.kind not in ("code", "comment")
    )
    gone = raw.strip().startswith("~~") or _SUPERSEDED.search(own)
    return Card(
        timestamp or slug(title),
        "variant",
        title or "(untitled)",
        head.start,
        last_line(lines, kept[-1] if kept else head),
        body,
        timestamp=timestamp,
        status="superseded" if gone else "",
        supersedes="\n".join(match.strip() for match in _SUPERSEDES.findall(own)),
    )


def _body_lines(lines: list[str], run: list[Block], level: int) -> Iterator[str]:
    """Yield the lines of an entry without comments, and with headings below its title's level."""
    end = run[0].start if run else 0
    for block in run:
        yield from ("" for _ in lines[end : block.start])
        end = block.end
        if block.kind == "comment":
            continue
        if block.kind == "heading":
            depth = min(6, _BODY_LEVEL + max(0, block.level - level - 1))
            yield f"{'#' * depth} {block.text}"
        else:
            yield from (line.rstrip() for line in lines[block.start : block.end])


DECISIONS = Parser("decision", _cards, cut_level=_ENTRY_LEVEL)
LEARNINGS = Parser("learning", _cards, cut_level=_ENTRY_LEVEL)

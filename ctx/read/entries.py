"""DECISIONS.md, LEARNINGS.md and their themed folders: dated blocks under headings."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ctx.read.card import INDEXES, Card, slug, title_of
from ctx.read.markdown.blocks import blocks, closed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import Kind
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


class Dated(NamedTuple):
    """Parser of a file of dated entries.

    ``## [2026-05-30-114429] Title``, ``## [2026-05-30] Title`` and a plain ``## Title`` are
    entries, each up to the next heading of its level or a higher one. Dated headings of
    another level are entries as well; a plain heading over them gathers them.
    """

    kind: Kind
    cut_level: int = _ENTRY_LEVEL
    reads_front: bool = False

    def __call__(self, text: str) -> list[Card]:
        """Return the cards of one chunk: as a rule one, more below a gathering heading."""
        lines = text.split("\n")
        found = blocks(text)
        heads = _entry_heads(found)
        return [
            _card(lines, found[head : _end(found, head, stop)])
            for head, stop in pairwise([*heads, len(found)])
        ]


def _entry_heads(found: list[Block]) -> list[int]:
    heads = [at for at, block in enumerate(found) if block.kind == "heading"]
    dated = [at for at in heads if _STAMP.match(found[at].text)]
    plain = [
        at
        for at in heads
        if found[at].level == _ENTRY_LEVEL
        and at not in dated
        and found[at].text.strip().lower() not in INDEXES
        and not _gathers(found, at, dated)
    ]
    return sorted(dated + plain)


def _gathers(found: list[Block], head: int, dated: list[int]) -> bool:
    """Whether dated headings stand below the plain one at ``head``."""
    end = _end(found, head, len(found))
    return any(head < at < end for at in dated)


def _end(found: list[Block], head: int, stop: int) -> int:
    """Return the index of the block that ends the entry at ``head``, ``stop`` at the latest."""
    level = found[head].level
    for at in range(head + 1, stop):
        if found[at].kind == "heading" and found[at].level <= level:
            return at
    return stop


def _card(lines: list[str], run: list[Block]) -> Card:
    head = run[0]
    stamp = _STAMP.match(head.text)
    raw = head.text[stamp.end() :] if stamp else head.text
    title = title_of(raw.strip("~ ") if raw.strip().startswith("~~") else raw)
    timestamp = stamp[1].replace(" ", "-").replace("T", "-").replace(":", "") if stamp else ""
    kept = _without_tail(run[1:])
    body = closed("\n".join(_body_lines(lines, kept, head.level)).strip("\n"))
    told = "\n".join(_told(lines, kept))
    gone = raw.strip().startswith("~~") or _SUPERSEDED.search(told)
    return Card(
        timestamp or slug(title),
        "variant",
        title or "(untitled)",
        head.start,
        _last_line(lines, kept[-1] if kept else head),
        body,
        timestamp=timestamp,
        status="superseded" if gone else "",
        supersedes="\n".join(match.strip() for match in _SUPERSEDES.findall(told)),
    )


def _told(lines: list[str], run: list[Block]) -> Iterator[str]:
    """Yield the lines in which an entry speaks for itself: code and comments do not."""
    for block in run:
        if block.kind not in ("code", "comment"):
            yield from lines[block.start : block.end]


def _last_line(lines: list[str], block: Block) -> int:
    """Return the last line of a block with text: a list's span may end in blank lines."""
    last = block.end - 1
    while last > block.start and not lines[last].strip():
        last -= 1
    return last


def _without_tail(run: list[Block]) -> list[Block]:
    """Drop dividers and comments at the end: they belong to the file, not to the entry."""
    end = len(run)
    while end and run[end - 1].kind in ("divider", "comment"):
        end -= 1
    return run[:end]


def _body_lines(lines: list[str], run: list[Block], level: int) -> Iterator[str]:
    """Yield the lines of an entry, comments left out and headings nested below its title."""
    at = run[0].start if run else 0
    for block in run:
        yield from ("" for _ in lines[at : block.start])
        at = block.end
        if block.kind == "comment":
            continue
        if block.kind == "heading":
            depth = min(6, _BODY_LEVEL + max(0, block.level - level - 1))
            yield f"{'#' * depth} {block.text}"
        else:
            yield from (line.rstrip() for line in lines[block.start : block.end])


DECISIONS = Dated("decision")
LEARNINGS = Dated("learning")

"""Blocks under headings as entries: decisions and learnings, conventions, reference sections."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from ctx.read.card import INDEXES, Card, Parser, dedent, slug, title_of
from ctx.read.markdown.block import (
    Block,
    by_heading,
    group_of,
    introduces,
    introduction,
    last_line,
    text_of,
)
from ctx.read.markdown.blocks import blocks, closed
from ctx.text import stamps
from ctx.text.checkbox import without_marker
from ctx.text.regex import regex

_SUPERSEDED = regex(
    r"(?im)^[ \t>-]*(?:~~[ \t]*superseded\b"
    r"|(?:\*\*|__)?status(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*[*_~]*(?:superseded|deprecated)\b)"
)
_SUPERSEDES = regex(r"(?i)\bsupersedes\b[*_]{0,3}:?[*_]{0,3}[ \t]{1,3}([^\n|]{1,300})")
_LEVEL = 2  # of the headings of decisions, learnings and sections
_BODY_LEVEL = 4  # headings inside an entry nest below its own, which is the packet's third level
_SILENT = frozenset({"comment", "divider"})


def _is_index(heading: str) -> bool:
    return heading.strip().lower() in INDEXES


def _dated(text: str) -> Iterator[Card]:
    """Yield the dated entries of one chunk.

    ``## [2026-05-30-114429] Title``, ``## Title (2026-05-30)`` and a plain ``## Title`` are
    entries, each up to the next heading of its level or a higher one. Headings of another level
    that begin with a date in brackets are entries as well; a plain heading above them is no entry.
    """
    lines = text.split("\n")
    found = blocks(text)
    heads = [place for place, block in enumerate(found) if block.kind == "heading"]
    dated = {place for place in heads if _stamped(found[place]).timestamp}
    starts = [
        place
        for place in heads
        if place in dated
        or (
            found[place].level == _LEVEL
            and not _is_index(found[place].text)
            and dated.isdisjoint(range(place, _end(found, place, len(found))))
        )
    ]
    for head, stop in pairwise([*starts, len(found)]):
        yield _dated_card(lines, found[head : _end(found, head, stop)])


def _end(found: list[Block], head: int, stop: int) -> int:
    """Return the index of the block that ends the entry at ``head``, ``stop`` at the latest."""
    level = found[head].level
    for place in range(head + 1, stop):
        if found[place].kind == "heading" and found[place].level <= level:
            return place
    return stop


def _stamped(head: Block) -> stamps.Stamped:
    return stamps.of_heading(head.text, of_entry=head.level == _LEVEL)


def _dated_card(lines: list[str], run: list[Block]) -> Card:
    head, rest = run[0], run[1:]
    raw, timestamp, anchor = _stamped(head)
    title = title_of(raw.strip("~ ") if raw.strip().startswith("~~") else raw)
    while rest and rest[-1].kind in _SILENT:
        rest.pop()  # it belongs to the file, not to the entry
    body = closed("\n".join(body_lines(lines, rest, head.level)).strip("\n"))
    own = "\n".join(
        text_of(lines, block) for block in rest if block.kind not in ("code", "comment")
    )
    superseded = raw.strip().startswith("~~") or _SUPERSEDED.search(own)
    return Card(
        anchor or slug(title),
        "variant",
        title or "(untitled)",
        head.start,
        last_line(lines, rest[-1] if rest else head),
        body,
        timestamp=timestamp or stamps.of_body(own),
        status="superseded" if superseded else "",
        supersedes="\n".join(match.strip() for match in _SUPERSEDES.findall(own)),
    )


def body_lines(lines: list[str], run: list[Block], level: int) -> Iterator[str]:
    """Yield the lines of an entry without comments, and with headings below its title's level."""
    end = run[0].start if run else 0
    for block in run:
        yield from ("" for _ in lines[end : block.start])
        end = block.end
        if block.kind == "heading":
            depth = min(6, _BODY_LEVEL + max(0, block.level - level - 1))
            yield f"{'#' * depth} {block.text}"
        elif block.kind != "comment":
            yield from (line.rstrip() for line in lines[block.start : block.end])


def _conventions(text: str) -> Iterator[Card]:
    """Yield the list items of one chunk.

    A paragraph right before a list introduces it where it ends in a colon, or where no blank line
    follows it. It stays with each item, since ``Do not:`` reverses their meaning. A heading
    without a list is one entry, examples and tables included; so is a paragraph beside a list.
    """
    lines = text.split("\n")
    for section in by_heading(blocks(text)):
        group = group_of(section)
        if _is_index(group):
            continue
        if not any(block.kind == "list" for block in section):
            run = [block for block in section if block.kind not in ("heading", *_SILENT)]
            if run and (group or any(_is_prose(lines, block) for block in run)):
                yield _prose(lines, run, group)
            continue
        for number, block in enumerate(section):
            if block.kind == "list":
                yield from _items(lines, block, group, introduction(lines, section, number))
            elif _is_prose(lines, block) and not introduces(lines, section, number):
                yield _prose(lines, [block], group)


def _items(lines: list[str], block: Block, group: str, lead: str) -> Iterator[Card]:
    for item in block.items:
        body = dedent(lines[item.start : item.end])
        title = title_of(without_marker(body))
        if title:  # else a bullet without text
            end = item.start + body.count("\n")
            yield Card(slug(title), "soft", title, item.start, end, body, group=group, lead=lead)


def _prose(lines: list[str], run: list[Block], group: str) -> Card:
    texts = [text_of(lines, block).strip("\n") for block in run]
    prose = [text for text, block in zip(texts, run, strict=True) if _is_prose(lines, block)]
    # The heading, if any, is the title where an example or a table comes first.
    named = group and not _is_prose(lines, run[0])
    title = group if named else title_of(prose[0].lstrip("> "))
    body = closed("\n\n".join(texts))
    return Card(slug(title), "soft", title, run[0].start, run[-1].end - 1, body, group=group)


def _is_prose(lines: list[str], block: Block) -> bool:
    """Whether a block is prose, and not an empty quote."""
    text = text_of(lines, block)
    return block.kind in ("paragraph", "quote") and bool(text.replace(">", "").strip())


def _sections(text: str, begins: str = "\n") -> Iterator[Card]:
    """Yield a card for each section with text.

    The text under the document's title is a section, and so is the text under each heading of
    the second level, with its deeper headings but those that begin as ``begins``.
    """
    runs: list[list[Block]] = []
    for block in blocks(text):
        is_head = block.level <= _LEVEL or block.text.startswith(begins)
        if not runs or (block.kind == "heading" and is_head):
            runs.append([])
        runs[-1].append(block)
    lines = text.split("\n")
    document = ""
    for run in runs:
        is_head = run[0].level <= _LEVEL or run[0].text.startswith(begins)
        head = run[0].text if run[0].kind == "heading" and is_head else None
        if head is not None and run[0].level == 1:
            document = document or head
        rest = run if head is None else run[1:]
        shown = [block for block in rest if block.kind not in _SILENT]
        body = closed("\n\n".join(_nested_text(lines, block) for block in shown))
        if not body or (head is not None and _is_index(head)):
            continue
        title = title_of(without_marker(body).lstrip("> ") if head is None else head)
        yield Card(
            slug(title), "variant", title or "(untitled)", run[0].start,
            last_line(lines, shown[-1]), body, group=document if document != title else "",
        )  # fmt: skip


def _nested_text(lines: list[str], block: Block) -> str:
    """Return a block; headings nest below the title that the packet gives to an entry."""
    if block.kind == "heading":
        return f"{'#' * min(6, block.level + 1)} {block.text}"
    return text_of(lines, block).strip("\n").rstrip()


DECISIONS = Parser("decision", _dated, cut_level=_LEVEL)
LEARNINGS = Parser("learning", _dated, cut_level=_LEVEL)
CONVENTIONS = Parser("convention", _conventions, cut_level=6)
SECTIONS = Parser("lore", _sections)  # in one chunk: a section is shown under its document's title
REQUIREMENTS = Parser("lore", partial(_sections, begins="Requirement:"))

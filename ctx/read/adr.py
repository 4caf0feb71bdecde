"""Architecture decision records, a file each: those of Nygard, and MADR with frontmatter."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from ctx.read import frontmatter
from ctx.read.card import Card, Parser, slug, title_of
from ctx.read.entries import body_lines
from ctx.read.markdown.block import Block, last_line, text_of
from ctx.read.markdown.blocks import blocks, closed
from ctx.text import stamps

_GONE = re.compile(  # a status by which a decision does not hold, or not any more
    r"^[^\w\n]*(?:super[sc]eded|deprecated|rejected|withdrawn|obsolete)\b(?! (?:in part|partially))"
    r"|(?<!partially )(?<!partly )\b(?:super[sc]eded|replaced)[ \t]+by\b",
    re.IGNORECASE | re.MULTILINE,
)
_SUPERSEDES = re.compile(
    r"(?:^[ \t>*_+-]{0,12}|[.;,][ \t]+)super[sc]edes[*_:]{0,4}[ \t]+(.{1,300})",
    re.IGNORECASE | re.MULTILINE,
)
_STATUS = re.compile(
    r"^[ \t>*_+-]{0,12}status[*_]{0,2}:[*_]{0,2}[ \t]*(.+)", re.IGNORECASE | re.MULTILINE
)
_DATE = re.compile(r"[ \t*_]{0,6}date[*_]{0,2}:[^\n]*", re.IGNORECASE)
_DATED = re.compile(r"^#+ *date[*_: ]*\n+", re.IGNORECASE | re.MULTILINE)
"""The heading of a section that is a date."""
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\(([^()\s]{1,300})\)")
_EDGES = " \t*_:"
_LEVEL = 2  # of the headings of a record's sections
_USUAL = "accepted"  # the status that needs no words: a decision that holds


def _cards(name: str, text: str) -> Iterator[Card]:
    """Yield the record in the file ``name`` as one card, with labelled parts as in DECISIONS.md."""
    front, text, _ = frontmatter.split(text)
    lines = text.split("\n")
    every = blocks(text)
    found = [block for block in every if block.kind != "comment"]
    if not found:
        return
    titled = found[0].level == 1
    rest = found[1:] if titled else found
    stated, shown = _status(lines, rest)
    own = "\n".join(text_of(lines, block) for block in rest if block.kind != "code")
    status = f"{front.status}\n{stated}".strip() or "".join(_STATUS.findall(own)[:1])
    successor = front.extra.get("superseded-by") or front.extra.get("superseded_by")
    dated = _DATED.sub("date: ", own)
    plain = name.replace("-", " ") or text_of(lines, found[0])
    title = title_of(found[0].text) if titled else ""
    title = title or title_of(str(front.extra.get("title") or plain))
    body = closed("\n\n".join((*_parts(lines, shown), *_definitions(lines, every))))
    for words in (stated, front.status):
        if words.strip(_EDGES).casefold() not in ("", _USUAL):
            body = f"**Status**: {words}\n\n{body}"
            break
    claims = [*_SUPERSEDES.findall(own), *frontmatter.strings(front.extra.get("supersedes"))]
    yield Card(
        slug(name or title),
        "variant",
        title,
        found[0].start,
        last_line(lines, found[-1]),
        body.strip(),
        timestamp=stamps.of_body(f"date: {front.extra.get('date')}\n{dated}\ndate: {name}"),
        status="superseded" if successor or _GONE.search(status) else "",
        supersedes="\n".join(name for claim in claims for name in _named(claim)),
    )


def _status(lines: Sequence[str], rest: Sequence[Block]) -> tuple[str, list[Block]]:
    """Return the text of the section ``Status``, and the blocks without that section."""
    stated, shown, inside = "", [], False
    for block in rest:
        if block.kind == "heading":
            name, _, words = block.text.partition(":")
            inside = name.strip(_EDGES).casefold() == "status"
            stated += f"{words.strip(_EDGES)}\n" if inside else ""
        elif inside:
            stated += f"{text_of(lines, block).strip()}\n"
        if not inside and not _DATE.fullmatch(text_of(lines, block).strip()):
            shown.append(block)
    return stated.strip(), shown


def _parts(lines: list[str], run: Sequence[Block]) -> Iterator[str]:
    """Yield the text in pieces; a heading of the second level is the label of what follows."""
    label = ""
    for block in run:
        if block.kind == "heading" and block.level <= _LEVEL:
            label = f"**{block.text.strip(_EDGES)}**:"
            continue
        text = "\n".join(body_lines(lines, [block], _LEVEL)).strip("\n")
        if label:
            yield f"{label} {text}" if block.kind == "paragraph" else label
        if not label or block.kind != "paragraph":
            yield text
        label = ""


def _definitions(lines: Sequence[str], found: Sequence[Block]) -> Iterator[str]:
    """Yield the lines that no block holds: definitions of links."""
    held = {number for block in found for number in range(block.start, block.end)}
    text = "\n".join(line for n, line in enumerate(lines) if n not in held and line.strip())
    yield from filter(None, (text,))


def _named(claim: str) -> Iterator[str]:
    """Yield the records that a claim names: by their files where it links them."""
    linked = _LINK.findall(claim)
    for text, target in linked:
        path = target.partition("#")[0]
        yield slug(path.rpartition("/")[2][:-3]) if path.endswith(".md") else text
    if not linked and claim.strip():
        yield claim.strip()


RECORD = Parser("decision", partial(_cards, ""), reads_front=True, named=_cards)

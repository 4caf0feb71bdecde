"""Files of other tools that are one entry each: changes of a specification, and skills."""

from collections.abc import Iterator
from functools import partial

from ctx.read import frontmatter
from ctx.read.card import Card, Parser, slug, title_of
from ctx.read.entries import body_lines
from ctx.read.markdown.block import last_line
from ctx.read.markdown.blocks import blocks, closed
from ctx.text import stamps
from ctx.text.outline import extent


def _change(name: str, text: str) -> Iterator[Card]:
    """Yield a proposal or a design as one card, by its heading or else the name of its change."""
    lines = text.split("\n")
    found = [block for block in blocks(text) if block.kind != "comment"]
    titled = found[:1] and found[0].kind == "heading" and found[0].level == 1
    rest = found[1:] if titled else found
    body = closed("\n".join(body_lines(lines, rest, 1)).strip("\n"))
    day, _, words = name[:10], name[10:11], name[11:]
    date = stamps.of_heading(f"[{day}] x").timestamp
    plain = (words if date else name).replace("-", " ")
    title = (title_of(found[0].text) if titled else "") or plain[:1].upper() + plain[1:]
    if body:
        end = last_line(lines, rest[-1])
        yield Card(slug(name), "variant", title, found[0].start, end, body, timestamp=date)


def _skill(name: str, text: str) -> Iterator[Card]:
    """Yield the name and the description of a skill, and nothing of its body."""
    extra = frontmatter.split(text).front.extra
    about = " ".join(str(extra.get("description") or "").split())
    end = extent(text.split("\n"))
    if end:
        yield Card(
            slug(name), "variant", title_of(str(extra.get("name") or name)), 0, end - 1, about
        )


CHANGE = Parser("decision", partial(_change, ""), named=_change)
PROPOSAL = Parser("lore", partial(_change, ""), named=_change)
SKILL = Parser("lore", partial(_skill, ""), reads_front=True, named=_skill)

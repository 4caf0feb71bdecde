"""What in an entry could pass for the packet's own: headings of its levels, and its notices.

The patterns only tell where to look: whether a line is a heading, a parser says. Each runs in
linear time, since what they read is written by anyone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN_LEVELS = 3
"""Headings of these levels are the packet's own; those of entries are deeper."""

_MARKS = r"[ \t>*+\-_\d.)]*+"
"""What may stand before a block on its line: indentation, marks of quotes, items and emphasis."""
_LEAD = r"(?:[ \t>*+\-_\d.)\#]|\[[ xX~/>-]?\]|<[^<>\n]*+>)*+"
"""What may stand before the words of a line: these, marks of headings, check boxes and tags."""
NOTICE = re.compile(
    rf"""^{_LEAD}(?=
      (?:degraded|overshoot)[*_]*+[ \t]?: | budget:[ \t]\d++[ \t]tokens
    | quoted[ ]as[ ]data | quoted:[ ]what[ ]the[ ]user
    | only[ ]what[ ]is[ ]new[ ]or[ ]changed | not[ ]so[ ]any[ ]more
    | keep[ ]every[ ]rule[ ]above | before[ ]you[ ]change[ ]what[ ]an[ ]entry
    | …[ ]and[ ][\d,]++[ ]more[ ]in[ ]
    )""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""The beginning of a line in which a packet speaks of itself, up to the first word of it."""
HTML_HEADING = re.compile(rf"(</?h)([1-{OWN_LEVELS}])(?=[\s/>]|$)", re.IGNORECASE | re.MULTILINE)
"""A tag of a heading, or its first line."""
_HEADING = rf"^{_MARKS}\#{{1,{OWN_LEVELS}}}(?:[ \t]|$)"
_UNDERLINE = r"\S[ \t]*+\n[ \t>]*+(?:=++|-++)[ \t]*+$"
FORGED = re.compile(
    f"{_HEADING}|{_UNDERLINE}|{HTML_HEADING.pattern}|{NOTICE.pattern}",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
OPENING = re.compile(rf"^{_MARKS}(?:```|~~~|<[!?/A-Za-z])", re.MULTILINE)
"""What may begin a block that goes on until it is closed."""
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


def stands_alone(text: str) -> bool:
    """Whether lines taken out of an entry forge nothing and leave nothing open; if unsure, not."""
    if not (OPENING.search(text) or FORGED.search(text)):
        return True
    outside: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if not fence and mark:
            fence = mark[1]
        elif not fence:
            outside.append(line)
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip(" \t"):
            fence = ""
    rest = "\n".join(outside)
    return not (fence or OPENING.search(rest) or FORGED.search(rest))


def as_heading(text: str) -> str:
    """Return a title or a group so that behind a heading's mark it is no other, and no notice."""
    text = deeper(text)
    return f"\\{text}" if NOTICE.match(text) else text


def as_item(text: str) -> str:
    """Return a title so that behind a bullet it is no heading, and no notice."""
    text = deeper(text, raw="<" in text and bool(OPENING.match(text)))
    return f"\\{text}" if _FORGED_TITLE.match(text) else text


_FORGED_TITLE = re.compile(
    f"{_HEADING}|{NOTICE.pattern}", re.IGNORECASE | re.VERBOSE | re.MULTILINE
)


def as_paragraph(text: str) -> str:
    """Return names on one line so that they are the text of a paragraph, and no notice."""
    text = deeper(text, raw=True)
    return text if _WORD.match(text) and not _FORGED_TITLE.match(text) else f"\\{text}"


_WORD = re.compile(r"(?!\d{1,9}[.)][ \t])[\w.]")


def deeper(text: str, *, raw: bool = False) -> str:
    """Return the text of one block with its headings in HTML made an entry's own.

    Code spans and escapes stay, save in ``raw`` HTML, which has none, and behind what leaves open
    where code begins: a mark of code within a link or a tag is no mark of code.
    """
    if "<" not in text or not HTML_HEADING.search(text):
        return text
    made, at = "", 0
    for start, end in [*(() if raw else _kept(text)), (len(text), len(text))]:
        made += HTML_HEADING.sub(lambda tag: f"{tag[1]}{int(tag[2]) + OWN_LEVELS}", text[at:start])
        made += text[start:end]
        at = end
    return made


def _kept(text: str) -> Iterator[tuple[int, int]]:
    """Yield where escapes and code spans stand, up to where there is no telling."""
    runs: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text):
        runs.setdefault(len(run[0]), []).append(run.start())
    at = 0
    while (found := _INLINE.search(text, at)) and not found["doubt"]:
        start, at = found.span()
        size = len(found["ticks"] or "")
        same = runs.get(size, [])
        place = bisect_left(same, at)
        at = same[place] + size if place < len(same) else at
        if size or found["escape"]:
            yield start, at


_TICKS = re.compile("`++")
_INLINE = re.compile(
    r"""(?P<escape>\\.) | (?P<ticks>`++)
    | <[/a-z](?:[^]`<>"'] | "[^]`<>"]*+" | '[^]`<>']*+')*+>   # hides no mark of code, tag or not
    | \]\([^][\s`()<>"'\\]*+\) | \]\[[^][`<\\]*+(?=\])        # nor do these, link or not
    | (?P<doubt><[!?/a-z] | \][(\[])
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""What tells code in a line from text."""

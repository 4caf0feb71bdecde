"""What in an entry could pass for the packet's own: headings of its levels, and its notices.

The patterns only tell where to look: whether a line is a heading, a parser says. Each runs in
linear time, since what they read is written by anyone.
"""

from __future__ import annotations

import re

OWN_LEVELS = 3
"""Headings of these levels are the packet's own; those of entries are deeper."""

_MARKS = r"[ \t>*+\-_\d.)]*+"
"""What may stand before a block on its line: indentation, marks of quotes, items and emphasis."""
NOTICE = re.compile(
    rf"""^{_MARKS}(?=
      (?:degraded|overshoot)[*_]*+[ \t]?: | budget:[ \t]\d++[ \t]tokens
    | quoted[ ]as[ ]data | quoted:[ ]what[ ]the[ ]user
    | only[ ]what[ ]is[ ]new[ ]or[ ]changed | not[ ]so[ ]any[ ]more
    | keep[ ]every[ ]rule[ ]above | before[ ]you[ ]change[ ]what[ ]an[ ]entry
    | …[ ]and[ ][\d,]++[ ]more[ ]in[ ]
    )""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""The beginning of a line in which a packet speaks of itself, up to the first word of it."""
HTML_HEADING = re.compile(rf"(</?h)([1-{OWN_LEVELS}])(?=[\s/>])", re.IGNORECASE)
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


def as_item(text: str) -> str:
    """Return a title so that behind a bullet it is no heading, and no notice."""
    return f"\\{text}" if _FORGED_TITLE.match(text) else text


_FORGED_TITLE = re.compile(
    f"{_HEADING}|{NOTICE.pattern}", re.IGNORECASE | re.VERBOSE | re.MULTILINE
)


def as_paragraph(text: str) -> str:
    """Return names on one line so that they are the text of a paragraph, and no notice."""
    return text if _WORD.match(text) and not _FORGED_TITLE.match(text) else f"\\{text}"


_WORD = re.compile(r"(?!\d{1,9}[.)][ \t])[\w.]")

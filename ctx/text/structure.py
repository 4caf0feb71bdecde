"""Text of an entry that could be taken for the packet's own headings and notices."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ctx.text.checkbox import BOX
from ctx.text.regex import regex

OWN_LEVELS = 3  # headings of these levels are the packet's own; those of entries are deeper

_MARKS = r"[ \t>*+\-_\d.)]*+"  # before a block on its line: indents, quotes, items, emphasis
_LEAD = rf"(?>(?:[ \t>*+\-_\d.)\#]|{BOX}|<[^<>\n]*+>)*)"
"""What may precede the words of a line: these, marks of headings, check boxes and tags."""
NOTICE = regex(  # the beginning of a notice of a packet about itself, up to its first word
    rf"""(?imx)^{_LEAD}(?=
      (?:degraded|overshoot)[*_]*+[ \t]?: | day[ ][-\d]++,[ ]budget
    | quoted[ ]as[ ]data | quoted:[ ]what[ ]the[ ]user
    | only[ ]what[ ]is[ ]new[ ]or[ ]changed | not[ ]so[ ]any[ ]more
    | keep[ ]every[ ]rule | rules[ ]received[ ]before | before[ ]you[ ]change[ ]what[ ]an[ ]entry
    | more[ ]with[ ]`ctx | the[ ]rules[ ](?:cost|had)[ ]
    )"""
)
HTML_HEADING = regex(rf"(?im)(</?h)([1-{OWN_LEVELS}])(?=[\s/>]|$)")
"""A tag of a heading, or the first line of one."""
_RULE = r"[ \t>]*+(?:=++|-++)[ \t]*+$"
_RULED = regex(rf"(?m)\n(?<=[^\n]\n){_RULE}")  # nearly no text, and found ten times as fast
_UNDERLINE = regex(rf"(?m)\S[ \t]*+\n{_RULE}")
OPENING = regex(rf"(?m)^{_MARKS}(?:```|~~~|<[!?/A-Za-z])")  # what must be closed
_FENCE = regex(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_TITLE = regex(rf"(?m)^{_MARKS}\#{{1,{OWN_LEVELS}}}(?:[ \t]|$)")
_TICKS = regex("`++")
_INLINE = regex(  # the tokens of a line by which code is told from text
    r"""(?isx)(?P<escape>\\.) | (?P<ticks>`++)
    | <[/a-z](?>(?:[^]`<>"'] | "[^]`<>"]*+" | '[^]`<>']*+')*)> # hides no mark of code, tag or not
    | \]\([^][\s`()<>"'\\]*+\) | \]\[[^][`<\\]*+(?=\])        # nor do these, link or not
    | (?P<doubt><[!?/a-z] | \][(\[])
    """
)


def forges(text: str) -> bool:
    """Whether ``text`` may hold a heading of the packet's levels, or a notice."""
    return bool(
        _TITLE.search(text)
        or ("<" in text and HTML_HEADING.search(text))
        or (_RULED.search(text) and _UNDERLINE.search(text))
        or NOTICE.search(text)
    )


def is_plain(text: str) -> bool:
    """Whether ``text`` forges nothing and opens no block."""
    return not (OPENING.search(text) or forges(text))


def stands_alone(text: str) -> bool:
    """Whether lines of an entry forge no heading and leave no block open; if unsure, False."""
    if is_plain(text):
        return True
    lines = text.split("\n")
    inside = fenced(lines)
    return is_plain("\n".join(line for number, line in enumerate(lines) if number not in inside))


def fenced(lines: Sequence[str]) -> set[int]:
    """Return which ``lines``, from 0, are code fences that end, and what is in them."""
    found: set[int] = set()
    fence, first = "", 0
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence, first = mark[1], number
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip(" \t"):
            found.update(range(first, number + 1))
            fence = ""
    return found


def as_heading(text: str) -> str:
    """Return a title or a group so that after a heading's mark it is no other, and no notice."""
    text = deeper(text)
    return f"\\{text}" if NOTICE.match(text) else text


def as_item(text: str) -> str:
    """Return a title so that after a bullet it is no heading, and no notice."""
    text = deeper(text, raw="<" in text and bool(OPENING.match(text)))
    return f"\\{text}" if _TITLE.match(text) or NOTICE.match(text) else text


def deeper(text: str, *, raw: bool = False) -> str:
    """Return a block with its headings in HTML moved to an entry's levels, outside of code."""
    if "<" not in text or not HTML_HEADING.search(text):
        return text
    result, done = "", 0
    for start, end in [*(() if raw else _literals(text)), (len(text), len(text))]:
        part = text[done:start]
        result += HTML_HEADING.sub(lambda tag: f"{tag[1]}{int(tag[2]) + OWN_LEVELS}", part)
        result += text[start:end]
        done = end
    return result


def _literals(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of escapes and code spans, up to where they are unclear."""
    runs: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text):
        runs.setdefault(len(run[0]), []).append(run.start())
    at = 0
    while (found := _INLINE.search(text, at)) and not found["doubt"]:
        start, at = found.span()
        size = len(found["ticks"] or "")
        same = runs.get(size, [])
        index = bisect_left(same, at)
        at = same[index] + size if index < len(same) else at
        if size or found["escape"]:
            yield start, at

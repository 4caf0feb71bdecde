"""Text of people, made prose: no part of it begins a block, and no word of it is lost."""

import re

from ctx.text import encodable
from ctx.text.checkbox import BOX

LONGEST = 4_000  # characters of a line, then a next one begins; ctx reads none over 64 KiB

_BREAKS = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_ORDERS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\ufeff]")
_SPACE = re.compile(r"\s+")
_SPAN = re.compile(rf"`(?!``)|\*\*(?=[^\s*])|__(?=[^\s_])|(?!{BOX}(?:\s|$))\[")
"""What begins a span of a line: code, strong text, a link. A check box is no link."""
_RULE = re.compile(r"[-=*_|: +]+$")
_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_STARTS = ("#", ">", "`", "~", "<", "[", "|", "**", "__", "\\")
_ITEMS = re.compile(r"[-*+](?=\s|$)")
_CLOSING = re.compile(r"(?<!#)#+$")
_CLAIM = re.compile(r"\b(supersedes[*_:]{0,7})[ \t]", re.IGNORECASE)
_STATUS = re.compile(r"(status[ \t]*):", re.IGNORECASE)
_GONE = re.compile(r"-[ >-]*(?:~~|[*_]{0,3}status\b)", re.IGNORECASE)  # marks a superseded entry
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)<(?=!--)")  # no odd number of backslashes before


def line(text: str) -> str:
    """Return ``text`` on one line, fit for a heading or behind a label."""
    text = _one_line(text)
    if text.startswith("~~"):
        text = f"\\{text}"  # struck out it would be superseded
    text = _without_comments(text)
    if re.search(r" #+$", text):
        text = _CLOSING.sub(lambda marks: f"\\{marks[0]}", text)
    return text


def paragraphs(text: str) -> str:
    """Return ``text`` with what would begin a block escaped; no indentation, single blank lines."""
    lines = [_SPACE.sub(" ", part).strip() for part in _BREAKS.split(_without_orders(text))]
    result: list[str] = []
    for piece in (piece for long in lines for piece in _wrapped(long)):
        if piece:
            result.append(escaped(piece) if result else _inline(piece))
        elif result and result[-1]:
            result.append("")
    return "\n".join(result).strip("\n")


def item(text: str) -> str:
    """Return ``text`` on one line, fit for an item of a list: it begins no block in it."""
    text = _one_line(text)
    return _inline(text) if _SPAN.match(text) else escaped(text)


def escaped(text: str) -> str:
    """Return a line that begins no block, and does not make its entry superseded."""
    if text.startswith(_STARTS) or _ITEMS.match(text) or _RULE.match(text) or _GONE.match(text):
        return _inline(f"\\{text}")
    text = _NUMBER.sub(r"\1\\\2", text, count=1) if _NUMBER.match(text) else text
    return _inline(_STATUS.sub(r"\1\\:", text, count=1) if _STATUS.match(text) else text)


def _one_line(text: str) -> str:
    text = _SPACE.sub(" ", _BREAKS.sub(" ", _without_orders(text))).strip()
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + " …"


def _inline(text: str) -> str:
    """Return text that opens no comment and claims to supersede nothing."""
    return _CLAIM.sub("\\1\N{NO-BREAK SPACE}", _without_comments(text))


def _without_comments(text: str) -> str:
    return _COMMENT.sub(r"\1\\<", text)


def _wrapped(text: str) -> list[str]:
    pieces = []
    while len(text) > LONGEST:
        cut = text.rfind(" ", LONGEST // 2, LONGEST)
        cut = LONGEST if cut < 0 else cut
        pieces.append(text[:cut].strip())
        text = text[cut:].strip()
    return [*pieces, text]


def _without_orders(text: str) -> str:
    return _ORDERS.sub("\N{REPLACEMENT CHARACTER}", encodable(text))

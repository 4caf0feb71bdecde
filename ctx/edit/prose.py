"""Text of people, made prose: nothing in it begins a block, and no word of it is lost."""

from __future__ import annotations

import re

LONGEST = 4_000
"""Characters of a line; a longer one goes on in the next. ctx reads none over 64 KiB."""

_BREAKS = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_ORDERS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\ufeff]")
_SPACE = re.compile(r"\s+")
_SPAN = re.compile(r"`(?!``)|\*\*(?=[^\s*])|__(?=[^\s_])|\[(?![ xX~/>-]?\](?:\s|$))")
"""What begins a span of a line: code, strong text, a link. No box to tick is a link."""
_RULE = re.compile(r"[-=*_|: +]+$")
_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_STARTS = ("#", ">", "`", "~", "<", "[", "|", "**", "__", "\\")
_ITEMS = re.compile(r"[-*+](?=\s|$)")
_CLOSING = re.compile(r"(?<!#)#+$")
_CLAIM = re.compile(r"\b(supersedes[*_:]{0,7})[ \t]", re.IGNORECASE)
_STATUS = re.compile(r"(status[ \t]*):", re.IGNORECASE)
_GONE = re.compile(r"-[ >-]*(?:~~|[*_]{0,3}status\b)", re.IGNORECASE)
"""What ctx reads as a mark that an entry is superseded, whatever stands before it."""
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)<(?=!--)")
"""What opens a comment: behind an odd number of backslashes it does not."""


def line(text: str) -> str:
    """Return ``text`` on one line, fit for a heading or behind a label."""
    one = _one(text)
    if one.startswith("~~"):
        one = f"\\{one}"  # struck out it would be superseded
    one = _without_comments(one)
    return _CLOSING.sub(lambda marks: f"\\{marks[0]}", one) if re.search(r" #+$", one) else one


def paragraphs(text: str) -> str:
    r"""Return ``text`` with what would begin a block escaped; lines end in ``\n``.

    Headings, fences, comments, tables, underlines of headings, items, quotations, labels and
    definitions of links become plain text. Indentation goes; so do blank lines beyond one.
    """
    lines = [_SPACE.sub(" ", one).strip() for one in _BREAKS.split(_without_orders(text))]
    told: list[str] = []
    for one in (part for long in lines for part in _wrapped(long)):
        if one:
            told.append(escaped(one) if told else _inline(one))
        elif told and told[-1]:
            told.append("")
    return "\n".join(told).strip("\n")


def item(text: str) -> str:
    """Return ``text`` on one line, fit for an item of a list: it begins no block within that."""
    one = _one(text)
    return _inline(one) if _SPAN.match(one) else escaped(one)


def escaped(one: str) -> str:
    """Return a line that begins no block, and puts the entry that it stands in out of no date."""
    if one.startswith(_STARTS) or _ITEMS.match(one) or _RULE.match(one) or _GONE.match(one):
        return _inline(f"\\{one}")
    one = _NUMBER.sub(r"\1\\\2", one, count=1) if _NUMBER.match(one) else one
    return _inline(_STATUS.sub(r"\1\\:", one, count=1) if _STATUS.match(one) else one)


def _one(text: str) -> str:
    """Return ``text`` on one line, cut where it is long."""
    one = _SPACE.sub(" ", _printable(text)).strip()
    return one if len(one) <= LONGEST else one[:LONGEST].rstrip() + " …"


def _inline(one: str) -> str:
    """Return text that opens no comment and claims to supersede nothing.

    A claim is the word, a space and a name: one that does not break is another space.
    """
    return _CLAIM.sub("\\1\N{NO-BREAK SPACE}", _without_comments(one))


def _without_comments(one: str) -> str:
    return _COMMENT.sub(r"\1\\<", one)


def _wrapped(one: str) -> list[str]:
    """Return a line in pieces of at most ``LONGEST`` characters, cut between words if it can be."""
    pieces = []
    while len(one) > LONGEST:
        cut = one.rfind(" ", LONGEST // 2, LONGEST)
        cut = LONGEST if cut < 0 else cut
        pieces.append(one[:cut].strip())
        one = one[cut:].strip()
    return [*pieces, one]


def _printable(text: str) -> str:
    return _BREAKS.sub(" ", _without_orders(text))


def _without_orders(text: str) -> str:
    """Return ``text`` without what a terminal obeys, and without halves of characters."""
    return _ORDERS.sub("\N{REPLACEMENT CHARACTER}", text.encode("utf-8", "replace").decode())

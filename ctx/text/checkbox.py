"""The grammar of list markers, check boxes and labels of tasks: a new mark is a line here."""

from __future__ import annotations

import re

from ctx.text.regex import regex

STATUS = {" ": "", "~": "", "/": "", ">": "", "x": "done", "-": "skipped"}  # of a task by its mark
LABELS = ("in-progress", "blocked")  # a task's status where its box leaves it open: ``#blocked``
CLOSED = frozenset({"done", "skipped"})

MARKS = re.escape("".join(STATUS) + "".join(filter(str.isalpha, STATUS)).upper())
"""All marks, as a class of characters in a pattern."""
BOX = rf"\[[{MARKS}]?\]"  # the pattern of a check box, whatever follows it
ITEM = r"(?:[-*+]|\d{1,9}[.)])"  # the pattern of a bullet or a number
_MARKER = regex(rf"{ITEM}(?:[ \t]+|(?=\n|$))")
_BOX = regex(rf"\[(?P<mark>[{MARKS}]?)\](?=\s|$)[ \t]*")
_BARE = regex(rf"\s*{BOX}(?:[ \t]|$)")


def without_marker(item: str) -> str:
    """Return an item's text without its bullet or number and its check box."""
    marker = _MARKER.match(item)
    rest = item[marker.end() :] if marker else item
    box = _BOX.match(rest)
    return rest[box.end() :] if box else rest


def check_mark(item: str) -> str | None:
    """Return the mark in the check box of ``item``, in lower case, a space if it has none."""
    marker = _MARKER.match(item)
    box = _BOX.match(item, marker.end() if marker else 0)
    return (box["mark"] or " ").lower() if box else None


def is_bare_box(line: str) -> bool:
    """Return whether a line begins with a check box that has no bullet."""
    return _BARE.match(line) is not None

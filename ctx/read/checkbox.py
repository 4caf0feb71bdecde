"""The grammar of list markers and check boxes: every mark that ctx reads is listed here."""

from __future__ import annotations

import re

CLOSED = {"x": "done", "-": "skipped"}
"""The states of closed tasks, by the mark in their check boxes."""
_MARKS = " ~/>xX-"
"""Tasks with any other of these marks, or with none, are open."""
BOX = re.compile(rf"\[(?P<mark>[{_MARKS}]?)\]")
"""A check box, whatever follows it."""
_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|(?=\n|$))")
_MARKED = re.compile(rf"{BOX.pattern}(?=\s|$)[ \t]*")
_BARE = re.compile(rf"\s*{BOX.pattern}(?:[ \t]|$)")


def without_marker(item: str) -> str:
    """Return an item's text without its bullet or number and its check box."""
    marker = _MARKER.match(item)
    rest = item[marker.end() :] if marker else item
    box = _MARKED.match(rest)
    return rest[box.end() :] if box else rest


def check_mark(item: str) -> str | None:
    """Return the mark in the check box of ``item``, in lower case; None without a box."""
    marker = _MARKER.match(item)
    box = _MARKED.match(item, marker.end() if marker else 0)
    return box["mark"].strip().lower() if box else None


def is_bare_box(line: str) -> bool:
    """Return whether a line begins with a check box that has no bullet."""
    return _BARE.match(line) is not None

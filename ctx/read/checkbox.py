"""List markers and check boxes."""

from __future__ import annotations

import re

_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|(?=\n|$))")
_BOX = re.compile(r"\[(?P<mark>[ xX~/>-]?)\](?=\s|$)[ \t]*")


def without_marker(item: str) -> str:
    """Return an item's text without its bullet or number and its check box."""
    marker = _MARKER.match(item)
    rest = item[marker.end() :] if marker else item
    box = _BOX.match(rest)
    return rest[box.end() :] if box else rest


def check_mark(item: str) -> str | None:
    """Return what stands in an item's check box, ``""`` in an empty one, None without one."""
    marker = _MARKER.match(item)
    box = _BOX.match(item, marker.end() if marker else 0)
    return box["mark"].strip().lower() if box else None

"""Which lines of a ``.gitignore`` are matched: a repository from elsewhere chooses them."""

from __future__ import annotations

import re

MOST_PATTERNS = 2_000
"""Of such a file; each is tried on each path."""
_SLOW = re.compile(r"\*[^/*]*\*[^/*]*\*[^/*]*\*|(?:\*\*.*){4}")


def is_slow(line: str) -> bool:
    """Whether the work of a pattern grows with the fourth power of a path's length, or faster."""
    return _SLOW.search(line) is not None

"""Limits of the patterns of a ``.gitignore``, which may come with a repository from elsewhere."""

from __future__ import annotations

import re

MOST_PATTERNS = 2_000
"""Patterns of such a file that are used; each is tried on each path."""
_SLOW = re.compile(r"\*[^/*]*\*[^/*]*\*[^/*]*\*|(?:\*\*.*){4}")


def is_slow(line: str) -> bool:
    """Whether the time of a pattern grows with the fourth power of a path's length, or faster."""
    return _SLOW.search(line) is not None

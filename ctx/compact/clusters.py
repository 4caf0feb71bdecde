"""Which turns become one summary: neighbours, in buckets of nearly the same size.

Source: ``retrieval-math``, section 5; the symbols are its own.
"""

from __future__ import annotations

SIZE = 20
"""k: turns of a cluster, where nothing else is asked for."""


def normalised(size: int) -> int:
    """Return the target size k, at least 1: a ``size`` that is not positive is 20 (section 5)."""
    return size if size > 0 else SIZE


def count(n: int, size: int = SIZE) -> int:
    """Return c = ⌈max(n, 1) / k⌉, how many clusters n turns become (section 5); at least 1."""
    return -(-max(n, 1) // normalised(size))


def index(i: int, n: int, c: int) -> int:
    """Return ⌊i·c / max(n, 1)⌋, the cluster of turn i of n, both counted from 0 (section 5).

    In whole numbers, so that no session is too long for it.
    """
    return i * c // max(n, 1)

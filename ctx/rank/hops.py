"""One hop: what an entry that matters points to matters a little, too.

Source: ``retrieval-math``, section 7.7; the symbols are its own. The depth is one, so a cycle
is only an edge back (section 7.10, number 8).
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ctx.rank.hybrid_score import unit

ETA_HOP = 0.5
"""η_hop: the share of its best parent's score that an entry inherits."""
THETA_HOP = 0.15
"""θ_hop: the least inherited score that is kept."""

Graph = Mapping[str, Iterable[str]] | Callable[[str], Iterable[str]]
"""H(d): the keys that an entry points to. What a mapping does not hold points to nothing."""


class Found(NamedTuple):
    """One entry of a projection."""

    key: str
    score: float
    """In [0, 1]: S_final, or S_hop where there is a ``parent``."""
    parent: str = ""
    """The entry that it was reached from; empty where it was found by itself."""


def hop(
    scores: Mapping[str, float],
    graph: Graph,
    *,
    eta: float = ETA_HOP,
    theta: float = THETA_HOP,
    outside: bool = True,
) -> list[Found]:
    """Return C*_hop(q): what is one edge away, by S_hop = η·max S_final, in [0, 1) (section 7.7).

    ``scores`` are the S_final of C₂(q), clamped to [0, 1]. Best first, ties by key; of two equal
    parents the one whose key comes first. With ``outside``, as in the source, entries of C₂
    are left out; without, they are reached as well, for ``merge`` to keep the better score.
    An edge from an entry to itself leads nowhere.

    Raises ValueError unless ``eta`` is in (0, 1) and ``theta`` in [0, 1].
    """
    if not 0 < eta < 1:
        raise ValueError(f"η_hop is between 0 and 1, not {eta}")
    if not 0 <= theta <= 1:
        raise ValueError(f"θ_hop is in [0, 1], not {theta}")
    reached: dict[str, Found] = {}
    for parent, score in sorted(scores.items(), key=lambda one: (-unit(one[1]), one[0])):
        inherited = eta * unit(score)
        if inherited < theta:
            break  # the others inherit still less
        for key in _neighbours(graph, parent):
            if key != parent and not (outside and key in scores):
                reached.setdefault(key, Found(key, inherited, parent))
    return _in_order(reached.values())


def merge(scores: Mapping[str, float], hopped: Iterable[Found]) -> list[Found]:
    """Return C₂ ∪ C*_hop by σ(d), best first, ties by key (section 7.8).

    What was found both ways keeps the better of its two scores, and its own where they are
    equal. ``scores`` are clamped to [0, 1].
    """
    merged = {key: Found(key, unit(score)) for key, score in scores.items()}
    for one in hopped:
        known = merged.get(one.key)
        if known is None or _rank(one) < _rank(known):
            merged[one.key] = one
    return _in_order(merged.values())


def _neighbours(graph: Graph, key: str) -> Iterable[str]:
    return graph(key) if callable(graph) else graph.get(key, ())


def _rank(one: Found) -> tuple[float, str]:
    """Of one key: the better score first, then found by itself, then the first parent."""
    return -one.score, one.parent


def _in_order(found: Iterable[Found]) -> list[Found]:
    return sorted(found, key=lambda one: (-one.score, one.key))

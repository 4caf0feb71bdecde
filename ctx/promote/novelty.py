"""H, F, S and R: what is new, what recurs, and what memory already holds; each in [0, 1]."""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from typing import NamedTuple

from ctx.promote.prose import unit
from ctx.repeats import MEANT

NEAREST = 3
"""Durable entries whose similarity is averaged in H. The source says "the nearest" and no more:
few, since an entry says again what a turn says, however many others are about something else."""
RECURS, RECURS_AMONG, RECURS_WHOLE = 0.80, 10, 5
"""F: similarity of a hit, nearest turns of the session that are looked at, hits that make 1."""
HELD, HITS_AMONG, HELD_WHOLE = MEANT, 5, 3
"""S: likewise for durable entries."""

UNLIKE = 0.30
"""Most that an entry counts as similar which differs in what it denies, counts or names: an entry
that says the contrary in the same words is no reason to hold a turn for known."""


class Novelty(NamedTuple):
    """How new a turn is, and how much it recurs."""

    h: float
    """Novelty H."""
    f: float
    """Frequency F in its session."""
    s: float
    """Saturation S of the durable entries."""
    r: float
    """R = F·(1 − S)."""


def novelty(to_durable: Iterable[float]) -> float:
    """Return H = 1 − mean of the clamped similarities to the ``NEAREST`` durable entries.

    1 on an empty memory (``compaction.md``, Promotion). Of fewer entries the mean is over those.
    """
    near = nlargest(NEAREST, map(unit, to_durable))
    return unit(1 - sum(near) / len(near)) if near else 1.0


def told_apart(to_durable: Sequence[float], differs: Callable[[int], bool]) -> list[float]:
    """Return the greatest similarities, at most ``UNLIKE`` where the entry at a place differs.

    As many as tell all of ``Novelty``; which differ is asked of no more than that takes.
    """
    like: list[float] = []
    unlike: list[float] = []
    for at in sorted(range(len(to_durable)), key=lambda at: -to_durable[at]):
        if len(like) >= HITS_AMONG:
            break
        near = to_durable[at]
        if near > UNLIKE and differs(at):
            unlike.append(UNLIKE)
        else:
            like.append(near)
    return like + unlike


def recurrence(to_session: Iterable[float]) -> float:
    """Return F: hits over .80 among the 10 nearest turns of its session, over 5; at most 1."""
    return _hits(to_session, RECURS, RECURS_AMONG, RECURS_WHOLE)


def saturation(to_durable: Iterable[float]) -> float:
    """Return S: hits over .85 among the 5 nearest durable entries, over 3; at most 1."""
    return _hits(to_durable, HELD, HITS_AMONG, HELD_WHOLE)


def _hits(cosines: Iterable[float], over: float, among: int, whole: int) -> float:
    near = nlargest(among, map(unit, cosines))
    return unit(sum(one > over for one in near) / whole)


def of_cosines(to_durable: Iterable[float], to_session: Iterable[float]) -> Novelty:
    """Return all four of a turn; R = F·(1 − S), so that saturation vetoes."""
    held = list(to_durable)
    f, s = recurrence(to_session), saturation(held)
    return Novelty(novelty(held), f, s, unit(f * (1 - s)))

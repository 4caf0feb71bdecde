"""Which of two fragments is chosen first: by benefit and cost, then by six rules in order.

Source: ``acs-planner``, sections Benefit/Cost Model and Tie-Breaking Rules, and ``planner.md``.
All rules are one key, so that the order is total: comparing scores by their difference, as the
source does, would let three fragments beat each other in a circle.
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from ctx.model import Fragment, Level, LodMix

DEAR = 1000
"""Tokens that halve what a fragment is worth."""
GRAIN = 0.001
"""Scores nearer to each other than this are equal."""
COVERAGE = 0.05
"""Lead in score over which a fragment that covers nothing new still comes first."""
RECENT = 3
"""Picks whose sources another one should not share."""
LATE = 0.2
"""Share of the budget; when less is left, the smaller of two equals comes first."""

_ORDER: Mapping[Level, int] = {"full": 0, "key": 1, "title": 2}
_STEPS = round(COVERAGE / GRAIN)


class Candidate(NamedTuple):
    """A fragment with what it costs."""

    fragment: Fragment
    cost: int
    """Tokens, as rendered."""
    place: int
    """Which of the entries that were offered it is of."""
    source: str
    """The file of its entry."""
    id: str
    """Of its entry."""
    priced: bool = True
    """Whether ``cost`` is what it costs, and not the least that it could."""

    @property
    def score(self) -> float:
        """Benefit by cost, in [0, 1]."""
        return score(self.fragment.benefit, self.cost)


def score(benefit: float, cost: int) -> float:
    """Return benefit / (1 + cost / 1000), in [0, 1] (section Core Scoring Function).

    ``benefit`` is in [0, 1], ``cost`` in tokens; a cost below 0 counts as 0.
    """
    return benefit / (1 + max(0, cost) / DEAR)


def rank(points: float, *, covers: bool) -> int:
    """Return a score as a whole number: greater comes first, equal are equals.

    A fragment that covers something new is ahead of those that do not by up to ``COVERAGE``
    (``planner.md``, section Score); at that very distance it still comes first.
    """
    steps = round(points / GRAIN)
    return 2 * (steps + _STEPS) + 1 if covers else 2 * steps


class Progress:
    """What has been chosen so far, as far as it decides what is chosen next."""

    def __init__(self, terms: int, budget: int, mix: LodMix) -> None:
        """Begin with nothing chosen for a gaze of ``terms`` terms."""
        self.uncovered = (1 << terms) - 1
        """Terms of the gaze that no chosen fragment covers, a bit each."""
        self._recent: deque[str] = deque(maxlen=RECENT)
        self._tokens: dict[Level, int] = {"title": 0, "full": 0, "key": 0}
        self._shares: dict[Level, float] = {
            "title": mix.macro, "full": mix.micro, "key": mix.atomic,
        }  # fmt: skip
        self._late = LATE * budget

    def choose(self, one: Candidate, instead: Candidate | None) -> None:
        """Note that ``one`` is chosen, and no longer the lesser level ``instead``."""
        self.uncovered &= ~one.fragment.covers
        self._recent.append(one.source)
        self._tokens[one.fragment.level] += one.cost
        if instead:
            self._tokens[instead.fragment.level] -= instead.cost

    def rank(self, one: Candidate) -> int:
        """Return ``rank`` of a fragment now. It never rises while more is chosen."""
        return rank(one.score, covers=bool(one.fragment.covers & self.uncovered))

    def under_share(self, level: Level) -> bool:
        """Whether ``level`` has less of the chosen tokens than its share of the mix."""
        total = sum(self._tokens.values())
        return self._tokens[level] < self._shares[level] * total or not total

    def is_recent(self, one: Candidate) -> bool:
        """Whether a fragment is of a source that one of the last picks is of."""
        return one.source in self._recent

    def is_late(self, left: int) -> bool:
        """Whether so few tokens are ``left`` that the smaller of two equals comes first."""
        return left < self._late

    def key(self, one: Candidate, left: int) -> tuple[object, ...]:
        """Return what fragments are compared by, least first, with ``left`` tokens to spend.

        Score with coverage, mix of levels, then the tie-breaks in their order: newer, more
        citations, fewer links that lead nowhere, another source than the last picks, smaller
        when little is left, id. Of one entry's own levels the fuller one.
        """
        fragment = one.fragment
        return (
            -self.rank(one),
            not self.under_share(fragment.level),
            *fixed(fragment),
            self.is_recent(one),
            one.cost if self.is_late(left) else 0,
            one.id,
            _ORDER[fragment.level],
        )


def fixed(one: Fragment) -> tuple[int, int, int]:
    """Return the tie-breaks that nothing chosen meanwhile changes, least first."""
    return (-one.moment, -one.citations, one.unresolved)

"""Which of two fragments is chosen first: by benefit and cost, then by six rules in order.

Source: ``acs-planner``, Benefit/Cost Model and Tie-Breaking Rules, and ``planner.md``. All rules
are one key: comparing by differences, as the source does, lets three beat each other in a circle.
"""

from collections import deque
from collections.abc import Mapping

from ctx.model import Fragment, Level, LodMix
from ctx.typed import NamedTuple

DEAR = 1000  # tokens that halve what a fragment is worth
GRAIN = 0.001  # scores that differ by less than this are equal
COVERAGE = 0.05  # lead in score that a fragment which covers a new term has over others
RECENT = 3  # last picks whose sources the next one should not share
LATE = 0.2  # share of the budget; when less is left, the smaller of two equals comes first

_ORDER: Mapping[Level, int] = {"full": 0, "key": 1, "title": 2}
_STEPS = round(COVERAGE / GRAIN)


class Candidate(NamedTuple):
    """A fragment with its cost."""

    fragment: Fragment
    cost: int  # tokens, as rendered
    place: int  # place of its entry among those offered
    source: str  # the file of its entry
    id: str  # of its entry
    priced: bool = True  # whether ``cost`` is exact, not only a lower bound

    @property
    def score(self) -> float:
        """Benefit by cost, in [0, 1]."""
        return score(self.fragment.benefit, self.cost)


def score(benefit: float, cost: int) -> float:
    """Return benefit, in [0, 1], / (1 + cost / 1000), cost 0 or more (Core Scoring Function)."""
    return benefit / (1 + max(0, cost) / DEAR)


def rank(points: float, *, covers: bool) -> int:
    """Return a score as a whole number, raised by ``COVERAGE`` if it ``covers`` (section Score)."""
    steps = round(points / GRAIN)
    return 2 * (steps + _STEPS) + 1 if covers else 2 * steps


class Progress:
    """What has been chosen so far, as far as it decides what is chosen next."""

    def __init__(self, terms: int, budget: int, mix: LodMix) -> None:
        self.uncovered = (1 << terms) - 1  # focus terms that no chosen fragment covers, a bit each
        self._recent: deque[str] = deque(maxlen=RECENT)
        self._tokens: dict[Level, int] = {"title": 0, "full": 0, "key": 0}
        self._shares: dict[Level, float] = {
            "title": mix.macro, "full": mix.micro, "key": mix.atomic,
        }  # fmt: skip
        self._late = LATE * budget

    def choose(self, candidate: Candidate, instead: Candidate | None) -> None:
        """Record that ``candidate`` is chosen, and no longer the lesser level ``instead``."""
        self.uncovered &= ~candidate.fragment.covers
        self._recent.append(candidate.source)
        self._tokens[candidate.fragment.level] += candidate.cost
        if instead:
            self._tokens[instead.fragment.level] -= instead.cost

    def rank(self, candidate: Candidate) -> int:
        """Return ``rank`` of a fragment now. It never rises while more is chosen."""
        return rank(candidate.score, covers=bool(candidate.fragment.covers & self.uncovered))

    def under_share(self, level: Level) -> bool:
        """Return whether ``level`` has less of the chosen tokens than its share of the mix."""
        total = sum(self._tokens.values())
        return self._tokens[level] < self._shares[level] * total or not total

    def is_recent(self, candidate: Candidate) -> bool:
        """Return whether a fragment has the source of one of the last picks."""
        return candidate.source in self._recent

    def is_late(self, left: int) -> bool:
        """Return whether so few tokens are ``left`` that the smaller of equals comes first."""
        return left < self._late

    def key(self, candidate: Candidate, left: int) -> tuple[object, ...]:
        """Return the sort key, least first, with ``left`` tokens: score, mix, tie-breaks."""
        fragment = candidate.fragment
        return (
            -self.rank(candidate),
            not self.under_share(fragment.level),
            *fixed(fragment),
            self.is_recent(candidate),
            candidate.cost if self.is_late(left) else 0,
            candidate.id,
            _ORDER[fragment.level],
        )


def fixed(fragment: Fragment) -> tuple[int, int, int]:
    """Return the tie-breaks that no choice changes, least first."""
    return (-fragment.moment, -fragment.citations, fragment.unresolved)

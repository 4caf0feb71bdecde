"""What matters now: one ranker a file, one signature, an ordered registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.errors import UsageError
from ctx.model import FOREIGN
from ctx.rank.documents import fields, text
from ctx.rank.urgency import by_urgency, in_focus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx.model import Part, Planned, Question, Ranker, Scored

__all__ = [
    "RANKERS",
    "Asks",
    "asks",
    "by_urgency",
    "elevated",
    "fields",
    "foreign_last",
    "in_focus",
    "ranker",
    "similarity",
    "text",
    "weigh",
]


class Asks(NamedTuple):
    """What a ranker asks for beyond the entries themselves (``Question.means``)."""

    words: bool
    vectors: bool


RANKERS = {
    "brackets": Asks(words=False, vectors=False),
    "lexical": Asks(words=True, vectors=False),
    "hybrid": Asks(words=True, vectors=True),
    "discovery": Asks(words=True, vectors=True),
}
"""The registry: a ranker is a module of this package that has a function ``rank``."""


def ranker(name: str) -> Ranker:
    """Return the ranker called ``name``; UsageError where there is none."""
    _check(name)
    from importlib import import_module  # only the ranker that is asked for

    rank: Ranker = import_module(f"ctx.rank.{name}").rank
    return rank


def elevated(scored: Sequence[Scored]) -> list[Scored]:
    """Return the turns of ``scored`` in which a user gave a rule that bears on what is asked.

    Those with sim(q) > θ₁ (``compaction``, step 4) by what they say themselves: a rule that
    stands beside an answer has nothing to do with the question for that reason.
    """
    from ctx.rank.discovery import THETA_1  # only where something is asked
    from ctx.rank.relevance import WEIGHTS

    def bears(parts: Mapping[str, float]) -> bool:
        signals = WEIGHTS.keys() & parts.keys()
        by_itself = not signals or not signals.isdisjoint(_OWN)
        return by_itself and similarity(parts) > THETA_1

    return [one for one in scored if one.entry.section == "elevated" and bears(dict(one.parts))]


def foreign_last(scored: Iterable[Scored]) -> list[Scored]:
    """Return turns that came with the repository behind all else, whatever they are worth."""
    return sorted(scored, key=lambda one: one.entry.source.startswith(FOREIGN))


def similarity(parts: Mapping[str, float]) -> float:
    """Return sim(q) as rankers and planners name it among the parts of a score; 0 without."""
    return max(parts.get(name, 0.0) for name in ("similarity", "relevance"))


_OWN = frozenset({"words", "meaning"})
"""Signals of an entry alone, without what stands around it."""


def weigh(parts: Sequence[Part], question: Question) -> Planned:
    """Return what the benefit/cost planner may choose from ``parts``; asks for words."""
    from ctx.rank.prospects import prospects  # entities: not for the tiered planner

    return prospects(parts, question)


def asks(name: str) -> Asks:
    """Return what the ranker called ``name`` asks for; UsageError where there is none."""
    _check(name)
    return RANKERS[name]


def _check(name: str) -> None:
    if name not in RANKERS:
        known = ", ".join(("auto", *RANKERS))
        raise UsageError(f"--ranker: there is no ranker {name!r}", f"one of {known}")

"""What the parts of a score mean, and how much each of them decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.rank import BY_AGE, RANKERS, Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import Request, Scored


class Part(NamedTuple):
    """One part of a score, as a person reads it."""

    name: str
    value: float
    meaning: str
    weight: str
    """How it enters the score."""


_URGENCY = {
    "in progress": Meaning("the task is being worked on", "4 is added"),
    "priority": Meaning("high 3, medium 2, low 1, not said 0", "added"),
    "blocked": Meaning("nobody can go on with it now", "a half is taken away"),
}
_BENEFIT = {
    "overlap": Meaning("share of what the agent looks at that it names", ".6 of the benefit"),
    "relevance": Meaning(
        "what it has to do with the query", ".6 of the benefit, where it is greater"
    ),
    "recency": Meaning("its age, fading over a week", ".3 of the benefit"),
}
_UNKNOWN = Meaning("", "")


def parts_of(scored: Scored, request: Request) -> list[Part]:
    """Return the parts of a score with what each of them means."""
    known = _known(scored, request)
    return [Part(name, value, *known.get(name, _UNKNOWN)) for name, value in scored.parts]


def is_unfound(scored: Scored, request: Request) -> bool:
    """Return whether the parts of a score add up to nothing, since the query misses the entry.

    They then only say in which order such entries come.
    """
    has_parts = any(value for _, value in scored.parts)
    return request.ranker != BY_AGE and not scored.score and has_parts


def meanings(entries: Iterator[Scored], request: Request) -> dict[str, str]:
    """Return what each part of some scores means, by name, in order of first mention."""
    found: dict[str, dict[str, None]] = {}
    for scored in entries:
        for part in parts_of(scored, request):
            text = f"{part.meaning}: {part.weight}" if part.weight else part.meaning
            found.setdefault(part.name, {})[text] = None
    return {name: "; or ".join(texts) for name, texts in found.items()}


def _known(scored: Scored, request: Request) -> dict[str, Meaning]:
    """Return the meaning of parts by name, by what has scored the entry."""
    by_age = {**_URGENCY, **RANKERS[BY_AGE].parts}
    if scored.entry.kind != "task" and request.planner == "acs":
        return by_age | _BENEFIT
    found = RANKERS[request.ranker].parts
    # What the ranker does not find is scored by age.
    return by_age | dict(found) if found.keys() >= dict(scored.parts).keys() else by_age

"""What the parts of a score mean, and how much each of them decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import Request, Scored

FINDERS = ("lexical", "hybrid", "discovery")
"""Rankers whose scores begin with what an entry has to do with what is asked."""


class Part(NamedTuple):
    """One part of a score, as a person reads it."""

    name: str
    value: float
    meaning: str
    weight: str
    """How it enters the score."""


_URGENCY = {
    "in progress": ("the task is being worked on", "4 is added"),
    "priority": ("high 3, medium 2, low 1, not said 0", "added"),
    "blocked": ("nobody can go on with it now", "a half is taken away"),
}
_AGE = {
    "recency": ("up to 7 days old 1, 30 days .7, 90 days .4, older .2", "added"),
    "relevance": ("keywords that it shares with what is asked, three or more 1", "added"),
    "idf": ("how rare these keywords are", "decides between equals only"),
}
SIGNALS = {
    "similarity": ("what it has to do with what is asked: the signals below, the best is 1", ""),
    "words": ("words of its own that are asked for", "1 in similarity"),
    "words nearby": ("the same in it and in what stands beside it", "½ in similarity"),
    "words around": ("the same, three entries to either side", "1 in similarity"),
    "source": ("the same in its whole file or session", "½ in similarity"),
    "speaker": ("said by who is asked about", "¾ in similarity"),
    "names": ("says names of several words as they are asked for", "½ in similarity"),
    "meaning": ("its meaning is near what is asked", "1 in similarity"),
    "meaning nearby": ("the same with what stands beside it", "½ in similarity"),
    "meaning around": ("the same, three entries to either side", "½ in similarity"),
}
_DISCOVERY = {
    "authority": ("age, use and standing", "the score times .9 to 1"),
    "keywords": ("share of what is asked that it holds", "the score times .77 to 1"),
    "hop": ("reached by a link from what was found", "the score itself"),
    "temporal": ("selected by the times that are asked about", "the score at least"),
}
_HYBRID = {
    "recency": ("its age, fading", ".2 of the score"),
    "scope": ("session, project or global", ".1 of the score"),
}
_BENEFIT = {
    "overlap": ("share of what the agent looks at that it names", ".6 of the benefit"),
    "relevance": ("what it has to do with the query", ".6 of the benefit, where it is greater"),
    "recency": ("its age, fading over a week", ".3 of the benefit"),
}
_QUALITY = {"quality": ("how well a summary stands for its turns", "the score times it")}
_SIMILAR = {
    "lexical": "the score",
    "hybrid": ".7 of the score",
    "discovery": "what the score starts from",
}


def parts_of(one: Scored, request: Request) -> list[Part]:
    """Return the parts of a score with what each of them means."""
    return [Part(name, value, *_told(name, one, request)) for name, value in one.parts]


def is_unfound(one: Scored, request: Request) -> bool:
    """Whether the parts of a score come to nothing, since nothing that is asked finds the entry.

    They then say only in which order such entries come.
    """
    return request.ranker != "brackets" and not one.score and any(value for _, value in one.parts)


def meanings(scored: Iterator[Scored], request: Request) -> dict[str, str]:
    """Return what each part of some scores means, by name, in order of first mention."""
    found: dict[str, dict[str, None]] = {}
    for one in scored:
        for name, _ in one.parts:
            meaning, weight = _told(name, one, request)
            text = f"{meaning}: {weight}" if weight else meaning
            found.setdefault(name, {})[text] = None
    return {name: "; or ".join(texts) for name, texts in found.items()}


def _told(name: str, one: Scored, request: Request) -> tuple[str, str]:
    """Return meaning and weight of a part, by what has scored the entry."""
    if name == "similarity":
        return SIGNALS[name][0], _SIMILAR.get(request.ranker, "")
    known = {**_URGENCY, **_AGE, **SIGNALS, **_DISCOVERY, **_QUALITY}
    if one.entry.kind != "task" and request.planner == "acs":
        known |= _BENEFIT
    elif "similarity" in dict(one.parts) and request.ranker == "hybrid":
        known |= _HYBRID
    return known.get(name, ("", ""))

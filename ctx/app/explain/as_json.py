"""An explained packet as JSON: why each entry is included, and what would change that."""

from collections.abc import Iterator
from typing import NamedTuple

from ctx.app.explain.look import Looked, Row
from ctx.model import BY_AGE, BY_BENEFIT, JsonObject, Request, Scored
from ctx.rank import Meaning
from ctx.rank import meanings as of_parts
from ctx.render.explain import row as as_row
from ctx.text.names import masked

_DIGITS = 4
_UNKNOWN = Meaning("", "")


def as_object(looked: Looked, limit: int | None = None, *, whole: bool = True) -> JsonObject:
    """Return why a packet includes what it includes, as JSON has it.

    Where one entry was asked for, ``entry`` holds all that is known of it, and there are no
    ``entries``. Of these ``limit`` at most are given, those that are in and those that take least
    first, and with ``whole`` also those that need nothing more; ``more`` counts the others.
    """
    packet, request = looked.packet, looked.packet.request
    outcomes = [row.verdict.outcome for row in looked.rows]
    head: JsonObject = {
        "directory": masked(request.root),
        "budget": request.budget,
        "tokens": packet.tokens,
        "tokenizer": request.settings.tokenizer,
        "format": request.format,
        "query": request.query,
        "as_of": request.as_of.isoformat(),
        "ranker": request.ranker,
        "planner": request.planner,
        "degraded": packet.selection.degraded,
        "warnings": [*packet.warnings],
        "overhead": looked.overhead,
        "sections": [
            {"name": part.name, "asked": part.asked, **part.share._asdict()}
            for part in looked.parts
        ],
        "outcomes": {name: outcomes.count(name) for name in ("full", "key", "title", "out")},
        "sweep": {
            "steps": len(looked.steps),
            "most": looked.steps[-1].budget,
            "within": looked.within,
            "unmade": looked.unmade,
        },
    }
    if looked.one:
        parts = parts_of(looked.one.verdict.scored, request)
        entry: JsonObject = {
            **_row(looked.one),
            "parts": [{**part._asdict(), "value": round(part.value, _DIGITS)} for part in parts],
            "history": [run._asdict() for run in looked.history],
            "never": looked.never,
        }
        return {**head, "entry": entry}
    rows = [row for row in looked.rows if whole or row.verdict.outcome != "full"]
    more = len(rows) - len(rows[:limit])
    return {**head, "entries": [_row(row) for row in rows[:limit]], "more": more}


def _row(row: Row) -> JsonObject:
    title, full = row.takes
    return {
        **as_row(row.verdict),
        "section": row.section,
        "costs": {str(level): cost for level, cost in row.costs.items()},
        "takes": {"title": title and title.start, "full": full and full.start},
        "until": {"title": title and title.end, "full": full and full.end},
    }


class Part(NamedTuple):
    """One part of a score, as a person reads it."""

    name: str
    value: float
    meaning: str
    weight: str  # how it enters the score


def parts_of(scored: Scored, request: Request) -> list[Part]:
    """Return the parts of a score with what each of them means."""
    known = _known(scored, request)
    return [Part(name, value, *known.get(name, _UNKNOWN)) for name, value in scored.parts]


def is_unfound(scored: Scored, request: Request) -> bool:
    """Whether the parts of a score add up to nothing: they only order what the query misses."""
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
    by_age = {**of_parts("tasks"), **of_parts(BY_AGE)}
    if scored.entry.kind != "task" and request.planner == BY_BENEFIT:
        return by_age | of_parts(BY_BENEFIT)
    found = of_parts(request.ranker)
    # What the ranker does not find is scored by age.
    return by_age | found if found.keys() >= dict(scored.parts).keys() else by_age

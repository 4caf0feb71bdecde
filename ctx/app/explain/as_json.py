"""An explained packet as JSON: why each entry is included, and what would change that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.app.explain.look import look
from ctx.app.explain.score_parts import parts_of
from ctx.render.explain import row as told

if TYPE_CHECKING:
    from ctx.app.explain.look import Looked, Part, Row
    from ctx.app.explain.sweep import Span
    from ctx.app.workspace import Workspace


_DIGITS = 4


def explained(
    workspace: Workspace, wanted: str = "", *, limit: int | None = None, whole: bool = True
) -> dict[str, object]:
    """Return why the packet of ``workspace`` includes what it includes, as JSON has it.

    ``wanted`` names one entry by its id, title or words of it: then ``entry`` holds all that is
    known of it, and there are no ``entries``. Of these ``limit`` at most are given, those that
    are in and those that take least first, and with ``whole`` also those that need nothing more;
    ``more`` counts the others. Raises as ``look``.
    """
    return as_object(look(workspace, wanted=wanted), limit, whole=whole)


def as_object(looked: Looked, limit: int | None = None, *, whole: bool = True) -> dict[str, object]:
    """Return what is known of a packet as JSON has it (see ``explained``)."""
    packet, request = looked.packet, looked.packet.request
    outcomes = [row.verdict.outcome for row in looked.rows]
    said: dict[str, object] = {
        "directory": request.root,
        "budget": request.budget,
        "tokens": packet.tokens,
        "tokenizer": request.tokenizer,
        "format": request.format,
        "query": request.query,
        "as_of": request.as_of.isoformat(),
        "ranker": request.ranker,
        "planner": request.planner,
        "degraded": packet.selection.degraded,
        "warnings": list(packet.warnings),
        "frame": looked.frame,
        "sections": [_section(part) for part in looked.parts],
        "outcomes": {name: outcomes.count(name) for name in ("full", "key", "title", "out")},
        "sweep": {
            "steps": len(looked.steps),
            "most": looked.steps[-1].budget,
            "within": looked.within,
        },
    }
    if looked.one:
        return {**said, "entry": _deep(looked, looked.one)}
    rows = [row for row in looked.rows if whole or row.verdict.outcome != "full"]
    more = len(rows) - len(rows[:limit])
    return {**said, "entries": [_row(row) for row in rows[:limit]], "more": more}


def _section(part: Part) -> dict[str, object]:
    return {"name": part.name, "asked": part.asked, **part.share._asdict()}


def _row(row: Row) -> dict[str, object]:
    return {
        **told(row.verdict),
        "section": row.section,
        "costs": dict(row.costs),
        "takes": {"title": _start(row.takes.title), "full": _start(row.takes.full)},
        "until": {"title": _end(row.takes.title), "full": _end(row.takes.full)},
    }


def _start(span: Span | None) -> int | None:
    return span.start if span else None


def _end(span: Span | None) -> int | None:
    return span.end if span else None


def _deep(looked: Looked, row: Row) -> dict[str, object]:
    parts = parts_of(row.verdict.scored, looked.packet.request)
    return {
        **_row(row),
        "parts": [{**part._asdict(), "value": round(part.value, _DIGITS)} for part in parts],
        "history": [run._asdict() for run in looked.history],
        "never": looked.never,
    }

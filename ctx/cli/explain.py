"""``ctx explain``: why a packet says what it says, and what it would take to say more."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from ctx.app.explain.look import look
from ctx.app.explain.score_parts import parts_of
from ctx.app.explain.sweep import STEPS
from ctx.app.find import find
from ctx.app.packet import notes
from ctx.app.settings import load
from ctx.cli.agent import in_focus, query_of
from ctx.cli.progress import progress
from ctx.edit import atomic
from ctx.errors import OK, UsageError
from ctx.render.explain import row as told
from ctx.streams import (
    complain,
    safe_json,
    write_out,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.app.explain.look import Looked, Part, Row
    from ctx.app.explain.sweep import Span
    from ctx.app.settings import Loaded
    from ctx.world import World

_DIGITS = 4


def run(  # noqa: PLR0913 - the options that are no part of what is asked for
    flags: dict[str, object],
    world: World,
    *,
    wanted: str = "",
    html: str | None = None,
    everything: bool = False,
    as_json: bool = False,
) -> int:
    """Explain the packet that ``flags`` ask for, or one entry of it; return the exit code."""
    _check(html, wanted, as_json=as_json)
    if flags.get("query") == "-":
        flags = {**flags, "query": query_of("-")}
    root = find(str(flags.get("dir") or ""), world)
    flags = in_focus(flags, root, world)
    loaded = load(root, world, flags)
    with progress("packets", STEPS + 1, world, counts="packets") as tick:
        looked = look(root, flags, loaded, world, wanted=wanted, tick=tick)
    for note in notes(looked.packet, loaded.settings, flags):
        complain(note)
    if looked.unmade:
        complain(
            f"made {len(looked.steps)} packets of {len(looked.steps) + looked.unmade}, as there is "
            f"much to say: what an entry takes may be up to {looked.within:,} tokens less"
        )
    if html is not None:
        _deliver(html, looked)
    elif as_json:
        text = json.dumps(as_object(looked), ensure_ascii=False, indent=1) + "\n"
        write_out(safe_json(text).encode("utf-8", "replace"))
    else:
        from ctx.cli.explain_drawn import show

        show(looked, world, everything=everything)
    return OK


def _check(html: str | None, wanted: str, *, as_json: bool) -> None:
    """Raise UsageError for a page that cannot be written as it is asked for."""
    if html is None:
        return
    if as_json or wanted:
        other = "--json" if as_json else "an entry"
        raise UsageError(f"--html: shows all of it, and not {other}", "ask for one of the two")
    if html == "" or os.path.isdir(html):
        what = f"{html} is a directory" if html else "no file is named"
        raise UsageError(f"--html: {what}", "name a file, or - for standard output")


def _deliver(html: str, looked: Looked) -> None:
    """Write the page to a file, whole or not at all, or to standard output."""
    from ctx.app.explain.page import page_of

    data = page_of(looked).encode("utf-8", "replace")
    if html == "-":
        write_out(data)
    else:
        atomic.write(html, data)
        complain(f"{html}: written, {len(data):,} bytes")


def explained(  # noqa: PLR0913 - as typed as it is asked
    root: str,
    flags: Mapping[str, object],
    loaded: Loaded,
    world: World,
    wanted: str = "",
    *,
    limit: int | None = None,
    whole: bool = True,
) -> dict[str, object]:
    """Return why the packet that ``flags`` ask for says what it says, as JSON has it.

    ``wanted`` names one entry by its id, title or words of it: then ``entry`` holds all that is
    known of it, and there are no ``entries``. Of these ``limit`` at most are given, those that
    are in and those that take least first, and with ``whole`` also those that need nothing more;
    ``more`` counts the others. Raises as ``look``.
    """
    return as_object(look(root, flags, loaded, world, wanted=wanted), limit, whole=whole)


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

"""What the page of ``ctx explain --html`` shows: every figure of it, made here."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from ctx import __version__
from ctx.app.explain.as_json import meanings
from ctx.app.explain.look import Looked, Row
from ctx.app.explain.sweep import Step
from ctx.model import JsonObject
from ctx.render.page import page
from ctx.text.names import cut, masked, shown

MOST_ENTRIES = 2_000  # entries that a page holds: a table of more is slow to sort
MOST_BYTES = 1_700_000  # of their data
LONGEST = 300  # characters of a text of an entry; the rest is read at its source
short = partial(cut, most=LONGEST)
_SIGNS = {"full": "f", "key": "k", "title": "t", None: "."}
"""How the outcomes of an entry, one a step, are written."""
_DIGITS = 4
_MARKS = re.compile(r"\*\*(?=\S)|(?<=\S)\*\*|`")


def page_of(looked: Looked) -> str:
    """Return the page of a packet that was looked at."""
    data = data_of(looked)
    return page(str(data["title"]), data)


def data_of(looked: Looked) -> JsonObject:
    """Return all that the page knows."""
    packet = looked.packet
    name = shown(os.path.basename(os.path.dirname(packet.request.root)) or "a directory")
    names = [part.name for part in looked.parts]
    known = meanings((row.verdict.scored for row in looked.rows), looked.packet.request)
    # The entries that a page has room for: those that some packet includes come first.
    entries: list[JsonObject] = []
    size = 0
    for row in looked.rows[:MOST_ENTRIES]:
        entry = _entry(row, looked.steps, names, list(known))
        size += len(json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace"))
        if size > MOST_BYTES:
            break
        entries.append(entry)
    budgets = [step.budget for step in looked.steps]
    return {
        "version": __version__,
        "title": f"Packet of {name}: {packet.tokens:,} of {packet.request.budget:,} tokens",
        "asked": [[*pair] for pair in _asked(looked)],
        "warnings": [*map(short, filter(None, (looked.bounded, *packet.warnings)))],
        "budget": packet.request.budget,
        "within": looked.within,
        "at": budgets.index(packet.request.budget),
        "sections": [{"name": part.name, "asked": part.asked} for part in looked.parts],
        "steps": [_step(step, names) for step in looked.steps],
        "parts": [{"name": name, "meaning": meaning} for name, meaning in known.items()],
        "entries": [*entries],
        "omitted": len(looked.rows) - len(entries),
    }


def _asked(looked: Looked) -> Iterator[tuple[str, str]]:
    """Yield what was asked for, by name: of options that change nothing only the usual."""
    request = looked.packet.request
    if request.query:
        yield "query", short(masked(request.query))
    if request.focus:
        yield "in focus", short(", ".join(map(shown, request.focus)))
    if request.session:
        yield "session", short(shown(request.session))
    yield "as of", request.as_of.isoformat()
    yield "ranker", request.ranker
    yield "planner", request.planner
    yield "counted by", short(os.path.basename(request.settings.tokenizer))
    if request.pressure:
        yield "window", request.pressure


def _step(step: Step, names: Iterable[str]) -> JsonObject:
    shares = [step.shares.get(name) for name in names]
    used = sum(share.used for share in shares if share)
    return {
        "budget": step.budget,
        "tokens": step.tokens,
        "overhead": max(0, step.tokens - used),
        "free": max(0, step.budget - step.tokens),
        "degraded": step.degraded,
        "sections": [[*share] if share else None for share in shares],
    }


def _entry(
    row: Row, steps: Sequence[Step], sections: Sequence[str], parts: Sequence[str]
) -> JsonObject:
    scored, entry = row.verdict.scored, row.verdict.scored.entry
    values: Mapping[str, float] = dict(scored.parts)
    return {
        "id": short(entry.id),
        "title": short(plain(entry.title)),
        "where": short(f"{entry.path}:{entry.line}"),
        "kind": f"{entry.kind}, {entry.tier}",
        "date": entry.timestamp[:10],
        "section": sections.index(row.section),
        "score": round(scored.score, _DIGITS),
        "parts": [round(values[name], _DIGITS) if name in values else None for name in parts],
        "costs": [row.costs.get(level) for level in ("full", "key", "title")],
        "reason": short(row.verdict.reason.removeprefix("omitted: ")),
        "takes": [[*span] if span else None for span in row.takes],
        "levels": "".join(_SIGNS[step.levels.get(entry.id)] for step in steps),
    }


def plain(title: str) -> str:
    """Return a title without the marks of bold text and of code."""
    return _MARKS.sub("", title)

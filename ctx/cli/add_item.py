"""A task, a convention or a rule more: an item of a list, in a place where it is read as one."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from rapidfuzz import fuzz

from ctx.cli.adding import Adding
from ctx.cli.editing import HOMES, Row, one_more, rows
from ctx.cli.points import Outline, Point
from ctx.cli.similar import RepeatsError, held_of, same_title
from ctx.edit.change import Target, change
from ctx.edit.entries import STAMP
from ctx.edit.lines import Lines
from ctx.edit.prose import item, line
from ctx.errors import FileError, UsageError
from ctx.model import Entry
from ctx.read.markdown.block import Block

_NUMBER = re.compile(r"\d+")
_CLOSED = ("done", "skipped")
_OUT = (*_CLOSED, "superseded")
_MISSPELT = 80.0
"""Likeness from which on a phase is one that is there, misspelt; in [0, 100]."""
_TIER = {"rule": "hard"}


def add_item(target: Target, what: Adding, now: datetime) -> Entry:
    """Add an item to the list that it belongs to, and return it.

    Raises RepeatsError where the file says it already, UsageError for a phase that may be
    another one, FileError where there is no place for it; then nothing was changed.
    """
    added: list[Entry] = []

    def make(before: bytes | None) -> bytes:
        data = target.fresh if before is None else before
        after, entry = _with_item(target, data, what, now)
        added[:] = [entry]
        return after

    change(target, make)
    return added[0]


def _with_item(target: Target, data: bytes, what: Adding, now: datetime) -> tuple[bytes, Entry]:
    parser = HOMES[what.kind].parser
    had = rows(target.name, parser, data)
    _refuse_repeated(what.title, what, had)
    held = Lines(data)
    for more, point in _places(target.name, data, what, had, now):
        after = held.inserted(point.at, more)
        row = one_more(had, rows(target.name, parser, after))
        if row is not None and _is_right(row.entry, what, more):
            # Labels in what was typed are no words of the title, and hide no repetition.
            _refuse_repeated(row.entry.title, what, had)
            return after, row.entry
    raise FileError(
        f"{target.path}: nothing was added: nowhere would it be read as a {what.kind} of its own",
        "add it by hand",
    )


def _refuse_repeated(title: str, what: Adding, had: Sequence[Row]) -> None:
    found = [] if what.force else same_title(title, held_of(row.entry for row in had))
    if found:
        raise RepeatsError(found)


def _is_right(entry: Entry, what: Adding, more: Sequence[str]) -> bool:
    """Whether an item is read as what it was meant to be, with nothing before it that turns it."""
    text = "\n".join(more).strip()
    if text.startswith("#"):  # a new phase with its first item
        text = text.partition("\n\n")[2]
    written = entry.body.strip() == text
    return (
        (bool(what.markdown) or written)
        and entry.kind == what.kind
        and entry.tier == _TIER.get(what.kind, entry.tier)
        and not entry.lead
        and entry.status not in _OUT
    )


def _places(
    name: str, data: bytes, what: Adding, had: Sequence[Row], now: datetime
) -> Iterator[tuple[list[str], Point]]:
    """Yield the lines to add, and where: the best place first."""
    outline = Outline(name, data)
    starts = [row.entry.line - 1 for row in had]
    run: Sequence[Block]
    if what.phase.strip():
        heading = _phase(what.phase, outline.headings)
        if not heading:
            point = outline.end()
            yield _apart([f"## {line(what.phase)}", "", *_item(what, "-", now)], point), point
            return
        run = outline.under(heading)
    else:
        opened = [row.entry for row in had if row.entry.status not in _CLOSED]
        phased = what.kind == "task" and bool(opened)
        run = outline.holding(opened[0].line - 1) if phased else outline.top()
    for point in outline.points(run, starts):
        yield _apart(_item(what, point.bullet, now), point), point


def _apart(lines: Sequence[str], point: Point) -> list[str]:
    return [*([""] if point.before else []), *lines, *([""] if point.after else [])]


def _item(what: Adding, bullet: str, now: datetime) -> list[str]:
    """Return the lines of an item."""
    if what.markdown:
        return what.markdown.strip("\n").split("\n")
    text = item(what.title)
    if what.kind != "task":
        return [f"{bullet} {text}"]
    priority = f" #priority:{what.priority}" if what.priority else ""
    return [f"{bullet} [ ] {text}{priority} #added:{now.strftime(STAMP)}"]


def _phase(wanted: str, headings: Sequence[str]) -> str:
    """Return the heading that is meant; empty for a new one.

    By its words or how it begins. UsageError where several begin so, and for one that is so like
    a heading that it may be that one misspelt.
    """
    folded = _folded(wanted)
    same = [one for one in headings if _folded(one) == folded]
    begun = list(dict.fromkeys(one for one in headings if _begins(_folded(one), folded)))
    if same or len(begun) == 1:
        return (same or begun)[0]
    near = begun or [one for one in headings if _misspelt(folded, _folded(one))]
    if near:
        names = ", ".join(f"“{one}”" for one in dict.fromkeys(near))
        raise UsageError(
            f"--phase: “{line(wanted)}” may be {names}",
            "give its whole name, or a new phase a name of its own",
        )
    return ""


def _misspelt(one: str, two: str) -> bool:
    """Whether two headings may be one: never of another number."""
    return _NUMBER.findall(one) == _NUMBER.findall(two) and fuzz.ratio(one, two) >= _MISSPELT


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _begins(heading: str, wanted: str) -> bool:
    return heading.startswith(wanted) and not heading[len(wanted) : len(wanted) + 1].isalnum()

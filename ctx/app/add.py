"""Add an entry, a task, a convention or a rule, and change nothing else of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz import fuzz

from ctx.app.addable import PARTS, Adding, check
from ctx.app.editing import HOMES, Row, as_shown, named, one_more, only_one_other, rows, target_of
from ctx.app.list_places import Outline, Point
from ctx.app.lookup import one
from ctx.app.similar import Held, RepeatsError, Similar, held_of, same_title, similar
from ctx.edit.change import Target, change
from ctx.edit.entries import STAMP, New, below_heading, block, with_status
from ctx.edit.entries import add as add_entry
from ctx.edit.lines import Lines
from ctx.edit.prose import item, line, paragraphs
from ctx.errors import FileError, UsageError
from ctx.model import Entry
from ctx.text.supersedes import readings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctx.app.workspace import Workspace
    from ctx.config import Settings
    from ctx.model import Context, Entry
    from ctx.read.markdown.block import Block


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


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
    _refuse_same_title(what.title, what, had)
    held = Lines(data)
    for more, point in _places(target.name, data, what, had, now):
        after = held.inserted(point.at, more)
        row = one_more(had, rows(target.name, parser, after))
        if row is not None and _is_right(row.entry, what, more):
            # Labels in what was typed are no words of the title, and hide no repetition.
            _refuse_same_title(row.entry.title, what, had)
            return after, row.entry
    raise FileError(
        f"{target.path}: nothing was added: nowhere would it be read as a {what.kind} of its own",
        "add it by hand",
    )


def _refuse_same_title(title: str, what: Adding, had: Sequence[Row]) -> None:
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


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


_DATED = tuple(PARTS)
_SHOWN_TITLE = 120
"""Characters of a title that an old entry names."""
_CHANGED = "try again: it changed meanwhile"


class Old(NamedTuple):
    """The entry that a new one replaces."""

    id: str
    title: str
    name: str
    """Its file, relative to the context directory, as it is spelled there."""
    parser: str
    is_gone: bool
    """Whether it was out of date before."""
    claim: str
    """How the new entry names it."""


class Seen(NamedTuple):
    """What a directory holds that a new entry has to do with."""

    similar: tuple[Similar, ...]
    old: Old | None


def add(workspace: Workspace, what: Adding) -> dict[str, object]:
    """Add one entry; return its id, file, line and timestamp, and what it has to do with.

    Raises UsageError where something is missing, does not belong, or names no entry;
    RepeatsError, which is one, where entries say the same and ``force`` is not given; FileError
    where the file cannot be read or written. Then nothing was changed.
    """
    check(what)
    root, settings = workspace.root, workspace.settings
    seen = workspace.read(lambda context: _seen(context, what))
    if seen.similar and not what.force:
        raise RepeatsError(seen.similar)
    target = target_of(root, what.kind, settings)
    # The local time: entries are dated by the days that people live by.
    now = datetime.fromtimestamp(workspace.world.now_ns // 10**9).astimezone()
    note = ""
    if what.kind in _DATED:
        added = _add_dated(target, what, seen.old, now)
        if seen.old and seen.old.name != target.name and not seen.old.is_gone:
            note = _mark_elsewhere(root, what, seen.old, settings)
    else:
        added = add_item(target, what, now)
    added = as_shown(target, HOMES[what.kind].parser, added, settings)
    return {
        "id": added.id,
        "kind": what.kind,
        "title": added.title,
        "file": added.source,
        "line": added.line,
        "timestamp": added.timestamp,
        "group": added.group,
        "supersedes": seen.old.id if seen.old else None,
        "similar": [similar._asdict() for similar in seen.similar],
        "note": note,
    }


# --- what is there ------------------------------------------------------------------------


def _seen(context: Context, what: Adding) -> Seen:
    old = _old(context, what)
    text = what.markdown or "\n\n".join(text for text in what.parts.values() if text.strip())
    told = text if what.kind in _DATED else ""
    return Seen(tuple(similar(what.title, told, list(_held(context, what, old)))), old)


def _held(context: Context, what: Adding, old: Old | None) -> Iterator[Held]:
    """Yield what can be repeated: entries of this kind, without what nobody works with any more."""
    for source in context.sources:
        for part in source.parts:
            if part.kind == what.kind:
                entries = (part.entry(place) for place in range(len(part)))
                yield from held_of(entries, old.id if old else "")


def _old(context: Context, what: Adding) -> Old | None:
    """Return the entry to supersede; UsageError where it is not clear which one is meant."""
    if not what.supersedes.strip():
        return None
    parts = [part for source in context.sources for part in source.parts if part.kind in _DATED]
    held = [(part.entry(place), part.name) for part in parts for place in range(len(part))]
    entries = [entry for entry, _ in held]
    old = one(what.supersedes, entries)
    name = next(name for entry, name in held if entry.id == old.id)
    parser = HOMES[old.kind].parser
    return Old(old.id, old.title, name, parser, old.status == "superseded", _claim(old, entries))


def _claim(old: Entry, entries: Iterable[Entry]) -> str:
    """Return how another entry names ``old``, and only that: by its title where it can be."""
    taken = {
        name
        for entry in entries
        if entry.id != old.id
        for name in (entry.title.casefold(), entry.timestamp, entry.id.casefold())
    }
    written = line(old.title)
    meant = list(readings(written))
    if old.title.casefold() in meant and "|" not in written and taken.isdisjoint(meant):
        return old.title
    return old.id


# --- a dated entry ------------------------------------------------------------------------


def _add_dated(target: Target, what: Adding, old: Old | None, now: datetime) -> Entry:
    parser = HOMES[what.kind].parser
    parts = tuple((name.capitalize(), what.parts.get(name, "")) for name in PARTS[what.kind])
    entry = New(what.title, parts, supersedes=old.claim if old else "", body=what.markdown)
    here = old if old and old.name == target.name and not old.is_gone else None
    added: list[Entry] = []

    def amend(data: bytes) -> bytes:
        return marked(target, data, here, what.title) if here else data

    def wrong(before: bytes, after: bytes) -> str:
        held = before or target.fresh
        had = rows(target.name, parser, held)
        _refuse_repeated(what, had, old)
        row = one_more(rows(target.name, parser, amend(held)), rows(target.name, parser, after))
        if row is None:
            return "the file would not be read as one entry more, and else as before"
        if row.entry.status == "superseded":
            return "it would be read as superseded"
        if not what.markdown and row.entry.body != block(entry, "").partition("\n")[2].strip():
            return "the entry would not be read as it was given"
        added[:] = [row.entry]
        return ""

    add_entry(target, entry, now, wrong, amend=amend)
    return added[0]


def _refuse_repeated(what: Adding, had: Sequence[Row], old: Old | None) -> None:
    """Raise RepeatsError for what somebody else has added while this was on its way."""
    held = held_of((row.entry for row in had), old.id if old else "")
    found = [] if what.force else same_title(what.title, held)
    if found:
        raise RepeatsError(found)


# --- the entry that it replaces -----------------------------------------------------------


def marked(target: Target, data: bytes, old: Old, title: str) -> bytes:
    """Return a file in which ``old`` says that the entry called ``title`` supersedes it.

    Raises FileError where it is not there any more, or where nothing else would be read alike.
    """
    had = rows(target.name, old.parser, data)
    at = next((n for n, row in enumerate(had) if _is(row.entry, old)), None)
    if at is None:
        raise FileError(f"{target.path}: {old.id} is not there any more", _CHANGED)
    before = had[at].entry
    status = paragraphs(f'Superseded by "{_short(title)}"')
    for after in (
        with_status(data, before.line - 1, before.end_line - 1, status),
        below_heading(data, before.line - 1, f"**Status**: {status}"),
    ):
        has = rows(target.name, old.parser, after)
        if only_one_other(had, has) == at and _says_so(has[at].entry, before, status):
            return after
    raise FileError(
        f"{target.path}:{before.line}: {old.id} cannot be marked as superseded", "do it by hand"
    )


def _says_so(now: Entry, before: Entry, status: str) -> bool:
    """Whether an entry says that it is superseded, and else what it said before."""
    old, new = (one.body.strip("\n").split("\n") for one in (before, now))
    more = [line for line in new if line.strip() and line not in old]
    gone = [line for line in old if line.strip() and line not in new]
    return (
        now.status == "superseded"
        and now.title == before.title
        and len(more) == 1
        and status in more[0]
        and all(line.split(":", 1)[-1].strip(" *_") in more[0] for line in gone)
        and len(gone) <= 1
    )


def _is(entry: Entry, old: Old) -> bool:
    return entry.id == old.id and entry.title == old.title


def _short(title: str) -> str:
    one = " ".join(title.split())
    return one if len(one) <= _SHOWN_TITLE else f"{one[:_SHOWN_TITLE].rstrip()} …"


def _mark_elsewhere(root: str, what: Adding, old: Old, settings: Settings) -> str:
    """Mark an entry of another file; return why that could not be, else nothing.

    The new entry is there already, and says which one it replaces: it holds either way.
    """
    try:
        target = named(root, old.name, settings)
        change(target, _marking(target, old, what.title))
    except FileError as error:
        return f"{old.id} is superseded, but does not say so itself: {error}"
    return ""


def _marking(target: Target, old: Old, title: str) -> Callable[[bytes | None], bytes]:
    def make(data: bytes | None) -> bytes:
        if data is None:
            raise FileError(f"{target.path}: is not there any more", _CHANGED)
        return marked(target, data, old, title)

    return make

"""Add an entry, a task, a convention or a rule, and change nothing else of the file."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from rapidfuzz import fuzz

from ctx.app.addable import PARTS, Adding, check
from ctx.app.editing import HOMES, Row, as_shown, named, one_more, only_one_other, rows, target_of
from ctx.app.find import writable
from ctx.app.lookup import one
from ctx.app.provenance import cited, in_label
from ctx.app.workspace import Workspace
from ctx.edit.change import Target, change
from ctx.edit.entries import STAMP, New, add_all, below_heading, block, with_status
from ctx.edit.lines import Lines
from ctx.edit.prose import item, line, paragraphs
from ctx.errors import FileError, UsageError
from ctx.model import Context, Entry, JsonObject
from ctx.read import frontmatter
from ctx.read.files import decode
from ctx.read.markdown.block import Block, by_heading, group_of
from ctx.read.markdown.blocks import blocks, chunks, normalise, shorten_lines
from ctx.sessions.promotion.near_duplicates import NearDuplicates
from ctx.text import similarity
from ctx.text.checkbox import CLOSED
from ctx.text.levels import short_id
from ctx.text.similarity import differ, features
from ctx.text.supersedes import readings
from ctx.text.vector_space import TermSpace

_DATED = tuple(PARTS)
_NUMBER = re.compile(r"\d+")
_BULLET = re.compile(r"([-*+])[ \t]")
_MISSPELT = 80.0  # likeness from which on a phase is one that is there, misspelt; in [0, 100]
_LONGEST_TITLE = 120  # characters of a title that an old entry names
_CHANGED = "try again: it changed meanwhile"


class Old(NamedTuple):
    """The entry that a new one replaces."""

    id: str
    title: str
    name: str  # its file, relative to the context directory, as it is spelled there
    parser: str
    is_superseded: bool  # whether it was out of date before
    reference: str  # how the new entry names it


class Similar(NamedTuple):
    """An entry that a new one repeats."""

    id: str
    title: str
    how: str  # ``title``, ``words`` or ``meaning``: what is alike
    likeness: float  # in [0, 1]


class Added(NamedTuple):
    """A new entry, and what it has to do with others."""

    kind: str
    entry: Entry
    supersedes: str | None  # the id of the entry that it replaces
    similar: tuple[Similar, ...]  # those that it repeats, as ``Adding.force`` allows
    note: str  # why the old entry does not say that it is superseded; empty where it does

    def as_json(self) -> JsonObject:
        """Return the new entry as JSON has it."""
        entry = self.entry
        return {
            "id": entry.id,
            "kind": self.kind,
            "title": entry.title,
            "file": entry.source,
            "line": entry.line,
            "timestamp": entry.timestamp,
            "group": entry.group,
            "supersedes": self.supersedes,
            "similar": [similar._asdict() for similar in self.similar],
            "note": self.note,
        }


class RepeatsError(UsageError):
    """A new entry that repeats others."""

    def __init__(self, similar: Sequence[Similar]) -> None:
        names = ", ".join(
            f"{other.id} “{other.title}” ({other.how} {other.likeness:.2f})" for other in similar
        )
        super().__init__(f"nothing was added: it repeats {names}", "--force adds it all the same")
        self.similar = tuple(similar)


def add(workspace: Workspace, what: Adding) -> Added:
    """Add one entry, and return it with what it has to do with others.

    Raises UsageError where something is missing, does not belong, or names no entry;
    RepeatsError, which is one, where entries say the same and ``force`` is not given; FileError
    where the file cannot be read or written. Then nothing was changed.
    """
    check(what)
    root, settings = writable(workspace.root), workspace.settings
    cites = list(cited(workspace, what.cites))
    source = ", ".join(name if kind == "file" else f"{kind} {name}" for kind, name in cites)
    old, repeated, needs = workspace.read(partial(_compared, what), own=True)
    if repeated and not what.force:
        raise RepeatsError(repeated)
    target = target_of(root, what.kind, settings, workspace.links)
    # The local time: entries are dated by the days that people live by.
    now = datetime.fromtimestamp(workspace.world.now_ns // 10**9).astimezone()
    note = ""
    if what.kind in _DATED:
        entry = _add_dated(target, what, old, now, source)
        if old and old.name != target.name and not old.is_superseded:
            note = _mark_elsewhere(workspace, what, old)
    else:
        about = [f"**Source**: {source}"] if source else []
        if what.kind == "task":
            labels = [("needs", need) for need in needs] + cites
            about = [f"#{kind}:{in_label(name)}" for kind, name in labels]
        entry = add_item(target, what._replace(about=(*what.about, *about)), now)
    entry = as_shown(target, HOMES[what.kind].parser, entry, settings)
    workspace.store.trust()
    return Added(what.kind, entry, old.id if old else None, tuple(repeated), note)


def _compared(what: Adding, context: Context) -> tuple[Old | None, list[Similar], list[str]]:
    """Return the entry to supersede, those that the new one repeats, and numbers of its needs."""
    old = None
    if what.supersedes.strip():
        dated = [part for part in context.parts if part.kind in _DATED]
        old = superseded(
            what.supersedes,
            [(part.entry(place), part.name) for part in dated for place in range(len(part))],
        )
    entries = [
        part.entry(place)
        for part in context.parts
        if part.kind == what.kind
        for place in range(len(part))
    ]
    current = list(_current(entries, old))
    repeated = {same.id: same for same in _same_title(what.title, current)}
    text = what.markdown or "\n\n".join(text for text in what.parts.values() if text.strip())
    if what.kind in _DATED and text.strip():
        bodies = [(entry, similarity.without_labels(entry.body)) for entry in current]
        bodies = [(entry, body) for entry, body in bodies if body.strip()]
        texts = [(entry.id, body) for entry, body in bodies]
        near = NearDuplicates(texts, [text], TermSpace()).of(0) if texts else None
        if near and near.id not in repeated:
            title = next(entry.title for entry, _ in bodies if entry.id == near.id)
            repeated[near.id] = Similar(near.id, title, near.how, near.likeness)
    open_ = [entry for entry in entries if entry.is_current]
    needs = [short_id(one(need, open_, "open task").id) for need in what.needs]
    return old, sorted(repeated.values(), key=lambda similar: -similar.likeness), needs


def superseded(wanted: str, dated: Sequence[tuple[Entry, str]]) -> Old:
    """Return the entry to supersede; UsageError where it is not clear which one is meant."""
    entries = [entry for entry, _ in dated]
    old = one(wanted, entries)
    name = next(name for entry, name in dated if entry.id == old.id)
    taken = {
        name
        for entry in entries
        if entry.id != old.id
        for name in (entry.title.casefold(), entry.timestamp, entry.id.casefold())
    }
    # By its title where that names it and nothing else.
    written = line(old.title)
    meant = list(readings(written))
    is_clear = old.title.casefold() in meant and "|" not in written and taken.isdisjoint(meant)
    return Old(
        old.id, old.title, name, HOMES[old.kind].parser, old.status == "superseded",
        old.title if is_clear else old.id,
    )  # fmt: skip


def _current(entries: Iterable[Entry], old: Old | None) -> Iterator[Entry]:
    return (entry for entry in entries if entry.is_current and not (old and entry.id == old.id))


def _same_title(title: str, entries: Iterable[Entry]) -> Iterator[Similar]:
    """Yield the entries of the same title, in other words or in another order of them."""
    own = features(title)
    for entry in entries:
        likeness = similarity.titles(title, entry.title)
        if likeness and (title == entry.title or not differ(own, features(entry.title))):
            yield Similar(entry.id, entry.title, "title", likeness / 100)


def _refuse_same_title(
    title: str, what: Adding, before: Sequence[Row], old: Old | None = None
) -> None:
    """Raise RepeatsError for what somebody else has added while this was on its way."""
    if not what.force:
        same = list(_same_title(title, _current((row.entry for row in before), old)))
        if same:
            raise RepeatsError(same)


def _add_dated(target: Target, what: Adding, old: Old | None, now: datetime, source: str) -> Entry:
    parser = HOMES[what.kind].parser
    parts = tuple((name.capitalize(), what.parts.get(name, "")) for name in PARTS[what.kind])
    supersedes = old.reference if old else ""
    entry = New(what.title, parts, source, supersedes, what.markdown, what.aliases)
    here = old if old and old.name == target.name and not old.is_superseded else None
    added: list[Entry] = []

    def amend(data: bytes) -> bytes:
        return marked(target, data, here, what.title) if here else data

    def wrong(before: bytes, after: bytes) -> str:
        data = before or target.fresh
        _refuse_same_title(what.title, what, rows(target.name, parser, data), old)
        row = one_more(rows(target.name, parser, amend(data)), rows(target.name, parser, after))
        if row is None:
            return "the file would not be read as one entry more, and else as before"
        if row.entry.status == "superseded":
            return "it would be read as superseded"
        if not what.markdown and row.entry.body != block(entry, "").partition("\n")[2].strip():
            return "the entry would not be read as it was given"
        added[:] = [row.entry]
        return ""

    add_all(target, [(entry, now)], wrong, amend=amend)
    return added[0]


def marked(target: Target, data: bytes, old: Old, title: str) -> bytes:
    """Return a file in which ``old`` names its successor; FileError where it is not there."""
    had = rows(target.name, old.parser, data)
    ids = [(row.entry.id, row.entry.title) for row in had]
    if (old.id, old.title) not in ids:
        raise FileError(f"{target.path}: {old.id} is not there any more", _CHANGED)
    place = ids.index((old.id, old.title))
    before = had[place].entry
    short = " ".join(title.split())
    if len(short) > _LONGEST_TITLE:
        short = f"{short[:_LONGEST_TITLE].rstrip()} …"
    status = paragraphs(f'Superseded by "{short}"')
    for after in (
        with_status(data, before.line - 1, before.end_line - 1, status),
        below_heading(data, before.line - 1, f"**Status**: {status}"),
    ):
        has = rows(target.name, old.parser, after)
        if only_one_other(had, has) == place and _is_marked(has[place].entry, before, status):
            return after
    raise FileError(
        f"{target.path}:{before.line}: {old.id} cannot be marked as superseded", "do it by hand"
    )


def _is_marked(entry: Entry, before: Entry, status: str) -> bool:
    """Whether an entry says that it is superseded, and else what it said before."""
    old, new = (each.body.strip("\n").split("\n") for each in (before, entry))
    more = [line for line in new if line.strip() and line not in old]
    lost = [line for line in old if line.strip() and line not in new]
    return (
        entry.status == "superseded"
        and entry.title == before.title
        and len(more) == 1
        and status in more[0]
        and all(line.split(":", 1)[-1].strip(" *_") in more[0] for line in lost)
        and len(lost) <= 1
    )


def _mark_elsewhere(workspace: Workspace, what: Adding, old: Old) -> str:
    """Mark an entry of another file; return why that could not be: the new one is there already."""

    def make(data: bytes | None) -> bytes:
        if data is None:
            raise FileError(f"{target.path}: is not there any more", _CHANGED)
        return marked(target, data, old, what.title)

    try:
        target = named(workspace.root, old.name, workspace.settings, workspace.links)
        change(target, make)
    except FileError as error:
        return f"{old.id} is superseded, but is not marked as such: {error}"
    return ""


def add_item(target: Target, what: Adding, now: datetime) -> Entry:
    """Add an item to the list that it belongs to, and return it; raises as ``add``."""
    parser = HOMES[what.kind].parser
    added: list[Entry] = []

    def make(data: bytes | None) -> bytes:
        data = target.fresh if data is None else data
        before = rows(target.name, parser, data)
        _refuse_same_title(what.title, what, before)
        for lines, at in _placed(target.name, data, what, before, now):
            after = Lines(data).inserted(at, lines)
            row = one_more(before, rows(target.name, parser, after))
            if row is not None and _is_right(row.entry, what, lines):
                # Labels in what was typed are no words of the title, and hide no repetition.
                _refuse_same_title(row.entry.title, what, before)
                added[:] = [row.entry]
                return after
        raise FileError(
            f"{target.path}: nothing was added: nowhere would it be read as a {what.kind} "
            "of its own",
            "add it by hand",
        )

    change(target, make)
    return added[0]


def _is_right(entry: Entry, what: Adding, lines: Sequence[str]) -> bool:
    """Whether an item is read as what it was meant to be, with nothing before it that turns it."""
    text = "\n".join(lines).strip()
    if text.startswith("#"):  # a new phase with its first item
        text = text.partition("\n\n")[2]
    return (
        (bool(what.markdown) or entry.body.strip() == text)
        and entry.kind == what.kind
        and entry.tier == ("hard" if what.kind == "rule" else entry.tier)
        and not entry.lead
        and entry.is_current
    )


def _placed(
    name: str, data: bytes, what: Adding, before: Sequence[Row], now: datetime
) -> Iterator[tuple[list[str], int]]:
    """Yield the lines to add and the line that they precede: the best place first."""
    outline = Outline(name, data)
    heading = _phase(what.phase, outline.headings) if what.phase.strip() else ""
    if what.phase.strip() and not heading:
        yield outline.end().with_blanks([f"## {line(what.phase)}", "", *_item(what, "-", now)])
        return
    current = [row.entry for row in before if row.entry.status not in CLOSED]
    if heading:
        run = outline.under(heading)
    elif what.kind == "task" and current:
        run = outline.holding(current[0].line - 1)
    else:
        run = outline.top()
    for point in outline.points(run, [row.entry.line - 1 for row in before]):
        yield point.with_blanks(_item(what, point.bullet, now))


def _item(what: Adding, bullet: str, now: datetime) -> list[str]:
    if what.markdown:
        first, *rest = what.markdown.strip("\n").split("\n")
        return [" ".join((first, *what.about)) if what.kind == "task" else first, *rest]
    text = item(what.title)
    if what.kind != "task":
        below = ["", *(f"{' ' * (len(bullet) + 1)}{about}" for about in what.about)]
        return [f"{bullet} {text}", *(below if what.about else ())]
    priority = [f"#priority:{what.priority}"] if what.priority else []
    labels = (*priority, *what.about, f"#added:{now.strftime(STAMP)}")
    return [f"{bullet} [ ] {text} {' '.join(labels)}"]


def _phase(wanted: str, headings: Sequence[str]) -> str:
    """Return the heading that is meant, by how it begins, empty for a new one; or UsageError."""

    def fold(text: str) -> str:
        return " ".join(text.casefold().split())

    def is_misspelt(heading: str) -> bool:
        """Whether the two may be one: never of another number."""
        return (
            _NUMBER.findall(folded) == _NUMBER.findall(heading)
            and fuzz.ratio(folded, heading) >= _MISSPELT
        )

    folded = fold(wanted)
    same = [heading for heading in headings if fold(heading) == folded]
    begun = [
        heading
        for heading in dict.fromkeys(headings)
        if fold(heading).startswith(folded)
        and not fold(heading)[len(folded) : len(folded) + 1].isalnum()
    ]
    if same or len(begun) == 1:
        return (same or begun)[0]
    near = begun or [heading for heading in headings if is_misspelt(fold(heading))]
    if near:
        names = ", ".join(f"“{heading}”" for heading in dict.fromkeys(near))
        raise UsageError(
            f"--phase: “{line(wanted)}” may be {names}",
            "give its whole name, or a new phase a name of its own",
        )
    return ""


class Point(NamedTuple):
    """A place for lines between those of a file."""

    line: int  # the line, counted from 0, that comes behind
    before: bool  # whether a blank line belongs before
    after: bool  # whether a blank line belongs behind
    bullet: str = "-"  # how items are marked there

    def with_blanks(self, lines: Sequence[str]) -> tuple[list[str], int]:
        """Return ``lines`` with the blank ones that belong here, and the line they precede."""
        return [*([""] if self.before else []), *lines, *([""] if self.after else [])], self.line


class Outline:
    """A file's headings and the blocks below each: where a new item of a list may be."""

    def __init__(self, name: str, data: bytes) -> None:
        text = frontmatter.split(shorten_lines(normalise(decode(name, data)[0]))[0]).text
        self._stem = name.rpartition(".")[0].casefold()
        self._lines = text.split("\n")
        if self._lines[-1] == "":
            self._lines.pop()
        every = [
            each._replace(start=each.start + chunk.start, end=each.end + chunk.start)
            for chunk in chunks(text)
            for each in blocks(chunk.text)
        ]
        self._runs = [run for run in by_heading(every) if run]

    @property
    def headings(self) -> list[str]:
        """The texts of all headings, in their order."""
        return [name for name in map(_name, self._runs) if name]

    def under(self, heading: str) -> list[Block]:
        """Return ``heading`` and its blocks, up to the next heading."""
        return next(run for run in self._runs if _name(run) == heading)

    def holding(self, line: int) -> list[Block]:
        """Return the heading above ``line``, counted from 0, and its blocks."""
        below = [run for run in self._runs if run[0].start <= line]
        return below[-1] if below else []

    def top(self) -> list[Block]:
        """Return the blocks above all groups: under the title of the file, or no heading."""
        titles = [run for run in self._runs if run[0].kind == "heading" and run[0].level == 1]
        first = self._runs[0] if self._runs else []
        ahead = [run for run in self._runs[:2] if run in titles[:1]]
        if ahead and (len(titles) == 1 or _name(ahead[0]).casefold() == self._stem):
            return ahead[0]
        return first if first and first[0].kind != "heading" else []

    def points(self, run: Sequence[Block], lines: Sequence[int]) -> Iterator[Point]:
        """Yield where an item may be added to ``run``, the best place first.

        Before lists with entries on one of the ``lines``; the caller sees whether words lead
        into a list, and so into the item. Then at the end, and right behind the heading, with its
        comments or before them. Last comes the end of the file.
        """
        for each in run:
            if each.kind == "list" and any(each.start <= line < each.end for line in lines):
                yield self._before(each)
        if run:
            yield self._at(self._last_line(run[-1]) + 1)
            lead = next(
                (n for n, each in enumerate(run) if each.kind not in ("heading", "comment")),
                len(run),
            )
            yield self._at(self._last_line(run[lead - 1]) + 1 if lead else run[0].start)
            if run[0].kind == "heading":  # a comment may be about what follows it
                yield self._at(self._last_line(run[0]) + 1)
        else:
            yield self._at(self._runs[0][0].start if self._runs else len(self._lines))
        yield self.end()

    def end(self) -> Point:
        """Return the end of the file."""
        return self._at(len(self._lines))

    def _before(self, block: Block) -> Point:
        bullet = _BULLET.match(self._lines[block.start].lstrip())
        loose = False
        if len(block.items) > 1:  # which are counted from elsewhere
            second = block.start + block.items[1].start - block.items[0].start
            loose = not self._lines[second - 1].strip()
        above = self._lines[block.start - 1] if block.start else ""
        before = bool(above.strip()) and not above.lstrip().startswith("#")
        return Point(block.start, before, loose, bullet[1] if bullet else "-")

    def _at(self, line: int) -> Point:
        before = line > 0 and bool(self._lines[line - 1].strip())
        after = line < len(self._lines) and bool(self._lines[line].strip())
        return Point(line, before, after)

    def _last_line(self, block: Block) -> int:
        last = block.end - 1
        while last > block.start and not self._lines[last].strip():
            last -= 1
        return last


def _name(run: Sequence[Block]) -> str:
    return group_of(list(run)).strip()

"""Change the status of a task: its check box and its labels, and nothing else of the file."""

from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

from ctx.app.editing import HOMES, Row, bytes_of, masked, named, only_one_other, rows
from ctx.app.lookup import one
from ctx.app.workspace import Workspace
from ctx.config import Settings
from ctx.edit.change import Target, change
from ctx.edit.lines import Lines
from ctx.edit.tasks import State, marked
from ctx.errors import FileError, UsageError
from ctx.model import Entry
from ctx.read import files
from ctx.read.card import Card
from ctx.read.tasks import TASKS
from ctx.text.secrets import find, mask

STATUS: dict[State, str] = {
    "done": "done", "start": "in-progress", "block": "blocked", "skip": "skipped", "todo": "",
}  # fmt: skip
"""What a task is read as then."""


_HOME = HOMES["task"]


_DEEPEST = 20
"""Levels of sub-tasks that are looked into."""


class Marked(NamedTuple):
    """A task, before and after."""

    id: str
    """Of a sub-task its file and line."""
    title: str
    file: str
    line: int
    """Counted from 1."""
    status: str
    """As ``Entry.status``: empty for an open one."""
    before: str
    """Its line as it was."""
    after: str
    """Its line as it is now: the same where it said so already."""
    changed: bool
    """Whether anything was written."""


class _Task(NamedTuple):
    """A task, or a task below one."""

    entry: Entry
    place: int
    """Of the entry that it is, or is a part of, in its file."""
    is_sub: bool


class _Held(NamedTuple):
    """A file of tasks."""

    rows: Sequence[Row]
    tasks: Sequence[_Task]
    lines: Lines


def mark(workspace: Workspace, wanted: str, state: State) -> dict[str, object]:
    """Let the task that ``wanted`` names say ``state``; return it with its line before and after.

    Nothing is written where it says so already. Raises UsageError where no task is named, or where
    it may be several; FileError where the file cannot be read or written, or where its one line
    cannot say it. Keys are the fields of ``Marked``.
    """
    root, settings = workspace.root, workspace.settings
    found = [
        (target, task, shown)
        for target in _targets(root, settings)
        for task, shown in _with_shown(target, settings)
    ]
    if not found:
        raise UsageError(f"{_HOME.file}: holds no task", "`ctx add task TITLE` adds one")
    chosen = one(wanted, [shown for _, _, shown in found], "task")
    target, entry = next((target, task.entry) for target, task, shown in found if shown is chosen)
    if entry.status == STATUS[state]:  # nothing needs to be writable
        line = _held(target, bytes_of(target, settings)).lines.texts[entry.line - 1]
        return _shown(_told(entry, state, line, line), chosen, settings)
    done: list[dict[str, object]] = []

    def make(data: bytes | None) -> bytes | None:
        after, told = _with_mark(target, data or b"", entry, state)
        done[:] = [told]
        return after

    change(target, make)
    return _shown(done[0], chosen, settings)


def _with_shown(target: Target, settings: Settings) -> Iterator[tuple[_Task, Entry]]:
    """Yield the tasks of a file, each with the entry as ctx shows it: without its secrets."""
    data = bytes_of(target, settings)
    tasks = _held(target, data).tasks
    if settings.allow_secrets or not any(find(task.entry.body) for task in tasks):
        yield from ((task, task.entry) for task in tasks)
        return
    shown = {task.entry.line: task.entry for task in _held(target, data, redact_secrets=True).tasks}
    yield from ((task, shown.get(task.entry.line) or masked(task.entry)) for task in tasks)


def _shown(told: dict[str, object], entry: Entry, settings: Settings) -> dict[str, object]:
    """Return an answer without secrets, unless they are allowed."""
    if settings.allow_secrets:
        return told
    lines = {name: mask(str(told[name])) for name in ("before", "after")}
    return {**told, **lines, "id": entry.id, "title": entry.title}


def _told(entry: Entry, state: State, before: str, after: str) -> dict[str, object]:
    return Marked(
        entry.id, entry.title, entry.source, entry.line, STATUS[state], before, after,
        before != after,
    )._asdict()  # fmt: skip


def _with_mark(
    target: Target, data: bytes, wanted: Entry, state: State
) -> tuple[bytes | None, dict[str, object]]:
    """Return the file as it is to be, None where it says so already, and what becomes of a line."""
    held = _held(target, data)
    found = [
        task for task in held.tasks
        if (task.entry.id, task.entry.title) == (wanted.id, wanted.title)
    ]  # fmt: skip
    if len(found) != 1:
        raise FileError(f"{target.path}: changed meanwhile: nothing was written", "try again")
    task = found[0]
    number = task.entry.line - 1
    before = held.lines.texts[number]
    if task.entry.status == STATUS[state]:
        return None, _told(task.entry, state, before, before)
    line = marked(before, state)
    after = held.lines.replaced(number, line)
    if not line or not _is_right(held, _held(target, after), task, state):
        raise FileError(
            f"{target.path}:{number + 1}: nothing was written: "
            f"that line alone cannot say {state!r}",
            "a label of it may stand in a line below; change it by hand",
        )
    return after, _told(task.entry, state, before, line)


def _is_right(had: _Held, has: _Held, task: _Task, state: State) -> bool:
    """Whether only that task is read otherwise, and as what it was meant to be."""
    if only_one_other(had.rows, has.rows) != task.place or len(had.tasks) != len(has.tasks):
        return False
    at = had.tasks.index(task)
    for number, (old, new) in enumerate(zip(had.tasks, has.tasks, strict=True)):
        status = STATUS[state] if number == at else old.entry.status
        above = task.is_sub and number < at and old.place == task.place
        if old.entry.title != new.entry.title:
            return False
        # To readers the labels of a task below are labels of those above it, too.
        if new.entry.status != status and not above:
            return False
    return True


def _targets(root: str, settings: Settings) -> list[Target]:
    """Return the files of tasks, spelled as they are there."""
    try:
        names = [name for name in files.names(root) if name.lower() == _HOME.file.lower()]
    except OSError as error:
        raise FileError(f"{root}: cannot be read: {error.strerror}") from error
    return [named(root, name, settings) for name in names]


def _held(target: Target, data: bytes, *, redact_secrets: bool = False) -> _Held:
    found = rows(target.name, _HOME.parser, data, redact_secrets=redact_secrets)
    tasks = [
        task
        for place, row in enumerate(found)
        for task in (_Task(row.entry, place, is_sub=False), *_below(row.entry, place))
    ]
    return _Held(found, tasks, Lines(data))


def _below(entry: Entry, place: int) -> Iterator[_Task]:
    """Yield the tasks in the text of one, those below them included."""
    for line, card in _cards(entry.body, entry.line, _DEEPEST):
        sub = entry._replace(
            id=f"{entry.source}:{line}",
            title=card.title,
            line=line,
            end_line=line + card.body.count("\n"),
            timestamp=card.timestamp,
            status=card.status,
        )
        yield _Task(sub, place, is_sub=True)


def _cards(body: str, line: int, levels: int) -> Iterator[tuple[int, Card]]:
    """Yield the tasks below the first line of ``body``, each with its line in the file."""
    _, _, rest = body.partition("\n")
    if not levels or "[" not in rest:
        return
    for card in TASKS(dedent(rest)):
        below = line + 1 + card.line
        yield below, card
        yield from _cards(card.body, below, levels - 1)

"""Which tasks are ready, and the status of one: its check box and labels, nothing else."""

from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

from ctx.app import editing
from ctx.app.entries import row
from ctx.app.lookup import NAMED, one
from ctx.app.workspace import Workspace
from ctx.config import Settings
from ctx.edit.change import Target, change
from ctx.edit.lines import Lines
from ctx.edit.tasks import State, marked
from ctx.errors import FileError, UsageError
from ctx.model import Context, Entry, JsonObject
from ctx.rank.urgency import by_urgency
from ctx.read.card import Card
from ctx.read.tasks import TASKS
from ctx.text.checkbox import CLOSED
from ctx.text.levels import short_id
from ctx.text.needs import Needs
from ctx.text.secrets import find, mask

STATUS: dict[State, str] = {  # what a task is read as then
    "done": "done", "start": "in-progress", "block": "blocked", "skip": "skipped", "todo": "",
}  # fmt: skip
_HOME = editing.HOMES["task"]
_DEEPEST = 20  # levels of sub-tasks that are looked into


_PRIORITY = ("", "low", "medium", "high")


def work(workspace: Workspace) -> dict[str, list[JsonObject]]:
    """Return the open tasks: ``ready`` ones, whose needs are closed, and ``blocked`` ones.

    Most urgent first, each with ``why`` it is to be taken or waits. What a task needs is as urgent
    as the task; a need that names no task keeps none back. Raises as ``Workspace.read``.
    """
    return workspace.read(_work)


def _work(context: Context) -> dict[str, list[JsonObject]]:
    tasks = [entry for entry in context.entries if entry.kind == "task"]
    needs = Needs(tasks)
    most = {task.id: task.priority for task in tasks}
    heirs = [*tasks]
    while heirs:
        heir = heirs.pop()
        for need in needs.open(heir):
            if most[need.id] < most[heir.id]:
                most[need.id] = most[heir.id]
                heirs.append(need)
    found: dict[str, list[JsonObject]] = {"ready": [], "blocked": []}
    own = {task.id: task for task in tasks}
    for scored in by_urgency(task._replace(priority=most[task.id]) for task in tasks):
        task = own[scored.entry.id]
        waits = needs.open(task)
        is_ready = not waits and task.status != "blocked"
        why = _why(task, needs) if is_ready else f"needs {_titles(waits)}"
        shown: JsonObject = {**row(task)._asdict(), "number": short_id(task.id)}
        shown["needs"] = [need.id for need in waits]
        shown["why"] = why if waits or is_ready else "is marked as blocked"
        found["ready" if is_ready else "blocked"].append(shown)
    return found


def _titles(tasks: Sequence[Entry]) -> str:
    return ", ".join(f"“{task.title}”" for task in tasks[:NAMED])


def _why(task: Entry, needs: Needs) -> str:
    waiting = _titles(needs.waiting.get(task.id, ()))
    reasons = (
        task.status.replace("-", " "),
        f"{_PRIORITY[task.priority]} priority" if task.priority else "",
        f"needed by {waiting}" if waiting else "",
        "what it needs is closed" if needs.of(task)[0] else "",
    )
    return ", ".join(filter(None, reasons)) or "no other open task is more urgent"


class Marked(NamedTuple):
    """A task, before and after."""

    id: str  # of a sub-task its file and line
    title: str
    file: str
    line: int  # counted from 1
    status: str  # as ``Entry.status``: empty for an open one
    before: str  # its line as it was
    after: str  # its line as it is now: the same where it said so already
    changed: bool  # whether anything was written
    ready: tuple[str, ...] = ()  # ids of the tasks that waited for this one alone


class _Task(NamedTuple):
    entry: Entry
    place: int  # of the entry that it is, or is a part of, in its file
    is_sub: bool


class _File(NamedTuple):
    rows: Sequence[editing.Row]
    tasks: Sequence[_Task]
    lines: Lines


def mark(workspace: Workspace, wanted: str, state: State) -> Marked:
    """Give the task that ``wanted`` names the status ``state``; return it, before and after.

    Nothing is written where it has that status. Raises UsageError where no task is named, or where
    several may be meant; FileError where the file cannot be read or written, or where its one line
    cannot say it.
    """
    root, settings = workspace.root, workspace.settings
    tasks = [
        (target, task, shown)
        for name in editing.spellings(root, _HOME.file)
        for target in (editing.named(root, name, settings, workspace.links),)
        for task, shown in _with_shown(target, settings)
    ]
    if not tasks:
        raise UsageError(f"{_HOME.file}: holds no task", "`ctx add task TITLE` adds one")
    chosen = one(wanted, [shown for _, _, shown in tasks], "task")
    target, entry = next((target, task.entry) for target, task, shown in tasks if shown is chosen)
    marks: list[Marked] = []

    def make(data: bytes | None) -> bytes | None:
        after, mark = _with_mark(target, data or b"", entry, state)
        marks[:] = [mark]
        return after

    if entry.status == STATUS[state]:  # nothing needs to be writable
        line = _read(target, editing.bytes_of(target, settings)).lines.texts[entry.line - 1]
        marks = [_marked(entry, state, line, line)]
    else:
        change(target, make)
        workspace.store.trust()
    marked = marks[0]
    if marked.changed and chosen.is_current and STATUS[state] in CLOSED:
        needs = Needs(shown for _, task, shown in tasks if not task.is_sub)
        waited = needs.waiting.get(chosen.id, ())
        marked = marked._replace(ready=tuple(e.id for e in waited if len(needs.open(e)) == 1))
    if settings.allow_secrets:
        return marked
    before, after = mask(marked.before), mask(marked.after)
    return marked._replace(before=before, after=after, id=chosen.id, title=chosen.title)


def _with_shown(target: Target, settings: Settings) -> Iterator[tuple[_Task, Entry]]:
    """Yield the tasks of a file, each with the entry as ctx shows it: without its secrets."""
    data = editing.bytes_of(target, settings)
    tasks = _read(target, data).tasks
    if settings.allow_secrets or not any(find(task.entry.body) for task in tasks):
        yield from ((task, task.entry) for task in tasks)
        return
    shown = {task.entry.line: task.entry for task in _read(target, data, redact_secrets=True).tasks}
    yield from ((task, shown.get(task.entry.line) or editing.masked(task.entry)) for task in tasks)


def _marked(entry: Entry, state: State, before: str, after: str) -> Marked:
    return Marked(
        entry.id, entry.title, entry.source, entry.line, STATUS[state], before, after,
        before != after,
    )  # fmt: skip


def _with_mark(
    target: Target, data: bytes, wanted: Entry, state: State
) -> tuple[bytes | None, Marked]:
    """Return the file as it is to be, None where it says so already, and what becomes of a line."""
    file = _read(target, data)
    same = [
        task for task in file.tasks
        if (task.entry.id, task.entry.title) == (wanted.id, wanted.title)
    ]  # fmt: skip
    if len(same) != 1:
        raise FileError(f"{target.path}: changed meanwhile: nothing was written", "try again")
    task = same[0]
    number = task.entry.line - 1
    before = file.lines.texts[number]
    if task.entry.status == STATUS[state]:
        return None, _marked(task.entry, state, before, before)
    line = marked(before, state)
    after = file.lines.replaced(number, line)
    if not line or not _is_right(file, _read(target, after), task, state):
        raise FileError(
            f"{target.path}:{number + 1}: nothing was written: "
            f"that line alone cannot show {state!r}",
            "a label of it may be in a line below; change it by hand",
        )
    return after, _marked(task.entry, state, before, line)


def _is_right(old: _File, new: _File, task: _Task, state: State) -> bool:
    """Whether only that task is read otherwise, and as what it was meant to be."""
    if editing.only_one_other(old.rows, new.rows) != task.place or len(old.tasks) != len(new.tasks):
        return False
    at = old.tasks.index(task)
    for number, (was, now) in enumerate(zip(old.tasks, new.tasks, strict=True)):
        status = STATUS[state] if number == at else was.entry.status
        above = task.is_sub and number < at and was.place == task.place
        # To readers the labels of a task below are labels of those above it, too.
        if was.entry.title != now.entry.title or (now.entry.status != status and not above):
            return False
    return True


def _read(target: Target, data: bytes, *, redact_secrets: bool = False) -> _File:
    entries = editing.rows(target.name, _HOME.parser, data, redact_secrets=redact_secrets)
    tasks = [
        task
        for place, row in enumerate(entries)
        for task in (_Task(row.entry, place, is_sub=False), *_below(row.entry, place))
    ]
    return _File(entries, tasks, Lines(data))


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

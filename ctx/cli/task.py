"""``ctx task``: what is ready, and the check box and the labels of one line."""

from collections.abc import Iterator

from ctx.app.options import PacketOptions
from ctx.app.task import Marked, mark, work
from ctx.app.workspace import Workspace
from ctx.cli.app import MARKS
from ctx.cli.options import Function, taking
from ctx.cli.terminal import write_answer
from ctx.config import whole_number
from ctx.edit.tasks import State
from ctx.model import JsonObject
from ctx.streams import complain, write_json, write_lines
from ctx.text.levels import short_id
from ctx.world import World

_WORDS = {"": "open", "in-progress": "in progress"}  # how people call these statuses
_DONE = """\
Where words may mean several tasks none is changed. Exit codes:
0 done, also where it was so already, 2 usage, no task matches, or several do, 4 no context
directory, 6 a file that cannot be read or written.
"""
_CODES = """\
Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
file that cannot be read or written.
"""


def _command(state: State) -> Function:
    @taking("dir", "json")
    def command(options: PacketOptions, words: list[str], *, json: bool = False) -> None:
        marked = mark(Workspace(options, World()), " ".join(words), state)
        write_answer(marked._asdict(), _lines(marked), as_json=json)

    command.__doc__ = f"{MARKS[state]}\n\n{_DONE if state == 'done' else _CODES}"
    return command


done, start, block, skip, todo = map(_command, MARKS)


def _lines(marked: Marked) -> Iterator[str]:
    word = _WORDS.get(marked.status, marked.status)
    already = "" if marked.changed else " already"
    yield f"{marked.file}:{marked.line} is {word}{already}: {marked.title}"
    if marked.changed:
        yield f"  was  {marked.before.strip()}"
    yield f"  now  {marked.after.strip()}"
    for id_ in marked.ready:
        yield f"  ready {short_id(id_)}  {id_}"


@taking("limit", "dir", "json")
def ready(options: PacketOptions, *, limit: str | None = None, json: bool = False) -> None:
    """List the open tasks whose needs are closed, the one to take first, and why.

    In progress first, then by priority, its own or that of a task that needs it, then the newest.
    `#needs:ID` in the line of a task or `needs: ID_OR_TITLE` below it names what it needs. Exit
    codes: 0 success, also where none is ready, 2 usage, 4 no context directory, 6 unreadable
    directory.
    """
    most = whole_number("--limit", limit, least=1) if limit is not None else None
    _show(options, most, json=json)


def _show(options: PacketOptions, most: int | None, *, json: bool) -> None:
    found = work(Workspace(options, World()))
    found["ready"] = found["ready"][:most]
    if json:
        write_json({**found})
    else:
        write_lines(map(_line, found["ready"]))
        if not found["ready"]:
            complain("no task is ready: `ctx add task TITLE` adds one")
        for task in () if found["ready"] else found["blocked"][:3]:
            complain(_line(task))


@taking("dir", "json")
def next(options: PacketOptions, *, json: bool = False) -> None:  # noqa: A001 - the command's name
    """Show the task to take, the first of `ctx task ready`, and why.

    Exit codes: 0 success, also where none is ready, 2 usage, 4 no context directory, 6 unreadable
    directory.
    """
    _show(options, 1, json=json)


def _line(task: JsonObject) -> str:
    return "{number}  {title} ({file}:{line}): {why}".format(**task)

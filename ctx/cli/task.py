"""``ctx task``: the check box and the labels of one line, and nothing else of the file."""

from collections.abc import Iterator
from typing import Annotated

import typer

from ctx.app.options import PacketOptions
from ctx.app.task import Marked, mark
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.edit.tasks import State
from ctx.errors import OK
from ctx.streams import write_json, write_lines
from ctx.world import World

Words = Annotated[
    list[str], typer.Argument(metavar="ID_OR_WORDS...", help="Its id, FILE:LINE, title or words.")
]
_WORDS = {"": "open", "in-progress": "in progress"}
"""How people call a status, where that is not its name."""


@taking("dir", "json")
def done(options: PacketOptions, words: Words, *, json: bool = False) -> int:
    """Tick a task: `[x]`.

    Where words may mean several tasks none is changed. Exit codes:
    0 done, also where it was so already, 2 usage, no task matches, or several do, 4 no context
    directory, 6 a file that cannot be read or written.
    """
    return _mark("done", words, options, as_json=json)


@taking("dir", "json")
def start(options: PacketOptions, words: Words, *, json: bool = False) -> int:
    """Mark a task as in progress: `#in-progress`.

    Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
    file that cannot be read or written.
    """
    return _mark("start", words, options, as_json=json)


@taking("dir", "json")
def block(options: PacketOptions, words: Words, *, json: bool = False) -> int:
    """Mark a task as blocked: `#blocked`.

    Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
    file that cannot be read or written.
    """
    return _mark("block", words, options, as_json=json)


@taking("dir", "json")
def skip(options: PacketOptions, words: Words, *, json: bool = False) -> int:
    """Mark a task as one that will not be done: `[-]`.

    Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
    file that cannot be read or written.
    """
    return _mark("skip", words, options, as_json=json)


@taking("dir", "json")
def todo(options: PacketOptions, words: Words, *, json: bool = False) -> int:
    """Open a task again: an empty box, no label.

    Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
    file that cannot be read or written.
    """
    return _mark("todo", words, options, as_json=json)


def _mark(state: State, words: list[str], options: PacketOptions, *, as_json: bool) -> int:
    marked = mark(Workspace(options, World()), " ".join(words), state)
    if as_json:
        write_json(marked._asdict())
    else:
        write_lines(_lines(marked))
    return OK


def _lines(marked: Marked) -> Iterator[str]:
    word = _WORDS.get(marked.status, marked.status)
    already = "" if marked.changed else " already"
    yield f"{marked.file}:{marked.line} is {word}{already}: {marked.title}"
    if marked.changed:
        yield f"  was  {marked.before.strip()}"
    yield f"  now  {marked.after.strip()}"

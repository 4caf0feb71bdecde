"""``ctx task``: the check box and the labels of one line, and nothing else of the file."""

from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from ctx.app.options import PacketOptions
from ctx.app.task import Marked, mark
from ctx.app.workspace import Workspace
from ctx.cli.app import MARKS
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
_DONE = """\
Where words may mean several tasks none is changed. Exit codes:
0 done, also where it was so already, 2 usage, no task matches, or several do, 4 no context
directory, 6 a file that cannot be read or written.
"""
_CODES = """\
Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
file that cannot be read or written.
"""


def _command(state: State) -> Callable[..., int]:
    @taking("dir", "json")
    def command(options: PacketOptions, words: Words, *, json: bool = False) -> int:
        marked = mark(Workspace(options, World()), " ".join(words), state)
        if json:
            write_json(marked._asdict())
        else:
            write_lines(_lines(marked))
        return OK

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

"""Adding, marking, showing and listing entries, as typer knows it.

A command's own module is imported when it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ctx.app.find import find
from ctx.app.options import PacketOptions
from ctx.cli import options
from ctx.world import World

if TYPE_CHECKING:
    from ctx.app.workspace import Workspace
    from ctx.edit.tasks import State

Dir = Annotated[str | None, options.DIR]
Json = Annotated[bool, options.JSON]
Words = Annotated[
    list[str], typer.Argument(metavar="ID_OR_WORDS...", help="Its id, FILE:LINE, title or words.")
]


def add(  # noqa: PLR0913 - one parameter an option is typer's way
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="decision, learning, task, convention or rule.")
    ] = "",
    title: Annotated[
        str, typer.Argument(metavar="TITLE", help="One line; of an item of a list all of it.")
    ] = "",
    *,
    context: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What led to it (decision, learning).")
    ] = None,
    decision: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What was decided (decision).")
    ] = None,
    rationale: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why (decision).")
    ] = None,
    consequence: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What follows from it (decision).")
    ] = None,
    lesson: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What was found out (learning).")
    ] = None,
    application: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What to do about it (learning).")
    ] = None,
    supersedes: Annotated[
        str, typer.Option(metavar="ID_OR_WORDS", help="The entry that it replaces, marked so.")
    ] = "",
    phase: Annotated[
        str,
        typer.Option(
            "--phase", "--under", metavar="NAME", help="Heading of a task, convention or rule."
        ),
    ] = "",
    priority: Annotated[
        str, typer.Option(metavar="LEVEL", help="Of a task: high, medium or low.")
    ] = "",
    edit: Annotated[
        bool, typer.Option("--edit", help="Write it in the editor that VISUAL or EDITOR names.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Add it although an entry says the same.")
    ] = False,
    dir_: Dir = None,
    json: Json = False,
) -> int:  # fmt: skip
    """Add an entry, newest first, and change nothing else in its file.

    A decision has a context, a decision, a rationale and a consequence; a learning a context, a
    lesson and an application. A part that is not given is asked for on a terminal and an
    error in a pipe; "" leaves it empty. An entry that repeats another is asked about, and refused
    in a pipe. A task goes to the first phase with open tasks, a convention or rule above all
    groups; a missing file is created. Exit codes: 0 added, 2 usage, or it repeats an
    entry, 4 no context directory, 6 a file that cannot be read or written.
    """
    from ctx.app.addable import Adding
    from ctx.cli.add_asking import Options, run

    given = {
        "context": context, "decision": decision, "rationale": rationale,
        "consequence": consequence, "lesson": lesson, "application": application,
    }  # fmt: skip
    parts = {name: text for name, text in given.items() if text is not None}
    what = Adding(
        kind.strip().lower(), title, parts, supersedes, phase, priority.strip().lower(),
        force=force,
    )  # fmt: skip
    return run(_workspace(dir_), what, Options(edit, as_json=json))


def _workspace(dir_: str | None) -> Workspace:
    from ctx.app.workspace import Workspace  # the rooms: only once a command runs

    return Workspace(PacketOptions(dir=dir_), World())


def show(words: Words, *, dir_: Dir = None, json: Json = False) -> int:
    """Show one entry: id, source, status, links and text.

    Entries are looked through first, then turns and summaries, then the archive. Exit codes:
    0 success, 2 usage, nothing matches, or several do, 4 no context directory, 6 unreadable
    directory.
    """
    from ctx.cli.show import run

    return run(_workspace(dir_), " ".join(words), as_json=json)


def list_(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="decisions, tasks, turns, …, or sessions.")
    ],
    *,
    status: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="open, todo, in-progress, done, superseded, …"),
    ] = None,
    limit: Annotated[str | None, typer.Option(metavar="N", help="Most entries.")] = None,
    dir_: Dir = None,
    json: Json = False,
) -> int:
    """List the entries of one kind: id, date, status and title.

    Dated entries come newest first, the others as in their files. Exit codes: 0 success,
    also where there are none, 2 usage, 4 no context directory, 6 unreadable directory.
    """
    if kind.strip().lower() in ("session", "sessions"):
        from ctx.cli.session.list_ import run as run_sessions

        world = World()
        return run_sessions(find(dir_ or "", world), world, as_json=json)
    from ctx.app.entries import Options
    from ctx.cli.list_ import run

    return run(_workspace(dir_), Options(kind, status, limit, as_json=json))


task = typer.Typer(
    name="task",
    help="Change the status of a task: its check box and its labels, nothing else.",
    epilog="Example: ctx task done 'return labels'",
    rich_markup_mode=None,
)


def _mark(state: State, words: list[str], dir_: str | None, *, json: bool) -> int:
    from ctx.cli.task import run

    return run(_workspace(dir_), " ".join(words), state, as_json=json)


@task.command(epilog="Example: ctx task done 'return labels'")
def done(words: Words, *, dir_: Dir = None, json: Json = False) -> int:
    """Tick a task: `[x]`.

    Where words may mean several tasks none is changed. Exit codes:
    0 done, also where it was so already, 2 usage, no task matches, or several do, 4 no context
    directory, 6 a file that cannot be read or written.
    """
    return _mark("done", words, dir_, json=json)


@task.command(epilog="Example: ctx task start 'return labels'")
def start(words: Words, *, dir_: Dir = None, json: Json = False) -> int:
    """Mark a task as in progress: `#in-progress`.

    Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
    file that cannot be read or written.
    """
    return _mark("start", words, dir_, json=json)


@task.command(epilog="Example: ctx task block 'return labels'")
def block(words: Words, *, dir_: Dir = None, json: Json = False) -> int:
    """Mark a task as blocked: `#blocked`.

    Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
    file that cannot be read or written.
    """
    return _mark("block", words, dir_, json=json)


@task.command(epilog="Example: ctx task skip 'return labels'")
def skip(words: Words, *, dir_: Dir = None, json: Json = False) -> int:
    """Mark a task as one that will not be done: `[-]`.

    Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
    file that cannot be read or written.
    """
    return _mark("skip", words, dir_, json=json)


@task.command(epilog="Example: ctx task todo 'return labels'")
def todo(words: Words, *, dir_: Dir = None, json: Json = False) -> int:
    """Open a task again: an empty box, no label.

    Exit codes: 0 done, 2 usage, no task matches, or several do, 4 no context directory, 6 a
    file that cannot be read or written.
    """
    return _mark("todo", words, dir_, json=json)

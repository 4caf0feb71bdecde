"""``ctx session``: turns of past sessions. A command's own module is imported when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from ctx.cli.find import find
from ctx.cli.world import World

app = typer.Typer(
    name="session",
    help="Import transcripts of sessions, list them and show them.",
    epilog="Example: ctx session list",
    rich_markup_mode=None,
)

Dir = Annotated[
    str | None,
    typer.Option(
        "--dir",
        metavar="DIR",
        help="Context directory or its project; else .context/ here or above.",
    ),
]


@app.command("import", epilog="Example: ctx session import transcript.jsonl")
def import_(
    *,
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Transcripts; - reads standard input.")
    ],
    session: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Session of turns that name none (default: file name)."),
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help="ctx or claude-code (default: seen by its shape)."
        ),
    ] = None,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> int:
    """Store the turns of transcripts under .context/sessions/, none twice.

    Importing a file again adds only what is new in it. Lines that are no turns are kept in
    sessions/aside/ and named on standard error. A file that cannot be imported does not
    stop the others: each is named, and the highest code is the result. Exit codes:
    0 imported, 2 usage, a file of unknown form or a turn of no session (what stands before
    it is stored), 4 no context directory, 6 a file that is not there, is a folder, or
    cannot be read or written.
    """
    from ctx.cli.session.import_ import Options, run

    world = World()
    options = Options(find(dir_ or "", world), session, format_ or "", as_json=json)
    return run(sources, options, world)


@app.command("list", epilog="Example: ctx session list --json")
def list_(
    *,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> int:
    """List the stored sessions, newest first: turns, first and last time, bytes."""
    from ctx.cli.session.list_ import run

    return run(find(dir_ or "", World()), as_json=json)


@app.command("show", epilog="Example: ctx session show fix-login --json")
def show(
    *,
    session: Annotated[
        str, typer.Argument(metavar="ID", help="A stored session, or how its id begins.")
    ],
    turn: Annotated[
        str | None, typer.Option(metavar="ID", help="Only the turn of this id.")
    ] = None,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write the lines as stored.")] = False,
) -> int:
    """Show the turns of a stored session, oldest first, each quoted in a fence."""
    from ctx.cli.session.show import run

    world = World()
    return run(find(dir_ or "", world), session, turn, world, as_json=json)


@app.command("tail", epilog="Example: ctx session tail fix-login --budget 4000")
def tail(
    *,
    session: Annotated[
        str, typer.Argument(metavar="ID", help="A stored session, or how its id begins.")
    ],
    budget: Annotated[
        str | None,
        typer.Option(metavar="TOKENS", help="Budget of the packet (default: 8000)."),
    ] = None,
    strict: Annotated[
        bool | None,
        typer.Option("--strict/--no-strict", help="Exit 5 when the base does not fit."),
    ] = None,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write the lines as stored.")] = False,
) -> int:
    """Show the last turns that a packet for the session says: its base, and more if it fits.

    The base is the last four turns (the setting tail_turns). Exit codes: 0 shown, 2 usage
    or no such session, 4 no context directory, 5 the base does not fit and --strict or
    the settings ask for strictness, 6 a file that cannot be read.
    """
    from ctx.cli.session.tail import run

    world = World()
    root = find(dir_ or "", world)
    flags = {"budget": budget, "dir": dir_, "strict": strict}
    return run(root, session, flags, world, as_json=json)

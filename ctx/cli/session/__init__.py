"""``ctx session``: turns of past sessions. A command's own module is imported when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from ctx.app.find import find
from ctx.app.options import PacketOptions
from ctx.cli import options
from ctx.world import World

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


@app.command(
    "import",
    short_help="Store the turns of transcripts",
    epilog="Example: ctx session import transcript.jsonl",
)
def import_(  # noqa: PLR0913 - one parameter an option is typer's way
    *,
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="Transcripts; - reads standard input."),
    ] = None,
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
    from_repository: Annotated[
        bool,
        typer.Option("--from-repository", help="Move what older versions kept in .context/."),
    ] = False,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> int:
    """Store the turns of transcripts in your state directory, each once.

    Importing a file again adds only what is new in it. Lines that are no turns are kept in
    sessions/aside/ there and named on standard error. A file that cannot be imported does
    not stop the others: each is named, and the highest code is the result.

    --from-repository takes no FILE: it moves the sessions, and their summaries, that older
    versions of ctx kept in .context/sessions/. What is committed, or what differs from a
    session that is stored already, stays there and is named. Exit codes: 0 imported,
    2 usage, a file of unknown form or a turn of no session (what stands before it is
    stored), 4 no context directory, 6 a file that is not there, is a folder, or cannot be
    read, written or moved.
    """
    world = World()
    root = find(dir_ or "", world)
    if from_repository:
        from ctx.cli.session.take import run as take

        return take(
            root, [*(sources or ()), *filter(None, (session, format_))], world, as_json=json
        )
    from ctx.cli.session.import_ import Options, run

    return run(sources or (), Options(root, session, format_ or "", as_json=json), world)


@app.command(
    "list",
    short_help="List the stored sessions, newest first",
    epilog="Example: ctx session list --json",
)
def list_(
    *,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> int:
    """List the stored sessions, newest first: turns, first and last time, bytes.

    Exit codes: 0 success, also where there are none, 2 usage, 4 no context directory,
    6 unreadable directory.
    """
    from ctx.cli.session.list_ import run

    world = World()
    return run(find(dir_ or "", world), world, as_json=json)


@app.command(
    "show",
    short_help="Show the turns of a stored session",
    epilog="Example: ctx session show fix-login --json",
)
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
    """Show the turns of a stored session, oldest first, each quoted in a fence.

    Exit codes: 0 shown, 2 usage, or no such session or turn, 4 no context directory, 6 a file
    that cannot be read.
    """
    from ctx.app.session_state import state_of
    from ctx.cli.session.show import run

    world = World()
    state = state_of(find(dir_ or "", world), world)
    return run(state, session, turn, as_json=json)


@app.command(
    "tail",
    short_help="Show the turns that a packet for a session includes",
    epilog="Example: ctx session tail fix-login --budget 4000",
)
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
    """Show the last turns that a packet for the session includes: a base, and more if they fit.

    The base is the last four turns (the setting tail_turns). Exit codes: 0 shown, 2 usage
    or no such session, 4 no context directory, 5 the base does not fit and --strict or
    the settings ask for strictness, 6 a file that cannot be read.
    """
    from ctx.cli.session.tail import run

    world = World()
    root = find(dir_ or "", world)
    options_ = PacketOptions(budget=budget, dir=dir_, strict=strict)
    return run(root, session, options_, world, as_json=json)


_SESSION = Annotated[
    str | None,
    typer.Option(metavar="ID", help="Only this session, or the one whose id begins so."),
]


@app.command(
    "compact",
    short_help="Summarise the turns before the tail",
    epilog="Example: ctx session compact --session fix-login --dry-run",
)
def compact(  # noqa: PLR0913 - one parameter an option is typer's way
    *,
    session: _SESSION = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
    ] = False,
    size: Annotated[
        str | None, typer.Option(metavar="N", help="Turns that a summary stands for (default: 20).")
    ] = None,
    summariser: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="extractive, command:PROGRAM or openai:MODEL@URL."),
    ] = None,
    embedder: Annotated[str | None, options.EMBEDDER] = None,
    budget: Annotated[
        str | None,
        typer.Option(metavar="TOKENS", help="Budget whose share the tail keeps (default: 8000)."),
    ] = None,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> int:
    """Summarise the turns before the tail; all turns stay, and `ctx session expand` shows them.

    All sessions, unless one is named. An interrupted run continues where it stopped. Exit
    codes: 0 done, also where nothing was to do, 2 usage or no such session, 4 no context
    directory, 6 a file that cannot be read or written, 7 the embedder or the summariser
    cannot be used.
    """
    from ctx.cli.session.compact import Options, run

    world = World()
    asked = Options(session, size, dry_run=dry_run, as_json=json)
    options_ = PacketOptions(summariser=summariser, embedder=embedder, budget=budget, dir=dir_)
    return run(find(dir_ or "", world), asked, options_, world)


@app.command(
    "expand",
    short_help="Show the turns that a summary covers",
    epilog="Example: ctx session expand s1-e102e878e6df --json",
)
def expand(
    *,
    summary: Annotated[
        str, typer.Argument(metavar="ID", help="A summary, or how its id begins; or a turn.")
    ],
    lineage: Annotated[
        bool,
        typer.Option("--lineage", help="Show what it stands for, and what stands for it."),
    ] = False,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write the lines as stored.")] = False,
) -> int:
    """Show the turns that a summary covers, exactly as they are stored.

    Exit codes: 0 shown, 2 usage or no such summary, 4 no context directory, 6 a file that
    cannot be read, or a session that has changed since.
    """
    from ctx.app.session_state import state_of
    from ctx.cli.session.expand import run

    world = World()
    state = state_of(find(dir_ or "", world), world)
    return run(state, summary, lineage=lineage, as_json=json)


@app.command(
    "status",
    short_help="Show turns, tail and summaries of sessions",
    epilog="Example: ctx session status --json",
)
def status(
    *,
    session: _SESSION = None,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> int:
    """Show turns, tail, summaries, compression ratio and mean confidence of sessions.

    Exit codes: 0 success, 2 usage or no such session, 4 no context directory, 6 a file that
    cannot be read.
    """
    from ctx.cli.session.status import run

    world = World()
    return run(find(dir_ or "", world), session, PacketOptions(dir=dir_), world, as_json=json)


@app.command(
    "promote",
    short_help="Propose turns as decisions or learnings",
    epilog="Example: ctx session promote --session fix-login --json",
)
def promote(  # noqa: PLR0913 - one parameter an option is typer's way
    *,
    session: _SESSION = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Accept every proposal without asking.")
    ] = False,
    limit: Annotated[
        str | None, typer.Option(metavar="N", help="Most proposals, best first (default: all).")
    ] = None,
    embedder: Annotated[str | None, options.EMBEDDER] = None,
    dir_: Dir = None,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> int:
    """Propose turns that deserve to become decisions or learnings, and add those you accept.

    On a terminal each is shown with its score: accept, edit or skip. In a pipe nothing is
    added without --yes. Exit codes: 0 done, 2 usage or no such session, 4 no context
    directory, 6 a file that cannot be read or written, 7 the embedder cannot be used.
    """
    from ctx.cli.session.promote import Options, run

    world = World()
    asked = Options(session, limit, yes=yes, as_json=json)
    return run(find(dir_ or "", world), asked, PacketOptions(dir=dir_, embedder=embedder), world)

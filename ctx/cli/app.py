"""The commands as typer knows them: options, help, completion.

A command's own module is imported when it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ctx import __version__
from ctx.app.find import find
from ctx.app.options import PacketOptions
from ctx.cli import hooks, options, packets, session, writing
from ctx.errors import INTERRUPTED, OK, FileError, NoDirectoryError, UsageError
from ctx.streams import silence, write_out
from ctx.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(
    name="ctx",
    cls=options.GroupedCommands,
    help="Pack a Markdown context directory into a packet that keeps its token budget.",
    epilog="Example: ctx agent --budget 8000",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def run(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` name; return its exit code."""
    if any("-completion" in argument for argument in arguments):
        from ctx.cli.shell.teach import teach

        teach()
    try:
        code = app(args=list(arguments) or ["--help"], prog_name="ctx", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except COMPLAINTS as error:
        raise _usage(error) from None
    except SystemExit as end:
        # How typer takes a closed pipe: exit code 1, and wrappers for the streams.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    except BrokenPipeError:
        raise
    except OSError as error:  # help that a full disk does not take
        silence()
        raise FileError(f"standard output: cannot be written: {error.strerror}") from error
    if code == INTERRUPTED:  # what typer makes of Ctrl-C, without a word
        raise KeyboardInterrupt
    return code if isinstance(code, int) else OK


# typer carries a click of its own: the base class of all its complaints is found through
# one that typer exports.
COMPLAINTS: tuple[type[Exception], ...] = tuple(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)


def _usage(error: Exception) -> UsageError:
    """Return typer's complaint as one line with what to try."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "ctx"
    message = getattr(error, "format_message", lambda: str(error))()
    return UsageError(message.rstrip("."), f"see `{path} --help`")


@app.callback()
def _ctx(
    *,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version and exit.", is_eager=True)
    ] = False,
) -> None:
    if version:
        write_out(f"ctx {__version__}\n".encode())
        raise typer.Exit(OK)


app.command(
    short_help="Print the packet that an agent starts from",
    cls=options.GroupedCommand,
    epilog="Example: ctx agent --budget 8000 --query 'retry policy' --format json",
)(packets.agent)


@app.command(short_help="Create a context directory here", epilog="Example: ctx init --minimal")
def init(
    *,
    minimal: Annotated[
        bool, typer.Option("--minimal", help="Only the five files that packets are made from.")
    ] = False,
) -> int:
    """Create a context directory here, or the files that it lacks; overwrites nothing.

    Exit codes: 0 created, also if it was there, 2 usage, 6 a place that cannot be written.
    """
    from ctx.app.init import run as run_init

    world = World()
    above = _above(world)
    code = run_init(world.cwd, minimal=minimal, say=_say)
    if above:
        _say(f"note: {above} is no longer found from here; this one is")
    return code


def _above(world: World) -> str:
    """Return the context directory that calls from here have found so far, if not here."""
    from os.path import dirname, isdir, join

    if not world.cwd or isdir(join(world.cwd, ".context")):
        return ""
    try:
        found = find("", world)
    except NoDirectoryError:
        return ""
    return found if dirname(found) != world.cwd else ""


@app.command(
    short_help="Show what there is, what it costs, what to do first",
    epilog="Example: ctx status --json",
)
def status(
    *,
    dir_: Annotated[str | None, options.DIR] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:
    """Show what the context directory holds, what it costs, and what to do first.

    Exit codes: 0 success, whatever is left to do, 2 usage, 4 no context directory,
    6 unreadable directory.
    """
    from ctx.cli.status import run as run_status

    return run_status(PacketOptions(dir=dir_), World(), as_json=json)


@app.command(
    short_help="Find entries and turns, best first",
    epilog="Example: ctx search 'retry policy' --kind decision,turn --since 90d",
)
def search(  # noqa: PLR0913 - one parameter an option is typer's way
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="What to look for; - reads standard input.")
    ],
    *,
    limit: Annotated[
        str | None, typer.Option(metavar="N", help="Most results (default: 10).")
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(metavar="TOKENS", help="Say results whole, as many as fit into this."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Only decisions, turns, …; again or with commas."),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Nothing older: 2026-11-01, or 30d.")
    ] = None,
    archive: Annotated[
        bool, typer.Option("--archive", help="Also what `ctx archive` has moved to archive/.")
    ] = False,
    json: Annotated[bool, options.JSON] = False,
    ranker: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="lexical, hybrid or discovery (default)."),
    ] = None,
    embedder: Annotated[str | None, options.EMBEDDER] = None,
    dir_: Annotated[str | None, options.DIR] = None,
    tokenizer: Annotated[str | None, options.TOKENIZER] = None,
    as_of: Annotated[str | None, options.AS_OF] = None,
) -> int:  # fmt: skip
    """Find entries and turns, best first, with id, source line, score and a snippet.

    Exit codes: 0 success, also where nothing is found, 2 usage, 4 no context directory,
    6 unreadable directory.
    """
    from ctx.app.search import Options
    from ctx.cli.search import run as run_search

    asked = Options(query, budget, limit, kind or (), since, as_json=json, archive=archive)
    given = PacketOptions(
        dir=dir_, tokenizer=tokenizer, ranker=ranker, embedder=embedder, as_of=as_of
    )
    return run_search(asked, given, World())


@app.command(
    short_help="Index words and vectors now, so that no hook waits",
    epilog="Example: ctx index --embedder static",
    rich_help_panel="Advanced",
)
def index(
    *,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Throw away what there is, and make all of it anew.")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Say how far the index is, and change nothing.")
    ] = False,
    embedder: Annotated[str | None, options.EMBEDDER] = None,
    dir_: Annotated[str | None, options.DIR] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:
    """Index words and vectors now, so that no hook has to wait.

    An interrupted index continues where it stopped. Exit codes: 0 done, 2 usage, 4 no context
    directory, 6 the cache cannot be written, 7 the embedder cannot be used or failed.
    """
    from ctx.cli.index import run as run_index

    given = PacketOptions(dir=dir_, embedder=embedder)
    return run_index(given, World(), rebuild=rebuild, status=status, as_json=json)


@app.command(
    short_help="Show or clear what ctx keeps outside the repository",
    epilog="Example: ctx cache --clear",
)
def cache(
    *,
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove what is cached of this directory.")
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="With --clear: of all directories.")] = False,
    state: Annotated[
        bool,
        typer.Option("--state", help="With --clear: what sessions were sent and imported, too."),
    ] = False,
    dir_: Annotated[str | None, options.DIR] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:
    """Show what ctx keeps, where and how much, or clear it.

    The cache is rebuilt when it is needed. State, such as imported sessions, is not: only --state
    clears it. Exit codes: 0 done, 2 usage, 4 no context directory.
    """
    from ctx.app.cache import Options
    from ctx.cli.cache import run

    asked = Options(dir_ or "", clear=clear, everything=all_, state=state, as_json=json)
    return run(asked, World())


app.command(
    short_help="Add a decision, learning, task, convention or rule",
    epilog="Example: ctx add decision 'Keep carts in Redis' --context '…' --decision '…' "
    "--rationale '…' --consequence ''",
)(writing.add)
app.add_typer(writing.task, short_help="Change the status of a task")
app.command(
    short_help="Show one entry with its links and its status",
    epilog="Example: ctx show 'refunds are bookings'",
)(writing.show)
app.command(
    "list",
    short_help="List the entries of one kind",
    epilog="Example: ctx list tasks --status open",
)(writing.list_)
app.add_typer(session.app, short_help="Import, show and summarise sessions")
app.add_typer(hooks.app, short_help="Install and answer the hooks of agents")


@app.command(
    short_help="Move closed tasks and old entries to archive/",
    epilog="Example: ctx archive --dry-run",
)
def archive(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be moved; change nothing.")
    ] = False,
    older_than: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="Age of superseded entries that go (default: 90)."),
    ] = None,
    dir_: Annotated[str | None, options.DIR] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:
    """Move closed tasks with their phases, and old superseded entries, to archive/, verbatim.

    A phase goes when all its tasks are done or skipped. `ctx search --archive` finds what is
    there. Exit codes: 0 done, also where nothing was to do, 2 usage, 4 no context directory,
    6 a file that cannot be read or written, or that changed meanwhile.
    """
    from ctx.app.archive import Options
    from ctx.cli.archive import run

    asked = Options(older_than, dry_run=dry_run, as_json=json)
    world = World()
    return run(find(dir_ or "", world), asked, world)


@app.command(
    short_help="Show which parts of a document are required rules",
    epilog="Example: ctx tiers AGENTS.md --json",
    rich_help_panel="Advanced",
)
def tiers(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An authored document.")],
    *,
    json: Annotated[bool, options.JSON] = False,
    tokenizer: Annotated[str | None, options.TOKENIZER] = None,
) -> int:
    """Show the tier of each part of an authored document, and what each tier costs.

    Required rules (hard) are always included whole, guidelines (soft) from the top as far as
    their share goes, background (variant) as far as it matters now. Exit codes: 0 success,
    2 usage, 6 a file that is not there or cannot be read.
    """
    from ctx.cli.tiers import run as run_tiers

    return run_tiers(file, PacketOptions(tokenizer=tokenizer), World(), as_json=json)


app.command(
    short_help="Find what is wrong in the directory, and the remedy",
    epilog="Example: ctx check --rule dead-link",
)(packets.check)
app.command(
    short_help="Explain why each entry is in the packet, or is not",
    cls=options.GroupedCommand,
    epilog="Example: ctx explain --budget 4000 --query 'retry policy'",
)(packets.explain)
app.command(
    short_help="Show what a packet would include, with figures",
    rich_help_panel="Advanced",
    cls=options.GroupedCommand,
    epilog="Example: ctx plan --query 'retry policy' --json",
)(packets.plan)
app.command(
    short_help="Advise how much of some content to give to a model",
    rich_help_panel="Advanced",
    epilog="Example: ctx strategy 'compare both designs' --path . --used-tokens 20000",
)(packets.strategy)


@app.command(
    short_help="Serve packets, search and more over MCP", epilog="Example: ctx mcp --http 8321"
)
def mcp(
    port: Annotated[
        str | None, typer.Argument(metavar="[PORT]", help="With --http; else any that is free.")
    ] = None,
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Serve HTTP, for clients on this machine only.")
    ] = False,
    dir_: Annotated[str | None, options.DIR] = None,
) -> int:
    """Serve packets, search and more to any agent that speaks MCP, over standard input and output.

    A host starts it; it ends with its client. Needs the extra `mcp`. Exit codes:
    0 the client went, or Ctrl-C with --http, 2 usage, no SDK, or a port that cannot be had,
    6 standard input or output is closed, 130 Ctrl-C.
    """
    from ctx.mcp.serve import run

    return run(dir_ or "", http=http, port=port)


def _say(line: str) -> None:
    write_out(f"{line}\n".encode("utf-8", "backslashreplace"))

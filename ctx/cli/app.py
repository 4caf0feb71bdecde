"""The table of commands. A command's own module is imported when it is called."""

from collections.abc import Sequence
from typing import Annotated

import typer

from ctx import __version__
from ctx.app.options import OPTIONS, PacketOptions
from ctx.cli import agent as packets
from ctx.cli.options import Command, group, taking
from ctx.edit.tasks import State
from ctx.errors import INTERRUPTED, OK, FileError, UsageError
from ctx.hosts import EXAMPLE
from ctx.streams import silence, write_out
from ctx.world import World

_ADVANCED = "Advanced"
_HOST, _EVENT = EXAMPLE
MARKS: dict[State, str] = {  # what the commands of ``ctx task`` do
    "done": "Tick a task: `[x]`.",
    "start": "Mark a task as in progress: `#in-progress`.",
    "block": "Mark a task as blocked: `#blocked`.",
    "skip": "Mark a task as one that will not be done: `[-]`.",
    "todo": "Open a task again: an empty box, no label.",
}
_TASK = (
    Command("next", "Show the task to take, and why", "ctx task next --json", "task"),
    Command("ready", "List the open tasks that wait for no other", "ctx task ready", "task"),
    *(
        Command(state, text, f"ctx task {state} 'return labels'", "task")
        for state, text in MARKS.items()
    ),
)
_SESSION = (
    Command("import", "Store the turns of transcripts", "ctx session import transcript.jsonl"),
    Command("list", "List the stored sessions, newest first", "ctx session list --json"),
    Command("show", "Show the turns of a stored session", "ctx session show fix-login --json"),
    Command(
        "tail", "Show the turns that a packet for a session includes",
        "ctx session tail fix-login --budget 4000", "session.show",
    ),
    Command(
        "compact", "Summarise the turns before the tail",
        "ctx session compact --session fix-login --dry-run",
    ),
    Command(
        "expand", "Show the turns that a summary covers",
        "ctx session expand s1-e102e878e6df --json",
    ),
    Command("status", "Show turns, tail and summaries of sessions", "ctx session status --json"),
    Command("rules", "List the standing instructions of users", "ctx session rules --all"),
    Command(
        "promote", "Propose turns as decisions or learnings",
        "ctx session promote --session fix-login --json",
    ),
    Command(
        "forget", "Remove stored sessions and what was made of them",
        "ctx session forget --older-than 90d --dry-run",
    ),
)  # fmt: skip
_HOOK = (
    Command(
        "install", "Put hooks of ctx into the settings of an agent",
        f"ctx hook install {_HOST} --dry-run", "hook",
    ),
    Command(
        "uninstall", "Take them out again, and nothing else", f"ctx hook uninstall {_HOST}", "hook",
    ),
    Command(
        "status", "Show which agents call ctx, and what came of it",
        "ctx hook status --json", "hook",
    ),
    Command(
        "run", "Answer the event of a hook",
        f"""echo '{{"prompt": "fix it"}}' | ctx hook run {_HOST} {_EVENT}""", "hook",
    ),
)  # fmt: skip
_SHARE = (
    Command(
        "init", "Make schema and roles on a server, or update them",
        "ctx share init postgresql://admin@db.example.org/memory", "share",
    ),
    Command("grant", "Let a role see a repository", "ctx share grant alice acme/shop", "share"),
    Command("revoke", "Take a grant back", "ctx share revoke alice acme/shop", "share"),
    Command(
        "forget", "Erase a session, an author or a repository there",
        "ctx share forget author:alice", "share",
    ),
    Command("status", "Show what you may see there, and who else may", "ctx share status", "share"),
)  # fmt: skip
_SYNC = (
    Command("push", "Send what has changed of what you share", "ctx sync push --dry-run", "sync"),
    Command("pull", "Fetch what others share", "ctx sync pull --repo acme/payments", "sync"),
    Command("status", "Show what was pushed and pulled", "ctx sync status --json", "sync"),
)  # fmt: skip
COMMANDS: tuple[Command, ...] = (  # the commands, in the order of help
    Command(
        "agent", "Print the packet that an agent starts from",
        "ctx agent --budget 8000 --query 'retry policy' --format json", "app",
    ),
    Command("init", "Create a context directory here", "ctx init --minimal"),
    Command("trust", "Let hooks send what this project's files hold", "ctx trust"),
    Command("status", "Show what there is, what it costs, what to do first", "ctx status --json"),
    Command(
        "search", "Find entries and turns, best first",
        "ctx search 'retry policy' --kind decision,turn --since 90d",
    ),
    Command(
        "index", "Index words and vectors now, so that no hook waits",
        "ctx index --embedder static", panel=_ADVANCED,
    ),
    Command("cache", "Show or clear what ctx keeps outside the repository", "ctx cache --clear"),
    Command(
        "add", "Add a decision, learning, task, convention or rule",
        "ctx add decision 'Keep carts in Redis' --context '…' --decision '…' "
        "--rationale '…' --consequence ''",
    ),
    Command(
        "show", "Show one entry with its links and its status", "ctx show 'refunds are bookings'",
    ),
    Command("list", "List the entries of one kind", "ctx list tasks --status open"),
    Command(
        "trace", "Show which entries and turns cite a file or commit",
        "ctx trace src/cart.py:12",
    ),
    Command(
        "import", "Copy decision records and rules of other tools here",
        "ctx import docs/adr --dry-run",
    ),
    Command(
        "export", "Write the required rules into the file of another tool",
        f"ctx export {_HOST} --check",
    ),
    Command("archive", "Move closed tasks and old entries to archive/", "ctx archive --dry-run"),
    Command(
        "tiers", "Show which parts of a document are required rules",
        "ctx tiers AGENTS.md --json", panel=_ADVANCED,
    ),
    Command("rules", "List the rules that apply to files", "ctx rules src/cart.py --json"),
    Command(
        "check", "Find what is wrong in the directory, and the remedy",
        "ctx check --rule dead-link",
    ),
    Command(
        "explain", "Explain why each entry is in the packet, or is not",
        "ctx explain --budget 4000 --query 'retry policy'",
    ),
    Command(
        "plan", "Show what a packet would include, with figures",
        "ctx plan --query 'retry policy' --json", panel=_ADVANCED,
    ),
    Command(
        "strategy", "Advise how much of some content to give to a model",
        "ctx strategy 'compare both designs' --path . --used-tokens 20000", panel=_ADVANCED,
    ),
    Command("serve", "Show all of it in a browser on this machine", "ctx serve --open"),
    Command("mcp", "Serve packets, search and more over MCP", "ctx mcp --http 8321"),
    Command(
        "task", "Show which task is next, and change their status", "ctx task next",
        about="Show which tasks are ready, and change the status of one: its check box and its "
        "labels, nothing else.",
        commands=_TASK,
    ),
    Command(
        "session", "Import, show and summarise sessions", "ctx session list",
        about="Import transcripts of sessions, list them and show them.", commands=_SESSION,
    ),
    Command(
        "sync", "Push and pull what a team shares", "ctx sync push --dry-run",
        about="Push what a project shares to the team's server, and pull what others share.",
        commands=_SYNC,
    ),
    Command(
        "share", "Set up the team's server, and who sees what", "ctx share status",
        about="Set up the server of a team's memory, and who may see which repository.",
        commands=_SHARE, panel=_ADVANCED,
    ),
    Command(
        "hook", "Install and answer the hooks of agents", f"ctx hook install {_HOST}",
        about="Let agents ask ctx by themselves, at the start of a session and with each prompt.",
        commands=_HOOK,
    ),
)  # fmt: skip

app = typer.Typer(
    name="ctx",
    cls=group(COMMANDS),
    help="Pack a Markdown context directory into a packet that keeps its token budget.",
    epilog="Example: ctx agent --budget 8000",
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


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


@taking(*(option.name for option in OPTIONS), grouped=True)
def agent(options: PacketOptions) -> int:
    """Print the packet an agent starts from, within its token budget.

    The packet goes to standard output, warnings to standard error. Exit codes: 0 success,
    2 usage, 4 no context directory, 5 degraded under --strict, 6 unreadable directory.
    """
    return packets.run(options, World())


def run(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` name; return its exit code."""
    try:
        code = app(args=list(arguments) or ["--help"], prog_name="ctx", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except COMPLAINTS as error:
        raise _usage(error, arguments) from None
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


def _usage(error: Exception, arguments: Sequence[str]) -> UsageError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else _path(arguments)
    message = getattr(error, "format_message", lambda: str(error))()
    return UsageError(message.rstrip("."), f"see `{path} --help`")


def _path(arguments: Sequence[str]) -> str:
    """Return the command that ``arguments`` begin with: a missing value comes without it."""
    words, table = ["ctx"], COMMANDS
    for argument in arguments:
        command = next((one for one in table if one.name == argument), None)
        if command is None:
            break
        words.append(command.name)
        table = command.commands
    return " ".join(words)

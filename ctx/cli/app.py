"""The table of commands, of ``commands.txt``. A command's module is imported when it is called."""

from collections.abc import Sequence
from typing import Annotated, get_args

import typer

from ctx import __version__
from ctx.app.options import OPTIONS, PacketOptions
from ctx.cli import agent as packets
from ctx.cli.options import Command, group, taking
from ctx.edit.tasks import State
from ctx.errors import INTERRUPTED, OK, FileError, UsageError
from ctx.hosts import EXAMPLE
from ctx.streams import silence, write_out
from ctx.text.tables import groups
from ctx.world import World


def _command(
    name: str, text: str, example: str, module: str = "", panel: str = "Commands"
) -> Command:
    host, event = EXAMPLE
    example = example.replace("HOST", host).replace("EVENT", event)
    about, rows = _GROUPS.get(name, ("", []))
    return Command(name, text, example, module, panel, about, tuple(_command(*row) for row in rows))


_GROUPS = groups(__file__, "commands.txt")
COMMANDS = tuple(_command(*row) for row in _GROUPS[""][1])  # in the order of help
MARKS: dict[State, str] = {  # what the commands of ``ctx task`` do
    state: next(text for name, text, *_ in _GROUPS["task"][1] if name == state)
    for state in get_args(State)
}

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

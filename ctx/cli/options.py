"""Tables as typer knows them: options of ``ctx.app.options``, commands that are imported late."""

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, partial, wraps
from importlib import import_module
from typing import Annotated, Any, ClassVar, NamedTuple, get_origin

import typer
from typer import core
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from ctx.app.options import ALL, Option
from ctx.rank import FINDERS, RANKERS
from ctx.text.tables import Group, groups

Function = Callable[..., int | None]
"""What runs a command; it returns an exit code, None for success."""


@cache
def _texts() -> Mapping[str, Group]:
    return groups(__file__, "options.txt")


class Command(NamedTuple):
    """A line of a table of commands."""

    name: str
    help: str  # its line in the list of commands
    example: str
    module: str = ""  # where its function is, below ``ctx.cli``; empty for a module of its own name
    panel: str = "Commands"  # its heading in the list of commands
    about: str = ""  # of a group its help
    commands: tuple["Command", ...] = ()  # of a group


class GroupedCommand(TyperCommand):
    """A command whose help shows its options under the headings that they name."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer's own click
        """Write arguments and options, each group in the order of its first option."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if param.param_type_name == "argument" else "Options"
                heading = getattr(param, "rich_help_panel", None) or usual
                sections.setdefault(heading, []).append(record)
        _write_sections(formatter, sections)


class Commands(TyperGroup):
    """A group of commands; its help is made of the table, which imports none of them."""

    table: ClassVar[tuple[Command, ...]] = ()
    package: ClassVar[str] = ""  # where their modules are below ``ctx.cli``, with a dot behind

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - typer's own
        super().__init__(**attributes)
        self.commands: Mapping[str, Any] = _Loading(self.table, self.package)  # type: ignore[assignment]

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - as above
        """Write a line for each command, each group in the order of its first command."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for command in self.table:
            sections.setdefault(command.panel, []).append((command.name, command.help))
        _write_sections(formatter, sections)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:  # noqa: ANN401 - as above
        """Return the names of commands and options that begin so."""
        commands = [
            core.CompletionItem(command.name, help=command.help)  # type: ignore[attr-defined]
            for command in self.table
            if command.name.startswith(incomplete)
        ]
        return commands + super(TyperGroup, self).shell_complete(ctx, incomplete)


class _Loading(Mapping[str, Any]):
    def __init__(self, table: tuple[Command, ...], package: str) -> None:
        self._package = package
        self._table = {command.name: command for command in table}
        self._loaded: dict[str, TyperCommand | TyperGroup] = {}

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        if name not in self._loaded:
            self._loaded[name] = _load(self._table[name], self._package)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


def _load(command: Command, package: str) -> Any:  # noqa: ANN401 - typer's own click
    epilog = f"Example: {command.example}"
    if command.commands:
        made = typer.Typer(
            name=command.name,
            cls=group(command.commands, f"{command.name}."),
            help=command.about,
            epilog=epilog,
            rich_markup_mode=None,
            add_completion=False,
        )
        made.callback()(lambda: None)
        return get_command(made)
    # The names that Python has itself get an underscore.
    name = f"{command.name}_" if command.name in ("import", "list") else command.name
    module = import_module(f"ctx.cli.{command.module or package + name}")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    run = _told(getattr(module, name), f"{package}{command.name}".replace(".", " "))
    alone.command(command.name, short_help=command.help, cls=GroupedCommand, epilog=epilog)(run)
    return get_command(alone)


def _told(command: Function, called: str) -> Function:
    """Return a command with what ``options.txt`` says of its arguments and options."""
    tables = (_texts().get(key, ("", []))[1] for key in (called.partition(" ")[0], called))
    rows = {row[0].partition("|")[0]: row for table in tables for row in table}

    def parameter(one: inspect.Parameter) -> inspect.Parameter:
        row = rows.get(one.name.rstrip("_").replace("_", "-"))
        if row is None:
            return one
        names, metavar, text = row
        if get_origin(one.annotation) is Annotated:  # an option of the table for all commands
            one.annotation.__metadata__[0].help = _with_names(text)
            return one
        typed: Any = typer.Argument(metavar=metavar, help=text)
        if one.kind is one.KEYWORD_ONLY:
            flags = (f"--{name}" for name in names.split("|"))
            typed = typer.Option(*flags, metavar=metavar or None, help=text)
        return one.replace(annotation=Annotated[one.annotation, typed])

    own = inspect.signature(command, eval_str=True).parameters
    return _taking(wraps(command)(partial(command)), map(parameter, own.values()))


def _taking(command: Function, parameters: Iterable[inspect.Parameter]) -> Function:
    """Return ``command`` with other parameters where typer looks for them."""
    signature = inspect.Signature([*parameters])
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
    return command


def group(table: tuple[Command, ...], package: str = "") -> type[TyperGroup]:
    """Return the class of a group of the commands in ``table`` (see ``Commands.package``)."""
    return type("Group", (Commands,), {"table": table, "package": package})


def _with_names(text: str) -> str:
    """Return a help text with the names that it leaves to the registry of rankers."""
    if "{" not in text:
        return text
    *others, last = RANKERS
    *finders, last_finder = FINDERS
    return text.format(
        rankers=f"{', '.join(others)} or {last}", finders=f"{', '.join(finders)} or {last_finder}"
    )


def _write_sections(formatter: Any, sections: Mapping[str, list[tuple[str, str]]]) -> None:  # noqa: ANN401
    for heading, rows in sections.items():
        with formatter.section(heading):
            formatter.write_dl(rows)


def taking(
    *names: str,
    words: Mapping[str, str] | None = None,
    many: Collection[str] = (),
    grouped: bool = False,
) -> Callable[[Function], Function]:
    """Give a command the options ``names`` of the table, after those of its own.

    One that the command has a parameter for is handed to that parameter, all others as
    ``options``, a record of the type that this parameter names. A parameter of its own among the
    ``names`` comes in their order. ``words`` replaces what is in braces in the help of the
    command; options of ``many`` may be given again. Where they are ``grouped``, help shows them
    under the headings of the table.
    """

    def decorated(command: Function) -> Function:
        own = inspect.signature(command, eval_str=True).parameters
        taken = {_parameter_name(name, own): ALL.get(name) for name in names}
        record = own["options"].annotation if "options" in own else None
        parameters = [one for name, one in own.items() if name not in {"options", *taken}]
        parameters += [
            _parameter(name, option, grouped=grouped, many=option.name in many)
            if option
            else own[name]
            for name, option in taken.items()
        ]

        @wraps(command)
        def run(**given: Any) -> int | None:  # noqa: ANN401 - what typer has read
            apart = {
                option.key: given.pop(name)
                for name, option in taken.items()
                if option and name not in own
            }
            if record:
                given["options"] = record(
                    **{key: None if value == [] else value for key, value in apart.items()}
                )
            return command(**given)

        run.__doc__ = (command.__doc__ or "").format_map(words) if words else command.__doc__
        return _taking(run, parameters)

    return decorated


def _parameter_name(name: str, own: Mapping[str, inspect.Parameter]) -> str:
    """Return the parameter of an option; names of Python's own get an underscore."""
    key = name.replace("-", "_")
    return f"{key}_" if key in ("dir", "format") and key not in own else key


def _parameter(name: str, option: Option, *, grouped: bool, many: bool) -> inspect.Parameter:
    kind: Any = str | None
    default: bool | None = None
    if option.is_many or many:
        kind = list[str] | None
    elif option.is_switch:
        kind, default = (bool | None, None) if option.negated else (bool, False)
    flag = f"--{option.name}"
    if option.negated:
        flag = f"{flag}/--no-{option.name}"
    typed: Any = typer.Option(
        flag,
        metavar=option.metavar or None,
        help=_with_names(option.help),
        rich_help_panel=(option.group or None) if grouped else None,
    )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, typed]
    )

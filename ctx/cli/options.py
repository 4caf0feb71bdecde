"""The table of options as typer knows it: for one option, or for all that a command takes."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ctx.app.options import BY_NAME, PacketOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ctx.app.options import Option


def _typed(option: Option, text: str = "", *, grouped: bool = False) -> Any:  # noqa: ANN401 - typer's class is its own
    """Return an option of the table for typer, with another help ``text`` if there is one."""
    flag = f"--{option.name}"
    if option.negated:
        flag = f"{flag}/--no-{option.name}"
    return typer.Option(
        flag,
        metavar=option.metavar or None,
        help=text or option.help,
        rich_help_panel=(option.group or None) if grouped else None,
    )


DIR = _typed(BY_NAME["dir"])
EMBEDDER = _typed(BY_NAME["embedder"])
TOKENIZER = _typed(BY_NAME["tokenizer"])
AS_OF = _typed(BY_NAME["as-of"])
JSON = typer.Option("--json", help="Write one JSON object.")


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
        write_sections(formatter, sections)


class GroupedCommands(TyperGroup):
    """A program whose help shows its commands under the headings that they name."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - as above
        """Write a line for each command, each group in the order of its first command."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            heading = getattr(command, "rich_help_panel", None) or "Commands"
            line = command.get_short_help_str(SHORT_HELP)
            sections.setdefault(heading, []).append((name, line))
        write_sections(formatter, sections)


def write_sections(formatter: Any, sections: Mapping[str, list[tuple[str, str]]]) -> None:  # noqa: ANN401
    """Write each section as a list of names and what they mean."""
    for heading, rows in sections.items():
        with formatter.section(heading):
            formatter.write_dl(rows)


SHORT_HELP = 55
"""Characters of a command's line in a list of commands."""


def taking(
    *names: str, helps: Mapping[str, str] | None = None
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command the options ``names`` of the table, handed to it as ``options``.

    They come after the command's own parameters, and before its ``json``; ``helps`` replaces the
    help of some.
    """

    def decorated(command: Callable[..., int]) -> Callable[..., int]:
        own = inspect.signature(command, eval_str=True).parameters.values()
        table = [_parameter(BY_NAME[name], (helps or {}).get(name, "")) for name in names]
        keys = {parameter.name: BY_NAME[name] for parameter, name in zip(table, names, strict=True)}

        @wraps(command)
        def run(**given: Any) -> int:  # noqa: ANN401 - what typer has read
            values = {option.key: given.pop(name) for name, option in keys.items()}
            values = {key: None if value == [] else value for key, value in values.items()}
            return command(PacketOptions(**values), **given)

        before = [one for one in own if one.name not in ("options", "json")]
        after = [one for one in own if one.name == "json"]
        parameters = [*before, *table, *after]
        # typer reads both.
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorated


def _parameter(option: Option, text: str) -> inspect.Parameter:
    """Return an option as a parameter of a command; names of Python's own get an underscore."""
    kind: Any = str | None
    default: bool | None = None
    if option.is_many:
        kind = list[str] | None
    elif not option.metavar:
        kind, default = (bool | None, None) if option.negated else (bool, False)
    return inspect.Parameter(
        f"{option.key}_" if option.key in ("dir", "format") else option.key,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, _typed(option, text, grouped=True)],
    )

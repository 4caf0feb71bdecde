"""What Tab offers, by command and parameter; what makes the values is imported when asked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, cast, get_args

import typer
from typer._completion_classes import FishComplete
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from ctx.app.options import OPTIONS, Given
from ctx.cli.app import COMPLAINTS, app
from ctx.text.names import cut, shown, shown_line
from ctx.text.tables import groups
from ctx.world import World

MOST = 200  # suggestions at a time: nobody reads more, and a shell takes its time to lay them out
LONGEST = 72  # characters of a description
_OF_OPTIONS = {  # by the name of an option, whatever its command
    **{f"--{option.name}": option.values for option in OPTIONS if option.values},
    "--kind": "names.kinds", "--path": "names.FILES", "--size": "names.SIZES",
    "--status": "names.statuses", "--summariser": "names.SUMMARISERS",
}  # fmt: skip


@cache
def _of_commands() -> dict[tuple[str, str], str]:
    """Return what ``sources.txt`` names, by command and parameter: this goes first."""
    rows = groups(__file__, "sources.txt")[""][1]
    return {(command, parameter): source for command, parameter, source in rows}


class Value(NamedTuple):
    """One value. The fields have the names that typer gives to its own."""

    value: str  # the whole argument, without quotes
    help: str = ""  # one line about it; empty where the value needs none
    type: str = "plain"  # ``plain``, or ``file``: the shell is to complete names of files


class Asked(NamedTuple):
    """What a source of values is asked for."""

    given: Mapping[str, Given]  # what the line holds already, by the names of parameters in Python
    word: str  # what is typed of the value
    world: World


FILE = Value("", type="file")


def complete(before: Sequence[str], word: str, world: World) -> list[Value]:
    """Return what may stand in place of ``word`` after the arguments ``before`` of ``ctx``."""
    group = cast("TyperGroup", get_command(app))
    _attach(group, [], before, world)
    try:
        shell = FishComplete(group, {}, "ctx", "")
        # typer's own values have the fields of a Value, and are none.
        found: list[Any] = shell.get_completions(list(before), word)
    except COMPLAINTS:
        return []  # the line is wrong as it is: who runs it gets a message
    name, equals, _ = word.partition("=")
    if equals and name.startswith("-"):
        # The shell is given whole words. What is no value answers something else.
        return [
            value._replace(value=word[: len(name) + 1] + value.value)
            for value in found
            if isinstance(value, Value)
        ]
    return [Value(value.value, _line(value.help or ""), value.type) for value in found]


def _attach(
    command: TyperCommand | TyperGroup, path: Sequence[str], before: Sequence[str], world: World
) -> None:
    """Let the parameters of the commands that the line names ask the table for values."""
    for param in command.params:
        if source := source_of(" ".join(path), param.opts):
            values = _completer(source, path, before, world)
            param.shell_complete = values  # type: ignore[method-assign,assignment]
    commands = getattr(command, "commands", {})
    for name in commands.keys() & {*before}:  # the others would be imported for nothing
        _attach(commands[name], [*path, name], before, world)


def _completer(
    source: str, path: Sequence[str], before: Sequence[str], world: World
) -> Callable[[typer.Context, str], list[Value]]:
    def values(context: typer.Context, incomplete: str) -> list[Value]:
        given = dict(context.params)
        depth = len(path)
        if [*before[:depth]] == [*path] and before[-1].startswith("-"):
            # An option without a value, yet: typer has stopped reading there.
            rest = list(before[depth:-1])
            done = context.command.make_context(path[-1], rest, resilient_parsing=True)
            given = dict(done.params)
        return offered(source, Asked(given, incomplete, world))

    return values


def offered(source: str, asked: Asked) -> list[Value]:
    """Return what ``source`` offers for what is typed, ``MOST`` at most.

    It is a function or values, as ``module.function`` of this folder, or the full name of a
    registry: of texts, of records with ``name`` and ``help``, or a ``Literal``.
    """
    module, _, name = source.rpartition(".")
    if source.startswith("ctx."):
        registry = getattr(import_module(module), name)
        found = [
            Value(getattr(known, "name", known), getattr(known, "help", ""))
            for known in get_args(registry) or registry
        ]
    else:
        values: Iterable[Value] | Callable[[Asked], Iterable[Value]] = getattr(
            import_module(f"ctx.cli.completing.{module}"), name
        )
        found = [*(values(asked) if callable(values) else values)]
    fit = {
        value.value: value._replace(help=_line(value.help))
        for value in found
        if value != FILE and value.value.startswith(asked.word)
        # A line can hold it, and no command takes it for an option.
        if shown(value.value) == value.value and value.value[:1] != "-"
    }
    return few([*fit.values()]) + [FILE] * (FILE in found)


def few(found: Sequence[Value], most: int = MOST) -> list[Value]:
    """Return at most ``most`` of ``found``, 2 or more, in their order.

    A shell puts in at once what all values begin with. So the first and the last by the
    alphabet are among them: then few begin with no more than all do.
    """
    if len(found) <= most:
        return list(found)
    values = [value.value for value in found]
    ends = {min(values), max(values)}
    chosen = [value for value in found if value.value not in ends][: most - len(ends)]
    kept = {*ends, *(value.value for value in chosen)}
    return [value for value in found if value.value in kept]


def _line(text: str) -> str:
    text = "".join(char if char.isprintable() else " " for char in text)  # a shell reads escapes
    return cut(shown_line(" ".join(text.split())), LONGEST)


def source_of(command: str, names: Sequence[str]) -> str:
    """Return what completes a parameter of ``command`` (without ``ctx``); empty for free text."""
    for name in names:
        if found := _of_commands().get((command, name), _OF_OPTIONS.get(name, "")):
            return found
    return ""

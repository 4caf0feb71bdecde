"""A tool of the server: its name, its arguments as JSON Schema, and what answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from ctx.app.find import find
from ctx.app.options import ALL, PacketOptions
from ctx.config import quoted
from ctx.config.kinds import is_digits
from ctx.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx.app.options import Given
    from ctx.app.workspace import Workspace
    from ctx.model import Json, JsonObject
    from ctx.world import World

_Options = TypeVar("_Options", bound=PacketOptions)
Type = Literal["string", "integer", "boolean", "array"]  # of JSON Schema; an array holds strings

MOST_CHARACTERS = 1024 * 1024  # of one text: what is longer is no question and no entry
_ADDED = ("wait_for_previous",)  # of hosts, for the order of calls: no part of any tool's schema
_CALLED: dict[Type, str] = {
    "string": "a string",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "an array of strings",
}


class Argument(NamedTuple):
    """One argument of a tool."""

    name: str
    type: Type = "string"
    help: str = ""  # a few words, each of which costs every session tokens; or empty
    required: bool = False
    choices: tuple[str, ...] = ()  # values of a string or of an array's strings; empty for any
    least: int = 0  # the smallest value of an integer


def option(
    name: str,
    text: str = "",
    *,
    required: bool = False,
    choices: tuple[str, ...] = (),
    least: int = 0,
) -> Argument:
    """Return an option of the command line as an argument, with a help ``text`` of its own."""
    found = ALL[name]
    kind: Type = "integer" if found.metavar in ("TOKENS", "N") else "string"
    if not found.metavar:
        kind = "boolean"
    return Argument(found.key, "array" if found.is_many else kind, text, required, choices, least)


def schema(arguments: Sequence[Argument]) -> JsonObject:
    """Return the JSON Schema of what a tool takes."""
    found: JsonObject = {
        "type": "object",
        "properties": {argument.name: _property(argument) for argument in arguments},
    }
    required: list[Json] = [argument.name for argument in arguments if argument.required]
    return {**found, "required": required} if required else found


def _property(argument: Argument) -> JsonObject:
    value: JsonObject = {"type": argument.type}
    if argument.choices:
        value["enum"] = list(argument.choices)
    if argument.type == "array":
        value = {"type": "array", "items": {**value, "type": "string"}}
    if argument.type == "integer":
        value["minimum"] = argument.least
    return {**value, "description": argument.help} if argument.help else value


def arguments_of(arguments: Sequence[Argument], given: JsonObject) -> JsonObject:
    """Return what a call gives, by name; what it leaves out, or gives as null, is not there.

    A number written as text, and one text instead of an array, are taken for what they mean.
    What a host adds for itself is passed over: ``_ADDED``, and all where a tool takes nothing, for
    hosts whose models must give something. UsageError for another argument that is unknown,
    misspelt, missing or of another type.
    """
    known = {argument.name: argument for argument in arguments}
    for name in given if arguments else ():
        if name not in known and name not in _ADDED:
            raise UsageError(f"{quoted(name)}: is no argument", f"one of {', '.join(known)}")
    own = {name: given[name] for name in given if name in known}
    found = {name: _value(known[name], value) for name, value in own.items() if value is not None}
    for argument in arguments:
        if argument.required and argument.name not in found:
            raise UsageError(
                f"{argument.name}: is missing", argument.help or _CALLED[argument.type]
            )
    return found


def _value(argument: Argument, value: Json) -> Json:
    if argument.type == "integer":
        return _whole(argument, value)
    if argument.type == "boolean":
        if not isinstance(value, bool):
            raise _refused(argument, value)
        return value
    if argument.type == "string":
        return _text(argument, value)
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise _refused(argument, value)
    return [_text(argument, item) for item in value]


def _whole(argument: Argument, value: Json) -> int:
    if isinstance(value, str) and is_digits(value.strip()):
        value = int(value) if len(value) < _DIGITS else value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _refused(argument, value)
    if not argument.least <= value < 10**_DIGITS:
        raise UsageError(f"{argument.name}: {value} is under {argument.least} or far too large")
    return value


_DIGITS = 15


def _text(argument: Argument, value: Json) -> str:
    if not isinstance(value, str):
        raise _refused(argument, value)
    if len(value) > MOST_CHARACTERS:
        raise UsageError(
            f"{argument.name}: {len(value):,} characters are over the limit of {MOST_CHARACTERS:,}",
            "say it shorter",
        )
    if argument.choices and value not in argument.choices:
        raise UsageError(
            f"{argument.name}: {quoted(value)} is not known",
            f"one of {', '.join(argument.choices)}",
        )
    return value


def _refused(argument: Argument, value: Json) -> UsageError:
    kinds = {bool: "true or false", str: "a string", dict: "an object", list: "an array"}
    what = kinds.get(type(value), "a number")
    return UsageError(f"{argument.name}: is {what}", f"give {_CALLED[argument.type]}")


class Call(NamedTuple):
    """One call of a tool: what was given, and the world as it is now."""

    given: JsonObject  # arguments by name, each of the type that the tool declares
    dir: str  # what ``ctx mcp --dir`` named; empty to look from the working directory
    world: World

    @property
    def root(self) -> str:
        """The context directory; NoDirectoryError where there is none."""
        return find(self.dir, self.world)

    def options(self, kind: type[_Options], **more: Given) -> _Options:
        """Return the arguments that are options as somebody would type them, and ``more``."""
        typed: dict[str, Given] = {
            name: self.texts(name)
            if isinstance(value, list)
            else value
            if isinstance(value, bool)
            else str(value)
            for name, value in self.given.items()
            if name in kind.names and value != ""
        }
        return kind(**{**typed, "dir": self.dir or None, **more})

    def workspace(self, **more: Given) -> Workspace:
        """Return the directory as it is now, with what was given over its settings."""
        return self.opened(self.options(PacketOptions, **more))

    def opened(self, options: PacketOptions) -> Workspace:
        """Return the directory as it is now, with ``options`` over its settings."""
        from ctx.app.workspace import Workspace  # the handshake loads no room

        return Workspace(options, self.world)

    def text(self, name: str) -> str:
        """Return a text argument; empty where it was not given."""
        return str(self.given.get(name) or "")

    def number(self, name: str) -> int | None:
        """Return a whole number; None where it was not given."""
        value = self.given.get(name)
        return value if isinstance(value, int) else None

    def typed(self, name: str) -> str | None:
        """Return an argument as somebody would type it; None where it was not given."""
        value = self.given.get(name)
        return None if value is None else str(value)

    def texts(self, name: str) -> list[str]:
        """Return an argument that is an array; empty where it was not given."""
        value = self.given.get(name)
        return [str(text) for text in value] if isinstance(value, list) else []


class Tool(NamedTuple):
    """What a client can call."""

    name: str
    help: str  # one line; every word costs each session tokens
    arguments: tuple[Argument, ...]
    answer: Callable[[Call], JsonObject | str]  # raises CtxError; a text keeps its bound itself
    most: int = 0  # tokens that the result costs at most; 0 where the caller gives it, as a budget
    run: str = ""  # the member that gives way: a list by its rows, a text by its lines
    hint: str = ""  # how to ask for what was left out; see ``answer.NEXT``
    writes: bool = False  # whether it adds to what people keep; none takes anything away

    @property
    def description(self) -> str:
        """What the client shows its model."""
        return f"{self.help} At most {self.most} tokens." if self.most else self.help

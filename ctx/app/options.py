"""The options of all that makes, searches or reads packets: one table.

The command line, the reader of plain calls, help, completion, the reference and the arguments of
MCP tools are made from it; what a call was given is a ``PacketOptions``. Nothing is imported here,
not even ``typing``: this module is on the path of every hook.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

Given = str | list[str] | bool | None  # the value of an option; None where it was not given


class Option:
    """One option: how it is written, what it means, and what completes its value."""

    __slots__ = ("is_many", "is_switch", "name")

    def __init__(self, key: str, kind: str) -> None:
        self.name = key.replace("_", "-")
        self.is_switch = kind[:4] == "bool"
        self.is_many = kind[:4] == "list"  # whether it may be given again, each with another value

    @property
    def key(self) -> str:
        """The attribute of ``PacketOptions`` that holds it."""
        return self.name.replace("-", "_")

    @property
    def negated(self) -> bool:
        """Whether the switch has a ``--no-`` form."""
        return "|" in _texts()[self.name][0]

    @property
    def metavar(self) -> str:
        """What its value is called in help; empty for a switch."""
        return _texts()[self.name][1]

    @property
    def help(self) -> str:
        """What it means, in a line."""
        return _texts()[self.name][2]

    @property
    def values(self) -> str:
        """What completes it: ``module.function`` of ``ctx.cli.completing``; empty for free text."""
        return _texts()[self.name][3]

    @property
    def group(self) -> str:
        """Its heading in help; empty for the first."""
        return _texts()[self.name][4]


_known: dict[str, list[str]] = {}


def _texts() -> dict[str, list[str]]:
    """Return what ``options.txt`` holds of each option, which is read only for help and for Tab."""
    if not _known:
        from ctx.text.tables import groups

        for row in groups(__file__, "options.txt")[""][1]:
            _known[row[0].partition("|")[0]] = [*row, "", ""]
    return _known


class PacketOptions:
    """What a call was given: text as typed, switches; None where an option was not given.

    In the order of the help of ``ctx agent``. ``figures`` asks for the figures of a packet and
    ``summariser`` for a writer of summaries: no option of ``ctx agent`` says so.
    """

    budget: str | None
    query: str | None
    focus: list[str] | None
    fill: str | None
    rules: str | None
    format: str | None
    host: str | None
    explain: bool | None
    strict: bool | None
    dir: str | None
    session: str | None
    resume: bool | None
    delta: bool | None
    cooldown: str | None
    context_length: str | None
    used_tokens: str | None
    threshold_tokens: str | None
    ranker: str | None
    embedder: str | None
    rerank: str | None
    planner: str | None
    allow_overshoot: bool | None
    tokenizer: str | None
    as_of: str | None
    log_json: bool | None
    hash_ids: bool | None
    figures: bool | None
    summariser: str | None

    __slots__ = names = tuple(__annotations__)

    def __init__(self, **given: Given) -> None:
        for name in self.names:
            setattr(self, name, given.pop(name, None))
        if given:
            raise TypeError(f"no options: {', '.join(given)}")

    def given(self) -> dict[str, Given]:
        """Return what was given, by name."""
        pairs = ((name, getattr(self, name)) for name in self.names)
        return {name: value for name, value in pairs if value is not None}

    def replace(self, **changes: Given) -> Self:
        """Return the same with other values."""
        return type(self)(**{**self.given(), **changes})


class SearchOptions(PacketOptions):
    """What a search was given."""

    all: bool | None
    named: bool | None
    status: list[str] | None
    limit: str | None
    min_relevance: str | None
    kind: list[str] | None
    since: str | None
    archive: bool | None
    shared: bool | None
    repo: list[str] | None

    __slots__ = tuple(__annotations__)
    names = (*PacketOptions.names, *__slots__)


class HookOptions(PacketOptions):
    """What a hook was given."""

    deadline: str | None

    __slots__ = tuple(__annotations__)
    names = (*PacketOptions.names, *__slots__)


ALL = {
    key.replace("_", "-"): Option(key, kind)
    for record in (PacketOptions, SearchOptions, HookOptions)
    for key, kind in record.__annotations__.items()
}
ALL["json"] = Option("json", "bool | None")  # which each command takes by itself
OPTIONS = tuple(
    option
    for option in ALL.values()
    if option.key in PacketOptions.names and option.key not in ("figures", "summariser")
)
BY_NAME = {option.name: option for option in OPTIONS}


def plain(
    arguments: Sequence[str], known: Mapping[str, Option] = BY_NAME
) -> tuple[list[str], dict[str, Given]] | None:
    """Return the words and the options of a call that is written plainly; None for any other.

    Plain is ``--name value``, ``--name=value`` and a bare switch. A hook calls ``ctx`` many times
    an hour, and importing typer costs more than the packet; anything else (help, mistakes,
    abbreviations) is left to typer, which says what is wrong. A test holds that both read the
    same call alike.
    """
    words: list[str] = []
    given: dict[str, Given] = {}
    waiting: Option | None = None
    for argument in arguments:
        if waiting:
            if argument[:1] == "-" and argument != "-":
                return None
            option, value, waiting = waiting, argument, None
        elif argument[:1] != "-":
            words.append(argument)
            continue
        else:
            name, equals, value = argument[2:].partition("=")
            if argument[:2] != "--" or name not in known:
                return None
            option = known[name]
            if equals and option.is_switch:
                return None
            if not (option.is_switch or equals):
                waiting = option
                continue
        before = given.get(option.key)
        if option.is_many:
            given[option.key] = [*before, value] if isinstance(before, list) else [value]
        else:  # the last of several holds
            given[option.key] = True if option.is_switch else value
    return None if waiting else (words, given)

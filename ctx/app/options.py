"""The options of all that makes, searches or reads packets: one table.

The command line, the reader of plain calls, help, completion, the reference and the arguments of
MCP tools are made from it; what a call was given is a ``PacketOptions``. Nothing is imported here,
not even ``typing``: this module is on the path of every hook.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import ClassVar, Self

Given = str | list[str] | bool | None  # the value of an option; None where it was not given


class Option:
    """One option: how it is written, what it means, and what completes its value."""

    __slots__ = ("is_many", "metavar", "name", "negated")

    def __init__(
        self, name: str, metavar: str = "", *, is_many: bool = False, negated: bool = False
    ) -> None:
        self.name = name
        self.metavar = metavar  # what its value is called in help; empty for a switch
        self.is_many = is_many  # whether it may be given again, each with another value
        self.negated = negated  # whether the switch has a ``--no-`` form

    @property
    def key(self) -> str:
        """The attribute of ``PacketOptions`` that holds it."""
        return self.name.replace("-", "_")

    @property
    def help(self) -> str:
        """What it means, in a line."""
        return _texts()[self.name][0]

    @property
    def values(self) -> str:
        """What completes it: ``module.function`` of ``ctx.cli.completing``; empty for free text."""
        return _texts()[self.name][1]

    @property
    def group(self) -> str:
        """Its heading in help; empty for the first."""
        return _texts()[self.name][2]


_known: dict[str, list[str]] = {}


def _texts() -> dict[str, list[str]]:
    """Return what ``options.txt`` holds of each option, which is read only for help and for Tab."""
    if not _known:
        from ctx.text.tables import groups

        rows = groups(__file__, "options.txt")[""][1]
        _known.update((name, [*texts, "", ""]) for name, *texts in rows)
    return _known


OPTIONS = (  # the options of ``ctx agent``, in the order of its help
    Option("budget", "TOKENS"),
    Option("query", "TEXT"),
    Option("focus", "PATH", is_many=True),
    Option("fill", "none|recent"),
    Option("rules", "whole|pointed"),
    Option("format", "md|json"),
    Option("host", "NAME"),
    Option("explain"),
    Option("strict", negated=True),
    Option("dir", "DIR"),
    Option("session", "ID"),
    Option("resume"),
    Option("delta"),
    Option("cooldown", "TIME"),
    Option("context-length", "TOKENS"),
    Option("used-tokens", "TOKENS"),
    Option("threshold-tokens", "TOKENS"),
    Option("ranker", "NAME"),
    Option("embedder", "NAME"),
    Option("rerank", "NAME"),
    Option("planner", "NAME"),
    Option("allow-overshoot"),
    Option("tokenizer", "NAME"),
    Option("as-of", "DATE"),
    Option("log-json"),
    Option("hash-ids"),
)
BY_NAME = {option.name: option for option in OPTIONS}
OTHERS = (  # the options of other commands
    Option("limit", "N"),
    Option("kind", "KIND", is_many=True),
    Option("since", "DATE"),
    Option("min-relevance", "SHARE"),
    Option("archive"),
    Option("status", "NAME", is_many=True),
    Option("all"),
    Option("named"),
    Option("deadline", "SECONDS"),
    Option("summariser", "NAME"),
    Option("shared"),
    Option("repo", "NAME", is_many=True),
    Option("json"),
)
ALL = {option.name: option for option in (*OPTIONS, *OTHERS)}


class PacketOptions:
    """What a call was given: text as typed, switches; None where an option was not given.

    Names are those of ``OPTIONS`` with underscores. ``figures`` asks for the figures of a packet
    and ``summariser`` for a writer of summaries: no option of ``ctx agent`` says so.
    """

    __slots__ = (*(option.key for option in OPTIONS), "figures", "summariser")
    names: ClassVar[tuple[str, ...]] = __slots__  # what can be given

    budget: str | None
    query: str | None
    format: str | None
    dir: str | None
    tokenizer: str | None
    as_of: str | None
    ranker: str | None
    embedder: str | None
    rerank: str | None
    planner: str | None
    fill: str | None
    rules: str | None
    focus: list[str] | None
    host: str | None
    strict: bool | None
    allow_overshoot: bool | None
    explain: bool | None
    session: str | None
    resume: bool | None
    delta: bool | None
    cooldown: str | None
    context_length: str | None
    used_tokens: str | None
    threshold_tokens: str | None
    log_json: bool | None
    hash_ids: bool | None
    figures: bool | None
    summariser: str | None

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

    __slots__ = (
        "all", "archive", "kind", "limit", "min_relevance", "named", "repo", "shared", "since",
        "status",
    )  # fmt: skip
    names = (*PacketOptions.names, *__slots__)

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


class HookOptions(PacketOptions):
    """What a hook was given."""

    __slots__ = ("deadline",)
    names = (*PacketOptions.names, *__slots__)

    deadline: str | None


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
            if equals and not option.metavar:
                return None
            if option.metavar and not equals:
                waiting = option
                continue
        before = given.get(option.key)
        if option.is_many:
            given[option.key] = [*before, value] if isinstance(before, list) else [value]
        else:  # the last of several holds
            given[option.key] = value if option.metavar else True
    return None if waiting else (words, given)

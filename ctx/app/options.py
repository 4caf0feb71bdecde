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

    __slots__ = ("group", "help", "is_many", "metavar", "name", "negated", "values")

    def __init__(  # noqa: PLR0913 - the columns of a table
        self,
        name: str,
        metavar: str,
        text: str,
        *,
        group: str = "",
        values: str = "",
        is_many: bool = False,
        negated: bool = False,
    ) -> None:
        self.name = name
        self.metavar = metavar  # what its value is called in help; empty for a switch
        self.help = text
        self.group = group  # its heading in help; empty for the first
        self.values = values  # what completes it: ``module.function`` of ``ctx.cli.completing``
        self.is_many = is_many  # whether it may be given again, each with another value
        self.negated = negated  # whether the switch has a ``--no-`` form

    @property
    def key(self) -> str:
        """The attribute of ``PacketOptions`` that holds it."""
        return self.name.replace("-", "_")


_SESSION, _WINDOW, _ADVANCED = "Sessions", "The agent's window", "Advanced"
OPTIONS = (  # the options of ``ctx agent``, in the order of its help
    Option("budget", "TOKENS", "Most tokens the packet may cost (default: 8000)."),
    Option("query", "TEXT", "What the work is about; - reads standard input."),
    Option(
        "focus", "PATH",
        "A file that is being worked on; again for more; git: all changed ones.",
        values="names.FOCUS", is_many=True,
    ),
    Option(
        "fill", "none|recent",
        "Room left by the query: for nothing, or for what is recent (default).",
        values="names.FILLS",
    ),
    Option(
        "rules", "whole|pointed",
        "Include required rules (default), or name their files and sizes.",
        values="names.RULES",
    ),
    Option("format", "md|json", "How to write it (default: md).", values="names.FORMATS"),
    Option(
        "host", "NAME",
        "The agent that reads it, as `ctx hook` names it: leave out what it loads by itself.",
        values="ctx.hosts.sources.HOSTS",
    ),
    Option("explain", "", "Explain why each entry is included, a title only, or omitted."),
    Option("strict", "", "Exit 5 when the packet is degraded.", negated=True),
    Option(
        "dir", "DIR", "Context directory or its project; else .context/ here or above.",
        values="names.FILES",
    ),
    Option(
        "session", "ID", "Session whose last turns are included, by its whole id.",
        group=_SESSION, values="stored.sessions",
    ),
    Option(
        "resume", "", "Include where the last session on this branch ended, within a week.",
        group=_SESSION,
    ),
    Option("delta", "", "Include only what the session has not received yet.", group=_SESSION),
    Option(
        "cooldown", "TIME",
        "Print nothing if the session received the same within this time (10m, 90s).",
        group=_SESSION,
    ),
    Option(
        "context-length", "TOKENS", "The agent's window: include only what it has room for.",
        group=_WINDOW,
    ),
    Option("used-tokens", "TOKENS", "How much of the window is used.", group=_WINDOW),
    Option(
        "threshold-tokens", "TOKENS", "Use at which the host compacts its window.", group=_WINDOW
    ),
    Option(
        "ranker", "NAME",
        "{rankers} (default: brackets without a query).",
        group=_ADVANCED, values="names.RANKERS",
    ),
    Option(
        "embedder", "NAME",
        "Find by meaning, too: static, openai:MODEL@URL, local:PATH (default: none).",
        group=_ADVANCED, values="names.embedders",
    ),
    Option(
        "rerank", "NAME",
        "Order the first results by a cross-encoder: local:PATH (default: none).",
        group=_ADVANCED, values="names.RERANKERS",
    ),
    Option(
        "planner", "NAME", "tiered (default), or acs: by benefit and cost.",
        group=_ADVANCED, values="names.PLANNERS",
    ),
    Option(
        "allow-overshoot", "", "Let one entry that is worth it go over budget (planner acs).",
        group=_ADVANCED,
    ),
    Option(
        "tokenizer", "NAME",
        "Count by heuristic (default), o200k, cl100k or a tokenizer.json file.",
        group=_ADVANCED, values="names.tokenizers",
    ),
    Option("as-of", "DATE", "Day that ages are counted from (default: today).", group=_ADVANCED),
    Option("log-json", "", "Write figures to standard error, and into JSON.", group=_ADVANCED),
    Option("hash-ids", "", "Hash the ids in that line.", group=_ADVANCED),
)  # fmt: skip
BY_NAME = {option.name: option for option in OPTIONS}
OTHERS = (  # the options of other commands
    Option("limit", "N", "Most results (default: 10)."),
    Option(
        "kind", "KIND", "Only decisions, turns, …; again or with commas.",
        values="names.kinds", is_many=True,
    ),
    Option("since", "DATE", "Nothing older: 2026-11-01, or 30d."),
    Option(
        "min-relevance", "SHARE",
        "Only what is at least so relevant, 0 to 1; 0 for all (default: what is relevant).",
    ),
    Option("archive", "", "Also what `ctx archive` has moved to archive/."),
    Option(
        "status", "NAME", "Only what is open, done, superseded, …; again or with commas.",
        is_many=True,
    ),
    Option("all", "", "Also what is done, skipped, superseded or archived."),
    Option("named", "", "Only entries that QUERY names by title or alias."),
    Option("deadline", "SECONDS", "Silence after this time (default: 2)."),
    Option(
        "summariser", "NAME", "extractive, command:PROGRAM or openai:MODEL@URL.",
        values="names.SUMMARISERS",
    ),
    Option("shared", "", "Ask the team's server as well."),
    Option("repo", "NAME", "Only these repositories of it; again or with commas.", is_many=True),
    Option("json", "", "Write one JSON object."),
)  # fmt: skip
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

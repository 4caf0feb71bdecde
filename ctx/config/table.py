"""The table of all settings, from which everything else about them derives."""

from collections.abc import Callable, Mapping

from ctx.config.kinds import (
    DOCUMENTS,
    DURATION,
    FIGURE,
    LINE,
    SHARE,
    SOURCES,
    SWITCH,
    Kind,
    Value,
    one_of,
    whole,
)
from ctx.typed import Literal, NamedTuple

PREFIX = "CTX_"  # the prefix of all variables
NOT_SETTINGS = (  # variables that ctx uses although they are no settings
    "CTX_CACHE_DIR", "CTX_STATE_DIR", "CTX_GLOBAL_DIR", "CTX_NO_CACHE", "CTX_DEBUG",
    "CTX_CONTEXT_LENGTH", "CTX_EMBEDDER_KEY", "CTX_SUMMARISER_KEY",
)  # fmt: skip


class Settings(NamedTuple):
    """The settings of one run, with their defaults; see ``SETTINGS``."""

    budget: int = 8000
    max_budget: int = 200_000
    format: Literal["md", "json"] = "md"
    tokenizer: str = "heuristic"
    ranker: str = "auto"
    planner: str = "tiered"
    fill: str = "auto"
    rules: str = "whole"
    embedder: str = "none"
    embed_seconds: float = 5
    cascade: bool = False
    rerank: str = "none"
    rerank_hits: int = 50
    rerank_seconds: float = 30
    summariser: str = "extractive"
    summary_seconds: int = 60
    strict: bool = False
    cooldown: int = 0
    rule_tokens: int = 500
    hook_seconds: int = 2
    memory_signals: str = (
        "remember, recall, what did, who is, last time, previously, before, memory, told you, "
        "mentioned, said, project, config, setup"
    )
    hard_share: float = 0.40
    tasks_share: float = 0.40
    conventions_share: float = 0.20
    tail_share: float = 0.15
    tail_turns: int = 4
    similarity_weight: float = 0.7
    recency_weight: float = 0.2
    scope_weight: float = 0.1
    session_decay: float = 1e-4
    project_decay: float = 1e-5
    global_decay: float = 2e-6
    first_pass: int = 0
    second_pass: int = 0
    authored: str = "AGENTS.md, CLAUDE.md"
    sources: str = "all"
    max_file_mb: int = 64
    allow_links: bool = False
    allow_secrets: bool = False
    capture: str = "off"
    share_server: str = ""
    share_ms: int = 300
    share_sessions: bool = False
    share_push: bool = False
    dir: str = ""
    session: str = ""


class ProjectRight(NamedTuple):
    """What a project's own settings file may set.

    A repository from elsewhere must not widen what ctx does with this machine: name a file
    outside, a command, an address, or take more room or time than the user gave.
    """

    values: str  # the allowed values, in words; empty for none
    allows: Callable[[Value, Settings], bool]  # whether a value is allowed, given all others
    limit: str = ""  # the user's setting that allows more, where that is not the setting itself


ANY = ProjectRight("any", lambda _value, _settings: True)
NONE = ProjectRight("", lambda _value, _settings: False)


def _only(*values: str) -> ProjectRight:
    return ProjectRight(" or ".join(values), lambda value, _settings: value in values)


class Setting(NamedTuple):
    """One setting of files, variables, flags and the documentation."""

    name: str
    kind: Kind
    help: str  # one line, without a final stop
    in_files: bool = True  # whether settings files may set it
    project: ProjectRight = ANY  # what a project's own file may set

    @property
    def default(self) -> Value:
        """The value where none is set."""
        value: Value = Settings._field_defaults[self.name]
        return value

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.name.upper()

    @property
    def flag(self) -> str:
        """The flag that sets it."""
        return "--" + self.name.replace("_", "-")


def _own(name: str, kind: Kind, text: str) -> Setting:
    """Return a setting of the user alone: no project may set it."""
    return Setting(name, kind, text, project=NONE)


def strays(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ``CTX_*`` variables that ctx ignores, sorted; one may be misspelt."""
    known = {setting.variable for setting in SETTINGS}.union(NOT_SETTINGS)
    return tuple(sorted(name for name in environ if name.startswith(PREFIX) and name not in known))


_MOST_RULES = Settings().rule_tokens
_MOST_MB = Settings().max_file_mb

SETTINGS: tuple[Setting, ...] = (  # every setting, in the order of ``Settings``
    Setting(
        "budget", whole(0), "Tokens that a packet may cost",
        project=ProjectRight(
            "max_budget or less",
            lambda value, settings: isinstance(value, int) and value <= settings.max_budget,
            "max_budget",
        ),
    ),
    _own("max_budget", whole(0), "Largest budget that a project may set for itself"),
    Setting("format", one_of("md", "json"), "How a packet is written"),
    Setting(
        "tokenizer", LINE, "What counts tokens: a counter's name or a tokenizer.json",
        project=_only("heuristic", "o200k", "cl100k"),
    ),
    Setting(
        "ranker", LINE,
        "What decides which entries matter now: auto, or a ranker (`ctx agent --help`)",
    ),
    Setting("planner", one_of("tiered", "acs"), "What decides how much of each entry is included"),
    Setting(
        "fill", one_of("auto", "none", "recent"),
        "What is included that has nothing to do with the query: none, or what is recent;"
        " auto: none for hooks, else recent",
    ),
    Setting(
        "rules", one_of("whole", "pointed"),
        "Whether required rules are included whole or named by file and size",
    ),
    Setting(
        "embedder", LINE,
        "What finds entries by meaning: none, static, openai:MODEL@URL, local:PATH or a plugin's",
        project=_only("none", "static"),
    ),
    _own("embed_seconds", DURATION, "Seconds that a packet or a search may wait for an embedder"),
    Setting(
        "cascade", SWITCH,
        "Compare vectors of nested models by their first components where that is sure enough",
    ),
    Setting(
        "rerank", LINE,
        "What reads the first results together with the query: none or local:PATH",
        project=_only("none"),
    ),
    _own("rerank_hits", whole(1), "How many of the first results it orders"),
    _own("rerank_seconds", DURATION, "Seconds that a packet or a search may wait for it"),
    Setting(
        "summariser", LINE,
        "What writes summaries of turns: extractive, command:PROGRAM ARGUMENTS or openai:MODEL@URL",
        project=_only("extractive"),
    ),
    _own("summary_seconds", DURATION, "Seconds that one summary may wait for its writer"),
    Setting("strict", SWITCH, "Exit with 5 where the packet is degraded"),
    Setting("cooldown", DURATION, "Seconds in which a hook does not repeat itself"),
    Setting(
        "rule_tokens", whole(0),
        "Tokens of the rules for a file that a hook sends as the agent reads or edits it",
        project=ProjectRight(
            "500 or less", lambda value, _: isinstance(value, int) and value <= _MOST_RULES
        ),
    ),
    _own("hook_seconds", whole(1), "Seconds after which `ctx hook run` prints nothing instead"),
    Setting(
        "memory_signals", LINE,
        "Words and phrases, apart by commas, that ask for what was before: where little room is"
        " left, only such a query retrieves anything",
    ),
    Setting("hard_share", SHARE, "Share of the budget over which the required rules are degraded"),
    Setting("tasks_share", SHARE, "Share of the budget that open tasks may take first"),
    Setting("conventions_share", SHARE, "Share of the budget for conventions and soft rules"),
    Setting(
        "tail_share", SHARE,
        "Share of the budget that the session's last turns are extended towards",
    ),
    Setting("tail_turns", whole(1), "Turns of the session that are always included"),
    Setting("similarity_weight", FIGURE, "Weight of relevance, for the ranker hybrid"),
    Setting("recency_weight", FIGURE, "Weight of age, likewise"),
    Setting(
        "scope_weight", FIGURE,
        "Weight of session, project or global, likewise; all three are scaled to the sum 1",
    ),
    Setting("session_decay", FIGURE, "How fast the session's turns age, per second, likewise"),
    Setting("project_decay", FIGURE, "The same of what the project holds"),
    Setting("global_decay", FIGURE, "The same of what holds everywhere"),
    Setting(
        "first_pass", whole(0),
        "Entries that the first pass of the ranker discovery leaves; 0 for as many as are needed",
    ),
    Setting(
        "second_pass", whole(0),
        "Entries that its second pass leaves, at most those of the first; 0 for all of them",
    ),
    Setting(
        "authored", DOCUMENTS,
        "Documents for all agents, in each folder from the project's root to the files in focus:"
        " names apart by commas, `|` for whichever is there first",
    ),
    Setting(
        "sources", SOURCES,
        "Files of other tools that are read: `-adr` leaves a source out, `+docs` reads one that"
        " is not read by default, a path adds a document",
    ),
    Setting(
        "max_file_mb", whole(1), "Larger files, in MiB, are named and left unread",
        project=ProjectRight(
            "64 or less", lambda value, _settings: isinstance(value, int) and value <= _MOST_MB
        ),
    ),
    _own("allow_links", SWITCH, "Follow symbolic links out of the context directory"),
    _own(
        "allow_secrets", SWITCH,
        "Include keys, tokens and passwords of files, instead of redacting them",
    ),
    _own(
        "capture", one_of("off", "titles", "on"),
        "What hooks store of sessions when an agent stops: nothing; what was asked; all turns",
    ),
    _own(
        "share_server", LINE, "The PostgreSQL server of the team's memory: postgresql://HOST/NAME",
    ),
    _own("share_ms", whole(1), "Milliseconds that `ctx search --shared` waits for that server"),
    _own(
        "share_sessions", SWITCH,
        "Push all imported sessions of a project, not only those that are named",
    ),
    Setting(
        "share_push", SWITCH,
        "Push in the background whenever a hook has stored turns of a session",
        project=NONE,
    ),
    Setting("dir", LINE, "The context directory, instead of looking for one", in_files=False),
    Setting("session", LINE, "The session whose turns belong to the packet", in_files=False),
)  # fmt: skip

BY_NAME = {setting.name: setting for setting in SETTINGS}

"""The table of all settings, from which everything else about them derives."""

from collections.abc import Callable, Mapping
from functools import cache

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
from ctx.model import Settings
from ctx.typed import NamedTuple

PREFIX = "CTX_"  # the prefix of all variables
NOT_SETTINGS = (  # variables that ctx uses although they are no settings
    "CTX_CACHE_DIR", "CTX_STATE_DIR", "CTX_GLOBAL_DIR", "CTX_NO_CACHE", "CTX_DEBUG",
    "CTX_CONTEXT_LENGTH", "CTX_EMBEDDER_KEY", "CTX_SUMMARISER_KEY",
)  # fmt: skip


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
_UP_TO_MOST = ProjectRight(
    "max_budget or less",
    lambda value, settings: isinstance(value, int) and value <= settings.max_budget,
    "max_budget",
)


def _only(*values: str) -> ProjectRight:
    return ProjectRight(" or ".join(values), lambda value, _settings: value in values)


def _up_to(most: int) -> ProjectRight:
    return ProjectRight(
        f"{most} or less", lambda value, _settings: isinstance(value, int) and value <= most
    )


class Setting(NamedTuple):
    """One setting of files, variables, flags and the documentation."""

    name: str
    kind: Kind
    in_files: bool = True  # whether settings files may set it
    project: ProjectRight = ANY  # what a project's own file may set

    @property
    def help(self) -> str:
        """What it means, in a line without a final stop."""
        return _texts()[self.name]

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


@cache
def _texts() -> dict[str, str]:
    """Return the texts of ``settings.txt`` by setting: they are read only where they are shown."""
    from ctx.text.tables import groups

    return dict(groups(__file__, "settings.txt")[""][1])


def _own(name: str, kind: Kind) -> Setting:
    """Return a setting of the user alone: no project may set it."""
    return Setting(name, kind, project=NONE)


def strays(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ``CTX_*`` variables that ctx ignores, sorted; one may be misspelt."""
    known = {setting.variable for setting in SETTINGS}.union(NOT_SETTINGS)
    return tuple(sorted(name for name in environ if name.startswith(PREFIX) and name not in known))


SETTINGS: tuple[Setting, ...] = (  # every setting, in the order of ``Settings``
    Setting("budget", whole(0), project=_UP_TO_MOST),
    _own("max_budget", whole(0)),
    Setting("format", one_of("md", "json")),
    Setting("tokenizer", LINE, project=_only("heuristic", "o200k", "cl100k")),
    Setting("ranker", LINE),
    Setting("planner", one_of("tiered", "acs")),
    Setting("fill", one_of("auto", "none", "recent")),
    Setting("rules", one_of("whole", "pointed")),
    Setting("embedder", LINE, project=_only("none", "static")),
    _own("embed_seconds", DURATION),
    Setting("cascade", SWITCH),
    Setting("rerank", LINE, project=_only("none")),
    _own("rerank_hits", whole(1)),
    _own("rerank_seconds", DURATION),
    Setting("summariser", LINE, project=_only("extractive")),
    _own("summary_seconds", DURATION),
    Setting("strict", SWITCH),
    Setting("cooldown", DURATION),
    Setting("rule_tokens", whole(0), project=_up_to(Settings().rule_tokens)),
    _own("hook_seconds", whole(1)),
    Setting("memory_signals", LINE),
    Setting("hard_share", SHARE),
    Setting("tasks_share", SHARE),
    Setting("conventions_share", SHARE),
    Setting("tail_share", SHARE),
    Setting("tail_turns", whole(1)),
    Setting("similarity_weight", FIGURE),
    Setting("recency_weight", FIGURE),
    Setting("scope_weight", FIGURE),
    Setting("session_decay", FIGURE),
    Setting("project_decay", FIGURE),
    Setting("global_decay", FIGURE),
    Setting("authored", DOCUMENTS),
    Setting("sources", SOURCES),
    Setting("max_file_mb", whole(1), project=_up_to(Settings().max_file_mb)),
    _own("allow_links", SWITCH),
    _own("allow_secrets", SWITCH),
    _own("capture", one_of("off", "titles", "on")),
    _own("share_server", LINE),
    _own("share_ms", whole(1)),
    _own("share_sessions", SWITCH),
    _own("share_push", SWITCH),
    Setting("dir", LINE, in_files=False),
    Setting("session", LINE, in_files=False),
)

BY_NAME = {setting.name: setting for setting in SETTINGS}

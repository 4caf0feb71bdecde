"""Settings, their defaults and where each came from.

Everything derives from one table, ``SETTINGS``: the keys of settings files, the
``CTX_<NAME>`` variables, the ``--<name>`` flags and their documentation. Nothing here
reads a file, the environment or the working directory: ``resolve`` is given all three.

Unknown keys in a settings file are refused, since the file is ours and a misspelt key
would change nothing without a word. Unknown ``CTX_*`` variables are ignored, since other
programs use the same prefix; ``strays`` lists them for who wants to know. A variable
that is set to nothing counts as not set, so that ``CTX_BUDGET= ctx agent`` switches it off.
"""

# Not `from __future__ import annotations`: NamedTuple compiles every annotation that is
# text, which more than doubles the import of this module.
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from ctx.errors import CtxError, SettingsError, UsageError

PREFIX = "CTX_"
"""What the names of all variables start with."""
NOT_SETTINGS = ("CTX_NO_CACHE", "CTX_DEBUG")
"""Variables that ctx obeys although they are no settings."""

_UNITS = {"s": 1, "m": 60, "h": 3600}
_WORDS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
_SHOWN = 60
"""Characters of a refused value that a message quotes."""


class Settings(NamedTuple):
    """The settings of one run; ``SETTINGS`` says what each means and allows."""

    budget: int = 8000
    format: Literal["md", "json"] = "md"
    tokenizer: str = "heuristic"
    ranker: str = "brackets"
    strict: bool = False
    cooldown: int = 0
    hard_share: float = 0.40
    tasks_share: float = 0.40
    conventions_share: float = 0.20
    max_file_mb: int = 64
    allow_links: bool = False
    dir: str = ""
    session: str = ""


class Resolved(NamedTuple):
    """The settings, and where each came from."""

    settings: Settings
    origins: Mapping[str, str]
    """Setting to ``default``, a file's path, ``CTX_BUDGET`` or ``--budget``."""


class Kind(NamedTuple):
    """What a setting can be."""

    allowed: str
    """Completes the sentence "'x' is not …"."""
    check: Callable[[object], object]
    """Return a typed value as kept in ``Settings``; ValueError where it is refused."""
    from_text: Callable[[str], object]
    """Turn the text of a variable or flag into what ``check`` takes; ValueError where
    it cannot."""


class Setting(NamedTuple):
    """One setting, as files, variables, flags and the documentation know it."""

    name: str
    kind: Kind
    help: str
    """One line, without a final stop."""
    in_files: bool = True
    """Whether settings files may hold it."""
    in_project: bool = True
    """Whether a project's own file may: what loosens a guard is for the user to say."""

    @property
    def default(self) -> object:
        """The value where nobody says another."""
        return Settings._field_defaults[self.name]

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.name.upper()

    @property
    def flag(self) -> str:
        """The flag that sets it."""
        return "--" + self.name.replace("_", "-")


class _Given(NamedTuple):
    """One value of one layer."""

    value: object
    origin: str


_Layer = dict[str, _Given]


def parse_duration(text: str) -> int:
    """Return the seconds, 0 or more, in ``600``, ``90s``, ``10m`` or ``1h``."""
    try:
        return _seconds(text)
    except ValueError:
        raise UsageError(f"{_quoted(text)} is not {_DURATION.allowed}") from None


def resolve(
    files: Sequence[tuple[str, str]],
    environ: Mapping[str, str],
    flags: Mapping[str, object],
) -> Resolved:
    """Return the settings that hold, with the origin of each.

    ``files`` are paths, as messages shall show them, and texts in rising precedence.
    ``flags`` maps names of settings to values, typed or as text; None is not given.
    A flag that is no setting is a fault of the caller: KeyError.
    """
    chosen = _defaults() | _files(files) | _environment(environ) | _flags(flags)
    settings = Settings._make(chosen[name].value for name in Settings._fields)
    origins = {name: given.origin for name, given in chosen.items()}
    _check_shares(settings, origins)
    return Resolved(settings, origins)


def strays(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ``CTX_*`` variables that ctx ignores, sorted: perhaps one is misspelt."""
    known = {setting.variable for setting in SETTINGS}.union(NOT_SETTINGS)
    return tuple(sorted(name for name in environ if name.startswith(PREFIX) and name not in known))


# --- layers, in rising precedence -------------------------------------------------------


def _defaults() -> _Layer:
    return {setting.name: _Given(setting.default, "default") for setting in SETTINGS}


def _files(files: Sequence[tuple[str, str]]) -> _Layer:
    layer: _Layer = {}
    for path, text in files:
        layer |= _file(path, text)
    return layer


def _file(path: str, text: str) -> _Layer:
    layer: _Layer = {}
    for key, value in _toml(path, text).items():
        where = f"{path}:{_line_of(key, text)}"
        setting = _BY_NAME.get(key)
        if setting is None:
            raise _unknown(where, key, value)
        if not setting.in_files:
            way = f"use {setting.flag} or {setting.variable}"
            raise SettingsError(f"{where}: {key} cannot be set in a settings file", way)
        layer[key] = _Given(_from_file(f"{where}: {key}", setting.kind, value), path)
    return layer


def _environment(environ: Mapping[str, str]) -> _Layer:
    layer: _Layer = {}
    for setting in SETTINGS:
        text = environ.get(setting.variable)
        if text:
            value = _from_text(setting.variable, setting.kind, text, SettingsError)
            layer[setting.name] = _Given(value, setting.variable)
    return layer


def _flags(flags: Mapping[str, object]) -> _Layer:
    layer: _Layer = {}
    for name, given in flags.items():
        if given is not None:
            setting = _BY_NAME[name]
            value = _from_flag(setting, given)
            flag = setting.flag if value is not False else "--no-" + setting.flag[2:]
            layer[name] = _Given(value, flag)
    return layer


# --- values -----------------------------------------------------------------------------


def _from_file(where: str, kind: Kind, value: object) -> object:
    try:
        return kind.check(value)
    except ValueError:
        hint = "write it without the quotes" if _only_quoted(kind, value) else ""
        raise _refused(where, kind, value, SettingsError, hint) from None


def _from_text(where: str, kind: Kind, text: str, error: type[CtxError]) -> object:
    try:
        return kind.check(kind.from_text(text))
    except ValueError:
        raise _refused(where, kind, text, error) from None


def _from_flag(setting: Setting, value: object) -> object:
    if isinstance(value, str):
        return _from_text(setting.flag, setting.kind, value, UsageError)
    try:
        return setting.kind.check(value)
    except ValueError:
        raise _refused(setting.flag, setting.kind, value, UsageError) from None


def _only_quoted(kind: Kind, value: object) -> bool:
    """Return whether ``value`` is a fine value but for its quotes."""
    if not isinstance(value, str):
        return False
    try:
        kind.check(kind.from_text(value))
    except ValueError:
        return False
    return True


def _check_shares(settings: Settings, origins: Mapping[str, str]) -> None:
    tasks, conventions = settings.tasks_share, settings.conventions_share
    # Rounded, since fractions that make 1 in decimal may pass it by a bit in binary.
    if round(tasks + conventions, 9) > 1:
        message = (
            f"tasks_share = {tasks} ({origins['tasks_share']}) and conventions_share ="
            f" {conventions} ({origins['conventions_share']}) are more than 1 together"
        )
        raise SettingsError(message, "lower one of them")


def _refused(
    where: str, kind: Kind, value: object, error: type[CtxError], hint: str = ""
) -> CtxError:
    return error(f"{where}: {_quoted(value)} is not {kind.allowed}", hint)


def _quoted(value: object) -> str:
    """Return ``value`` on one short line, near to how its author wrote it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a [section]"
    try:
        text = repr(value) if isinstance(value, str | list) else str(value)
    except ValueError:  # Python refuses to print whole numbers of over 4,300 digits.
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


# --- files ------------------------------------------------------------------------------


def _toml(path: str, text: str) -> dict[str, object]:
    # A settings file fresh from `ctx init` holds comments only: no parser for those.
    if not any(line.strip() and line.lstrip()[0] != "#" for line in text.split("\n")):
        return {}
    import tomllib  # which costs as much as all the rest of this module

    text = text.removeprefix("\ufeff")
    try:
        return tomllib.loads(text)
    except RecursionError:
        fault = f"{path}: not TOML: too deeply nested"
    except ValueError as error:  # TOMLDecodeError; bare for a number of over 4,300 digits
        what, _, place = str(error).rpartition(" (at ")
        line = place.removeprefix("line ").partition(",")[0]
        number = line if line.isdigit() else str(text.rstrip().count("\n") + 1)
        fault = f"{path}:{number}: not TOML: {what or place}"
    raise SettingsError(fault, "a line reads like: budget = 8000")


def _line_of(key: str, text: str) -> int:
    """Return the first line, counted from 1, that sets ``key`` or opens it as a section.

    For messages only: 1 where an unusual spelling of the key hides it.
    """
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        left = line.partition("=")[0].partition("#")[0].strip(" \t\r[]")
        if left.strip("\"'") == key or left.partition(".")[0].strip(" \t\"'") == key:
            return number
    return 1


def _unknown(where: str, key: str, value: object) -> SettingsError:
    import difflib

    if isinstance(value, dict):
        message = f"{where}: unknown setting {_quoted(key)}: settings have no sections"
        return SettingsError(message, "write them at the top, like: budget = 8000")
    names = [setting.name for setting in SETTINGS if setting.in_files]
    close = difflib.get_close_matches(key.lower().replace("-", "_"), names, 1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(names)}"
    return SettingsError(f"{where}: unknown setting {_quoted(key)}", hint)


# --- kinds ------------------------------------------------------------------------------


def _whole(least: int) -> Kind:
    """Return the kind of whole numbers from ``least`` on."""

    def check(value: object) -> int:
        # bool is an int to Python, not to who writes `budget = true`.
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError
        return value

    return Kind(f"a whole number of {least} or more", check, int)


def _share(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError
    return float(value)


def _switch(value: object) -> bool:
    if value is True or value is False:
        return value
    raise ValueError


def _switch_word(text: str) -> bool:
    value = _WORDS.get(text.strip().lower())
    if value is None:
        raise ValueError
    return value


def _one_of(*choices: str) -> Kind:
    def check(value: object) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return Kind(" or ".join(choices), check, str.strip)


def _line(value: object) -> str:
    # A NUL in a path is a ValueError deep in the operating system's calls.
    if not isinstance(value, str) or not value.strip() or not {"\0", "\n"}.isdisjoint(value):
        raise ValueError
    return value


def _seconds(value: object) -> int:
    if isinstance(value, str):
        text = value.strip()
        unit = _UNITS.get(text[-1:])
        digits = text[:-1] if unit else text
        if not (digits.isascii() and digits.isdigit()):
            raise ValueError
        return int(digits) * (unit or 1)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError
    return value


_DURATION = Kind("a duration such as 600, 90s, 10m or 1h", _seconds, str)
_SHARE = Kind("a number from 0 to 1", _share, float)
_SWITCH = Kind("true or false", _switch, _switch_word)
_LINE = Kind("a non-empty line of text", _line, str)

SETTINGS: tuple[Setting, ...] = (
    Setting("budget", _whole(0), "Tokens that a packet may cost"),
    Setting("format", _one_of("md", "json"), "How a packet is written"),
    Setting("tokenizer", _LINE, "What counts tokens: a counter's name or a tokenizer.json"),
    Setting("ranker", _LINE, "What decides which entries matter now"),
    Setting("strict", _SWITCH, "Exit with 5 where the hard tier passes its limits"),
    Setting("cooldown", _DURATION, "Seconds in which a hook does not repeat itself"),
    Setting("hard_share", _SHARE, "Share of the budget over which the hard tier is degraded"),
    Setting("tasks_share", _SHARE, "Share of the budget that open tasks may take first"),
    Setting("conventions_share", _SHARE, "Share of the budget for conventions and soft rules"),
    Setting("max_file_mb", _whole(1), "Larger files, in MiB, are named and left unread"),
    Setting(
        "allow_links",
        _SWITCH,
        "Follow symbolic links out of the context directory",
        in_project=False,
    ),
    Setting("dir", _LINE, "The context directory, instead of looking for one", in_files=False),
    Setting("session", _LINE, "The session whose turns belong to the packet", in_files=False),
)
"""Every setting, in the order of ``Settings``."""

_BY_NAME = {setting.name: setting for setting in SETTINGS}

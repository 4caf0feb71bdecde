"""Settings from files, variables and options, and their precedence."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ctx.config.kinds import Kind, Value, fault, quoted
from ctx.config.table import BY_NAME, SETTINGS
from ctx.errors import CtxError, SettingsError, UsageError
from ctx.model import Json, JsonObject, Settings
from ctx.text.regex import regex
from ctx.typed import NamedTuple

LARGEST = 256 * 1024  # characters of a settings file that is read
MOST_DOTS = 200  # of a line, outside of strings: the parser's work grows with their square
_STRING = regex(r"\"[^\"]*\"|'[^']*'")
_SUMS = (("tasks_share", "conventions_share"), ("hard_share", "conventions_share", "tail_share"))
"""Shares that may not be more than 1 together; the second is the assembly law of
``retrieval-math`` section 7.8, alpha 1 + alpha 2 + beta <= 1."""

_Layer = dict[str, tuple[Value, str]]  # setting to value and origin


class Resolved(NamedTuple):
    """The settings, and where each came from."""

    settings: Settings
    origins: Mapping[str, str]  # setting to ``default``, a file, ``CTX_BUDGET`` or ``--budget``


def resolve(
    files: Sequence[tuple[str, str]],
    environ: Mapping[str, str],
    flags: Mapping[str, Value | list[str] | None],
) -> Resolved:
    """Return the settings in force, with the origin of each.

    ``files`` are paths, as messages show them, and texts, the later ones with precedence.
    ``flags`` maps names of settings to values, typed or as text; None is not given.
    A flag that is no setting is a fault of the caller: KeyError.
    """
    chosen: _Layer = {setting.name: (setting.default, "default") for setting in SETTINGS}
    for path, text in files:
        chosen |= _file(path, text)
    for setting in SETTINGS:
        if text := environ.get(setting.variable, ""):
            value = _given(setting.variable, setting.kind, text, SettingsError)
            chosen[setting.name] = (value, setting.variable)
    for name, given in flags.items():
        if given is not None:
            setting = BY_NAME[name]
            value = _given(setting.flag, setting.kind, given, UsageError)
            flag = setting.flag if value is not False else "--no-" + setting.flag[2:]
            chosen[name] = (value, flag)
    settings = Settings._make(chosen[name][0] for name in Settings._fields)
    origins = {name: origin for name, (_, origin) in chosen.items()}
    for names in _SUMS:
        shares = {name: getattr(settings, name) for name in names}
        # Rounded, since fractions that sum to 1 in decimal may exceed it by a bit in binary.
        if round(sum(shares.values()), 9) > 1:
            *most, last = (f"{name} = {share} ({origins[name]})" for name, share in shares.items())
            message = f"{', '.join(most)} and {last} are more than 1 together"
            raise SettingsError(message, "lower one of them")
    return Resolved(settings, origins)


def _file(path: str, text: str) -> _Layer:
    layer: _Layer = {}
    if all(not line.strip() or line.lstrip()[0] == "#" for line in text.split("\n")):
        return layer  # only comments, as in a file made by ``ctx init``: nothing to parse
    for key, value in _toml(path, text).items():
        where = f"{path}:{_line_of(key, text)}"
        setting = BY_NAME.get(key)
        if setting is None:
            raise _unknown(where, key, value)
        if not setting.in_files:
            remedy = f"use {setting.flag} or {setting.variable}"
            raise SettingsError(f"{where}: {key} cannot be set in a settings file", remedy)
        layer[key] = (_checked(f"{where}: {key}", setting.kind, value), path)
    return layer


def bounded(text: str) -> "JsonObject":
    """Return the values in a text of TOML; ValueError where it is none, or slow to read."""
    import tomllib  # most projects have no settings file

    if len(text) > LARGEST:
        raise ValueError(f"over {LARGEST:,} characters")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS and _STRING.sub("", line).count(".") > MOST_DOTS:
            raise ValueError(f"over {MOST_DOTS} dots in a line (at line {number}, column 1)")
    return tomllib.loads(text)


def _toml(path: str, text: str) -> "JsonObject":
    text = text.removeprefix("\ufeff")
    try:
        return bounded(text)
    except RecursionError:
        broken = f"{path}: not TOML: too deeply nested"
    except ValueError as error:  # TOMLDecodeError; a plain one for a number of over 4,300 digits
        what, _, place = str(error).rpartition(" (at ")
        line = place.removeprefix("line ").partition(",")[0]
        number = line if line.isdigit() else str(text.rstrip().count("\n") + 1)
        broken = f"{path}:{number}: not TOML: {what or place}"
    raise SettingsError(broken, "a line reads like: budget = 8000")


def _checked(where: str, kind: Kind, value: "Json") -> Value:
    try:
        return kind.check(value)
    except ValueError as why:
        hint = ""
        if isinstance(value, str):
            with suppress(ValueError):
                kind.check(kind.from_text(value))
                hint = "write it without the quotes"
        raise SettingsError(f"{where}: {fault(kind, value, why)}", hint) from None


def _line_of(key: str, text: str) -> int:
    """Return the first line that sets ``key`` or opens it as a section, for messages; or 1."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        left = line.partition("=")[0].partition("#")[0].strip(" \t\r[]")
        if left.strip("\"'") == key or left.partition(".")[0].strip(" \t\"'") == key:
            return number
    return 1


def _unknown(where: str, key: str, value: "Json") -> SettingsError:
    import difflib

    if isinstance(value, dict):
        message = f"{where}: unknown setting {quoted(key)}: settings have no sections"
        return SettingsError(message, "write them at the top, like: budget = 8000")
    names = [setting.name for setting in SETTINGS if setting.in_files]
    close = difflib.get_close_matches(key.lower().replace("-", "_"), names, 1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(names)}"
    return SettingsError(f"{where}: unknown setting {quoted(key)}", hint)


def _given(where: str, kind: Kind, value: object, error: type[CtxError]) -> Value:
    """Return the value of a variable or a flag, typed or as text."""
    try:
        return kind.check(kind.from_text(value) if isinstance(value, str) else value)
    except ValueError as why:
        raise error(f"{where}: {fault(kind, value, why)}") from None

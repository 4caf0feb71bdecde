"""The layers that settings come from, and which of them wins."""

# No annotations as text: see ctx.config.kinds.
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctx.config.kinds import Kind, fault
from ctx.config.table import BY_NAME, SETTINGS, Setting, Settings
from ctx.errors import CtxError, SettingsError, UsageError

_WHOLES = (
    ("tasks_share", "conventions_share"),
    ("hard_share", "conventions_share", "tail_share"),
)
"""Shares that may not be more than 1 together; the second is the assembly law of
``retrieval-math`` section 7.8, alpha 1 + alpha 2 + beta <= 1."""

_Layer = dict[str, tuple[object, str]]
"""Setting to value and origin."""


class Resolved(NamedTuple):
    """The settings, and where each came from."""

    settings: Settings
    origins: Mapping[str, str]
    """Setting to ``default``, a file's path, ``CTX_BUDGET`` or ``--budget``."""


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
    settings = Settings._make(chosen[name][0] for name in Settings._fields)
    origins = {name: origin for name, (_, origin) in chosen.items()}
    for names in _WHOLES:
        _check_shares(names, settings, origins)
    return Resolved(settings, origins)


def _check_shares(names: Sequence[str], settings: Settings, origins: Mapping[str, str]) -> None:
    shares = {name: getattr(settings, name) for name in names}
    # Rounded, since fractions that make 1 in decimal may pass it by a bit in binary.
    if round(sum(shares.values()), 9) > 1:
        *most, last = (f"{name} = {share} ({origins[name]})" for name, share in shares.items())
        message = f"{', '.join(most)} and {last} are more than 1 together"
        raise SettingsError(message, "lower one of them")


# --- layers, in rising precedence -------------------------------------------------------


def _defaults() -> _Layer:
    return {setting.name: (setting.default, "default") for setting in SETTINGS}


def _files(files: Sequence[tuple[str, str]]) -> _Layer:
    layer: _Layer = {}
    for path, text in files:
        if _says_something(text):
            from ctx.config.files import values  # which loads a parser

            layer |= {name: (value, path) for name, value in values(path, text).items()}
    return layer


def _says_something(text: str) -> bool:
    """Return whether there is more than comments, as in a file fresh from ``ctx init``."""
    return any(line.strip() and line.lstrip()[0] != "#" for line in text.split("\n"))


def _environment(environ: Mapping[str, str]) -> _Layer:
    layer: _Layer = {}
    for setting in SETTINGS:
        text = environ.get(setting.variable)
        if text:
            value = _from_text(setting.variable, setting.kind, text, SettingsError)
            layer[setting.name] = (value, setting.variable)
    return layer


def _flags(flags: Mapping[str, object]) -> _Layer:
    layer: _Layer = {}
    for name, given in flags.items():
        if given is not None:
            setting = BY_NAME[name]
            value = _from_flag(setting, given)
            flag = setting.flag if value is not False else "--no-" + setting.flag[2:]
            layer[name] = (value, flag)
    return layer


# --- values -----------------------------------------------------------------------------


def _from_text(where: str, kind: Kind, text: str, error: type[CtxError]) -> object:
    try:
        return kind.check(kind.from_text(text))
    except ValueError as why:
        raise error(f"{where}: {fault(kind, text, why)}") from None


def _from_flag(setting: Setting, value: object) -> object:
    if isinstance(value, str):
        return _from_text(setting.flag, setting.kind, value, UsageError)
    try:
        return setting.kind.check(value)
    except ValueError as why:
        raise UsageError(f"{setting.flag}: {fault(setting.kind, value, why)}") from None

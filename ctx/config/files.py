"""What a settings file says, in TOML."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from ctx.config.kinds import fault, quoted
from ctx.config.table import BY_NAME, SETTINGS
from ctx.errors import SettingsError

if TYPE_CHECKING:
    from ctx.config.kinds import Kind


def values(path: str, text: str) -> dict[str, object]:
    """Return the settings in the ``text`` of a file, which messages show as ``path``."""
    found: dict[str, object] = {}
    for key, value in _toml(path, text).items():
        where = f"{path}:{_line_of(key, text)}"
        setting = BY_NAME.get(key)
        if setting is None:
            raise _unknown(where, key, value)
        if not setting.in_files:
            way = f"use {setting.flag} or {setting.variable}"
            raise SettingsError(f"{where}: {key} cannot be set in a settings file", way)
        found[key] = _checked(f"{where}: {key}", setting.kind, value)
    return found


LARGEST = 256 * 1024
"""Characters of a settings file that is read."""
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
MOST_DOTS = 200
"""Of a line, its strings apart: the parser's work and memory grow with the square of the parts of
a key."""


def bounded(text: str) -> dict[str, object]:
    """Return what TOML says. Raises ValueError where it is none, or would take long to read."""
    if len(text) > LARGEST:
        raise ValueError(f"over {LARGEST:,} characters")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS and _STRING.sub("", line).count(".") > MOST_DOTS:
            raise ValueError(f"over {MOST_DOTS} dots in a line (at line {number}, column 1)")
    return tomllib.loads(text)


def _toml(path: str, text: str) -> dict[str, object]:
    text = text.removeprefix("\ufeff")
    try:
        return bounded(text)
    except RecursionError:
        broken = f"{path}: not TOML: too deeply nested"
    except ValueError as error:  # TOMLDecodeError; bare for a number of over 4,300 digits
        what, _, place = str(error).rpartition(" (at ")
        line = place.removeprefix("line ").partition(",")[0]
        number = line if line.isdigit() else str(text.rstrip().count("\n") + 1)
        broken = f"{path}:{number}: not TOML: {what or place}"
    raise SettingsError(broken, "a line reads like: budget = 8000")


def _checked(where: str, kind: Kind, value: object) -> object:
    try:
        return kind.check(value)
    except ValueError as why:
        hint = "write it without the quotes" if _only_quoted(kind, value) else ""
        raise SettingsError(f"{where}: {fault(kind, value, why)}", hint) from None


def _only_quoted(kind: Kind, value: object) -> bool:
    """Return whether ``value`` is a fine value but for its quotes."""
    if not isinstance(value, str):
        return False
    try:
        kind.check(kind.from_text(value))
    except ValueError:
        return False
    return True


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
        message = f"{where}: unknown setting {quoted(key)}: settings have no sections"
        return SettingsError(message, "write them at the top, like: budget = 8000")
    names = [setting.name for setting in SETTINGS if setting.in_files]
    close = difflib.get_close_matches(key.lower().replace("-", "_"), names, 1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(names)}"
    return SettingsError(f"{where}: unknown setting {quoted(key)}", hint)

"""The kinds of values of settings, and the messages for values that are refused."""

import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta

from ctx.errors import UsageError
from ctx.typed import NamedTuple, TypeGuard

Value = bool | int | float | str  # the value of a setting

_UNITS = {"s": 1, "m": 60, "h": 3600}
_WORDS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
_LARGEST = sys.float_info.max
_LONGEST = 10**9  # seconds, over thirty years; clocks of the system take no more
_SHOWN = 60  # characters of a refused value that a message quotes
_MOST = 10**12  # a larger number of tokens, files or seconds means the same; C takes no larger


class Kind(NamedTuple):
    """A kind of values."""

    allowed: str  # completes the sentence "'x' is not …"
    check: Callable[[object], Value]  # returns the value; ValueError where it is refused
    from_text: Callable[[str], Value]  # makes of a text what ``check`` takes; ValueError


class ReasonError(ValueError):
    """A value that is refused for a part of it; the text of the error is the whole sentence."""


def day(flag: str, text: str, today: str) -> date:
    """Return the day in ``text``: 2026-11-01, or 30d before ``today``; or UsageError."""
    days = text.removesuffix("d")
    try:
        if days.isdecimal() and len(days) < len("20261101"):
            return date.fromisoformat(today) - timedelta(int(days))
        return date.fromisoformat(text)
    except (ValueError, OverflowError):
        message = f"{flag}: {quoted(text)} is neither a date nor a number of days"
        raise UsageError(message, "such as 2026-11-01 or 30d") from None


def whole_number(flag: str, text: str, kind: str = "", *, least: int = 0) -> int:
    """Return the number in ``text``, ``least`` or more; UsageError names ``flag`` and ``kind``."""
    with suppress(ValueError):
        if (number := _number(text.strip())) >= least:
            return number
    raise UsageError(f"{flag}: {quoted(text)} is not {kind or whole(least).allowed}")


def _number(text: str) -> int:
    """Return the whole number in ASCII digits, at most ``_MOST``; ValueError where it is none."""
    if not is_digits(text):
        raise ValueError
    digits = text.lstrip("0")
    return _MOST if len(digits) > len(str(_MOST)) else min(int(digits or "0"), _MOST)


def share(flag: str, text: str) -> float:
    """Return the number in ``text``; UsageError, which names ``flag``, unless it is 0 to 1."""
    try:
        return _share(float(text))  # which refuses NaN as well
    except ValueError:
        raise UsageError(f"{flag}: {quoted(text)} is not {SHARE.allowed}") from None


def alternatives(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of each document in ``authored``, the preferred first.

    "AGENTS.md|RULES.md, docs/TEAM.md" are two: ("AGENTS.md", "RULES.md") and
    ("docs/TEAM.md",).
    """
    if text.strip() == "none":
        return ()
    return tuple(tuple(map(str.strip, names.split("|"))) for names in text.split(","))


def fault(kind: Kind, value: object, why: ValueError) -> str:
    """Return the sentence with the reason why ``value`` is refused."""
    return str(why) if isinstance(why, ReasonError) else f"{quoted(value)} is not {kind.allowed}"


def quoted(value: object) -> str:
    """Return ``value`` on one short line, nearly as its author wrote it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a [section]"
    try:
        text = repr(value) if isinstance(value, str | list) else str(value)
    except ValueError:  # Python refuses to print whole numbers of over 4,300 digits.
        return "a number of thousands of digits"
    from ctx.text.names import cut  # only where a value is refused

    return cut(text, _SHOWN)


def _is_whole(value: object, least: int = 0) -> TypeGuard[int]:
    # bool is an int to Python, not to the author of `budget = true`.
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_digits(text: str) -> bool:
    """Return whether ``text`` is a whole number in ASCII digits, without a sign or spaces."""
    return text.isascii() and text.isdigit()


def whole(least: int) -> Kind:
    """Return the kind of whole numbers from ``least`` on."""

    def check(value: object) -> int:
        if not _is_whole(value, least):
            raise ValueError
        return min(value, _MOST)

    return Kind(f"a whole number of {least} or more", check, lambda text: _number(text.strip()))


def one_of(*choices: str) -> Kind:
    """Return the kind of the words ``choices``."""

    def check(value: object) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return Kind(" or ".join(choices), check, str.strip)


def _share(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError
    return float(value)


def _figure(value: object) -> float:
    # 0 times infinity is no number, and nor is 1 - 1 of two of them.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        raise ValueError
    return float(value)


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError


def _line(value: object) -> str:
    # A NUL in a path is a ValueError deep in the operating system's calls.
    if not isinstance(value, str) or not value.strip() or not {"\0", "\n"}.isdisjoint(value):
        raise ValueError
    return value


def _seconds(value: object) -> int:
    if isinstance(value, str):
        text = value.strip()
        unit = _UNITS.get(text[-1:])
        return min(_number(text[:-1] if unit else text) * (unit or 1), _LONGEST)
    if not _is_whole(value):
        raise ValueError
    return min(value, _LONGEST)


def _documents(value: object) -> str:
    text = _line(value)
    if len(text.splitlines()) > 1:  # at other ends of lines than \n, too
        raise ValueError
    seen: set[str] = set()
    for name in (name for names in alternatives(text) for name in names):
        if not _is_document(name):
            where = f"{quoted(name)} in {quoted(text)}"
            raise ReasonError(f"{where} is not a path, relative and with /, that ends in .md")
        if name in seen:
            raise ReasonError(f"{quoted(text)} names {quoted(name)} twice")
        seen.add(name)
    return text


def _is_document(name: str) -> bool:
    # Windows takes "a:x.md" for a path on a drive, and ".. " for "..".
    is_plain = "\\" not in name and name[1:2] != ":"
    is_inside = all(part.strip(" .") for part in name.split("/"))
    return name.lower().endswith(".md") and is_plain and is_inside


def _sources(value: object) -> str:
    text = _line(value)
    for name in map(str.strip, text.split(",")):
        if text != "all" and name[:1] not in ("+", "-") and not _is_document(name):
            raise ReasonError(
                f"{quoted(name)} in {quoted(text)} is neither a source with + or - before it nor a "
                "path, relative and with /, that ends in .md"
            )
    return text


DURATION = Kind("a duration such as 600, 90s, 10m or 1h", _seconds, str)
FIGURE = Kind("a number", _figure, float)
SHARE = Kind("a number from 0 to 1", _share, float)
SWITCH = Kind("true or false", _switch, lambda text: _WORDS.get(text.strip().lower(), text))
LINE = Kind("a non-empty line of text", _line, str)
DOCUMENTS = Kind("a line of relative paths that end in .md, or none", _documents, str)
SOURCES = Kind("a line such as -adr, +docs, team/RULES.md, or all", _sources, str)

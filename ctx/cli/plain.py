"""Reading the options of ``ctx agent`` when they are written plainly.

A hook calls ``ctx agent`` many times an hour, and importing typer costs more than the
packet. So ``--name value``, ``--name=value`` and bare switches are read here; anything
else (help, mistakes, abbreviations) is left to typer, which says what is wrong. A test
holds that both read the same call alike.
"""

from __future__ import annotations

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

VALUES = frozenset(
    {
        "as-of",
        "budget",
        "context-length",
        "cooldown",
        "dir",
        "embedder",
        "focus",
        "format",
        "planner",
        "query",
        "ranker",
        "session",
        "threshold-tokens",
        "tokenizer",
        "used-tokens",
    }
)
"""Options that take a value."""
SWITCHES = frozenset({"allow-overshoot", "delta", "explain", "hash-ids", "log-json", "strict"})
"""Options that take none."""
MANY = frozenset({"focus"})
"""Options that may be given again, each with another value."""


def read(arguments: Sequence[str]) -> dict[str, object] | None:
    """Return options by name, underscores for dashes; None where typer must look."""
    given: dict[str, object] = {}
    waiting = ""
    for argument in arguments:
        if waiting:
            if argument[:1] == "-" and argument != "-":
                return None
            _give(given, waiting, argument)
            waiting = ""
            continue
        name, equals, value = argument[2:].partition("=")
        if argument[:2] != "--" or name not in (VALUES if equals else VALUES | SWITCHES):
            return None
        key = name.replace("-", "_")
        if equals:
            _give(given, key, value)
        elif name in SWITCHES:
            given[key] = True
        else:
            waiting = key
    return None if waiting else given


def _give(given: dict[str, object], key: str, value: str) -> None:
    """Set an option; the last of several holds, unless there can be many."""
    known = given.get(key)
    if key not in MANY:
        given[key] = value
    elif isinstance(known, list):
        known.append(value)
    else:
        given[key] = [value]

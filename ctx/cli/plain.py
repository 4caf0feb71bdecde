"""Reading the options of ``ctx agent`` when they are written plainly.

A hook calls ``ctx agent`` many times an hour, and importing typer costs more than the
packet. So ``--name value``, ``--name=value`` and bare switches are read here; anything
else (help, mistakes, abbreviations) is left to typer, which says what is wrong. A test
holds that both read the same call alike.
"""

from __future__ import annotations

from ctx.app.options import BY_NAME, PacketOptions

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ctx.app.options import Option


def read(arguments: Sequence[str]) -> PacketOptions | None:
    """Return what the call was given; None where typer must look."""
    given: dict[str, Any] = {}
    waiting: Option | None = None
    for argument in arguments:
        if waiting:
            if argument[:1] == "-" and argument != "-":
                return None
            _give(given, waiting, argument)
            waiting = None
            continue
        name, equals, value = argument[2:].partition("=")
        option = BY_NAME.get(name)
        if argument[:2] != "--" or option is None or (equals and not option.metavar):
            return None
        if equals:
            _give(given, option, value)
        elif option.metavar:
            waiting = option
        else:
            given[option.key] = True
    return None if waiting else PacketOptions(**given)


def _give(given: dict[str, Any], option: Option, value: str) -> None:
    """Set an option; the last of several holds, unless there can be many."""
    if option.is_many:
        given.setdefault(option.key, []).append(value)
    else:
        given[option.key] = value

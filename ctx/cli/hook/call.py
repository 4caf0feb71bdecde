"""One call of a hook: what was typed into the host's settings, and what becomes of it."""

from __future__ import annotations

import time

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

OPTIONS = ("budget", "context-length", "cooldown", "deadline", "dir")
"""The options of ``ctx hook run``; all take a value."""
OUTCOMES = ("said", "silent", "quiet", "ignored", "fault", "deadline")
"""What becomes of a call: something was put before the model; nothing is new; the same was said
a moment ago; the tool has no such event; something is wrong; it took too long."""
SECONDS = 2.0
"""The deadline, where nobody sets another."""
MOST_SECONDS = 600.0
"""More is no deadline: hosts give up before."""


class Fault(Exception):  # noqa: N818 - said in the log by this name
    """Something is wrong, and the log says what: in words that hold nothing of the event."""


class Call:
    """One call: what is known of it, for the log."""

    __slots__ = ("began", "event", "flags", "outcome", "reason", "tool")

    def __init__(self, tool: str, event: str, flags: dict[str, str]) -> None:
        """Begin now."""
        self.began = time.monotonic()
        self.tool = tool
        self.event = event
        self.flags = flags
        self.outcome = "fault"
        """One of ``OUTCOMES``."""
        self.reason = ""
        """Why, in words that hold nothing of the event."""

    def ends(self, outcome: str, reason: str = "") -> None:
        """Keep what became of it."""
        self.outcome, self.reason = outcome, reason


def read(arguments: Sequence[str]) -> Call | None:
    """Return the call that is written plainly in ``arguments``; None where typer must look.

    Two names, and options as ``--name VALUE`` or ``--name=VALUE``, the last of several.
    """
    names: list[str] = []
    flags: dict[str, str] = {}
    waiting = ""
    for argument in arguments:
        if waiting:
            if argument[:1] == "-":
                return None
            flags[waiting] = argument
            waiting = ""
        elif argument[:1] != "-":
            names.append(argument)
        else:
            name, equals, value = argument[2:].partition("=")
            if argument[:2] != "--" or name not in OPTIONS:
                return None
            if equals:
                flags[name] = value
            else:
                waiting = name
    match names:
        case [tool, event] if not waiting:
            return Call(tool, event, flags)
        case _:
            return None


def seconds(text: str) -> float | None:
    """Return the deadline in ``text``, such as 2, 0.5 or 3s; None where it is none."""
    try:
        found = float(text.strip().removesuffix("s"))
    except ValueError:
        return None
    return min(found, MOST_SECONDS) if found > 0 else None

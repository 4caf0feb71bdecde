"""What an agent's window leaves room for: the options that tell how full it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.config import quoted
from ctx.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.config import Settings
    from ctx.model import Request

OPTIONS = ("context_length", "used_tokens", "threshold_tokens")
_MOST_DIGITS = 18
"""Of a figure; one that has more is as good as endless."""


class Pressed(NamedTuple):
    """A request under pressure, and what to say of it."""

    request: Request
    note: str
    """For the person who asked; empty where nobody told how full the window is."""


def press(request: Request, flags: Mapping[str, object], settings: Settings) -> Pressed:
    """Return ``request`` as the fullness of the agent's window allows (``strategy.md``).

    The budget is what is free at most; sections are limited and filtered by trust; near the
    end only the rules are said. UsageError for figures that are none.
    """
    length, used, threshold = (_tokens(flags, name) for name in OPTIONS)
    if length is None:
        named = next((one for one in OPTIONS[1:] if flags.get(one) is not None), None)
        if named:
            raise UsageError(f"--{named.replace('_', '-')}: needs --context-length as well")
        return Pressed(request, "")
    from ctx import pressure

    full = pressure.pressure(length, used or 0, threshold or 0)
    allowed = pressure.limits(full)
    signals = [one.strip() for one in settings.memory_signals.split(",")]
    retrieved = pressure.retrieves(full, request.query, signals)
    budget = min(request.budget, pressure.free_tokens(length, used or 0))
    changed = request._replace(
        budget=budget,
        most_entries=allowed.entries if retrieved else 0,
        least_trust=allowed.least_trust,
        rules_only=allowed.strategy == "skip",
    )
    what = f"{allowed.entries} entries a section, trust {allowed.least_trust} and up"
    if not retrieved:
        what = "nothing is retrieved, as no query asks for what was said before"
    if changed.rules_only:
        what = "only the rules are said"
    return Pressed(changed, f"pressure {full:.2f}, {allowed.strategy}: {what}; budget {budget:,}")


def _tokens(flags: Mapping[str, object], name: str) -> int | None:
    text = flags.get(name)
    if text is None:
        return None
    digits = str(text).strip().replace("_", "")
    if not (digits.isascii() and digits.isdigit()):
        flag = name.replace("_", "-")
        raise UsageError(f"--{flag}: {quoted(str(text))} is not a whole number of tokens")
    return int(digits.lstrip("0")[:_MOST_DIGITS] or "0")  # more are more than there can be

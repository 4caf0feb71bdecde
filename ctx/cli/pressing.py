"""What an agent's window leaves room for: the options that tell how full it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.cli.numbers import whole
from ctx.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.config import Settings
    from ctx.model import Request


WINDOW = ("context_length", "used_tokens", "threshold_tokens")
"""Options that tell how full the agent's window is."""


def press(request: Request, flags: Mapping[str, object], settings: Settings) -> Request:
    """Return ``request`` as the fullness of the agent's window allows (``strategy.md``).

    The budget is what is free at most; sections are limited and filtered by trust; near the
    end only the rules are said. UsageError for figures that are none.
    """
    length, used, threshold = (_tokens(flags, name) for name in WINDOW)
    if length is None:
        named = next((one for one in WINDOW[1:] if flags.get(one) is not None), None)
        if named:
            raise UsageError(f"--{named.replace('_', '-')}: needs --context-length as well")
        return request
    from ctx.fit import window

    full = window.pressure(length, used or 0, threshold or 0)
    allowed = window.limits(full)
    signals = [one.strip() for one in settings.memory_signals.split(",")]
    retrieved = window.retrieves(full, request.query, signals)
    budget = min(request.budget, window.free_tokens(length, used or 0))
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
    told = f"pressure {full:.2f}, {allowed.strategy}: {what}; budget {budget:,}"
    return changed._replace(pressure=told)


def _tokens(flags: Mapping[str, object], name: str) -> int | None:
    text = flags.get(name)
    if text is None:
        return None
    return whole(f"--{name.replace('_', '-')}", str(text), "a whole number of tokens")

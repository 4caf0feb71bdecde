"""What of the rules a session holds already, and what of a session's memory is out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.fit.delivery import current, level_digest, outdated
from ctx.fit.kv_cache import is_known
from ctx.model import Said, Scored, Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Context, Memory, Request


def rules_of(context: Context) -> list[Said]:
    """Return the rules of a directory as a packet says them."""
    return [
        Said(Scored(entry, 0.0, ()), "full")
        for source in context.sources
        for part in source.parts
        if part.kind == "rule"
        for entry in map(part.entry, range(len(part)))
        if entry.section == "rules"
    ]


def unknown(rules: Sequence[Said], request: Request) -> list[Said]:
    """Return those of ``rules`` that the session of ``request`` does not hold as they are now."""
    memory = current(request.memory, request.now)
    if memory is None:
        return list(rules)
    return [one for one in rules if not is_known(memory, *level_digest(one))]


def section_of(rules: Sequence[Said]) -> Section:
    """Return ``rules`` as the section of a packet."""
    return Section("rules", 0, 0, tuple(rules), (), 0, "")


def is_outstanding(context: Context, memory: Memory | None) -> bool:
    """Whether a session that holds ``memory`` has to hear of something that is not so any more."""
    return any(outdated(context, memory))

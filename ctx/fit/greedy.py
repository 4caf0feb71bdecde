"""The best things that fit: in order, passing over what is too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ctx.model import Scored

PATIENCE = 100
"""Things in a row that do not fit, after which the rest is taken for too long as well."""


def greedy(ranked: Iterable[Scored], cost: Callable[[Scored], int], budget: int) -> list[Scored]:
    """Return those of ``ranked``, best first, whose costs stay within ``budget`` together."""
    chosen: list[Scored] = []
    passed = 0
    for one in ranked:
        if passed >= PATIENCE or budget <= 0:
            break
        tokens = cost(one)
        if tokens > budget:
            passed += 1
            continue
        budget -= tokens
        chosen.append(one)
        passed = 0
    return chosen

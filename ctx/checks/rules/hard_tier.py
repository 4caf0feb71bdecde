"""Rules that cost more than their share of the configured budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.checks.types import Fault, brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.checks.types import Hard, Subject

NAMED = 5
"""Files that are named at most."""
LEAST_SHARE = 0.1
"""Of what all files cost, from which a file is named."""


def check(subject: Subject) -> Iterator[Fault]:
    """Yield one fault, at the file whose rules cost most, where packets are degraded by rules."""
    hard = subject.hard
    if hard is not None and hard.tokens > hard.limit:
        yield Fault(
            hard.dearest[0].file,
            hard.line,
            f"the rules cost {hard.tokens:,} tokens, over their share of {hard.limit:,} "
            f"({hard.share:.0%} of {hard.budget:,}), most of them {_dearest(hard)}",
            f"shorten them, or raise the budget: `ctx tiers {hard.typed}` shows what each costs",
        )


def _dearest(hard: Hard) -> str:
    """Return the files that share the blame, and how many others have rules."""
    least = LEAST_SHARE * sum(one.tokens for one in hard.dearest)
    dear = [one for one in hard.dearest[:NAMED] if one.tokens >= least] or hard.dearest[:1]
    names = ", ".join(f"{brief(one.file)} ({one.tokens:,})" for one in dear)
    more = len(hard.dearest) - len(dear)
    others = f", and in {more:,} other file{'' if more == 1 else 's'}" if more else ""
    return f"in {names}{others}"

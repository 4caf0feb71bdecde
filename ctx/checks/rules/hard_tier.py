"""Rules that cost more than their share of the configured budget."""

from collections.abc import Iterator

from ctx.checks.types import Fault, Hard, Subject, brief

NAMED = 5
"""Files that are named at most."""
LEAST_SHARE = 0.1
"""Share of the cost of all files, from which a file is named."""


def check(subject: Subject) -> Iterator[Fault]:
    """Yield one fault, at the file whose rules cost most, where rules exceed their share."""
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
    """Return the files that cost most, and how many others have rules."""
    least = LEAST_SHARE * sum(file.tokens for file in hard.dearest)
    dear = [file for file in hard.dearest[:NAMED] if file.tokens >= least] or hard.dearest[:1]
    names = ", ".join(f"{brief(file.file)} ({file.tokens:,})" for file in dear)
    more = len(hard.dearest) - len(dear)
    others = f", and in {more:,} other file{'' if more == 1 else 's'}" if more else ""
    return f"in {names}{others}"

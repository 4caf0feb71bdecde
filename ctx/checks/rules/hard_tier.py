"""Rules that cost more than their share of the configured budget."""

from collections.abc import Iterator

from ctx.checks.types import Fault, RuleCost, Subject, brief

NAMED = 5  # files that are named at most
LEAST_SHARE = 0.1  # share of the cost of all files, from which a file is named


def check(subject: Subject) -> Iterator[Fault]:
    """Yield one fault, at the file whose rules cost most, where rules exceed their share."""
    cost = subject.rule_cost
    if cost is not None and cost.tokens > cost.limit:
        yield Fault(
            cost.files[0].file,
            cost.line,
            f"the rules cost {cost.tokens:,} tokens, over their share of {cost.limit:,} "
            f"({cost.share:.0%} of {cost.budget:,}), most of them {_most_expensive(cost)}",
            f"shorten them, or raise the budget: `ctx tiers {cost.typed}` shows what each costs",
        )


def _most_expensive(cost: RuleCost) -> str:
    least = LEAST_SHARE * sum(file.tokens for file in cost.files)
    shown = [file for file in cost.files[:NAMED] if file.tokens >= least] or cost.files[:1]
    names = ", ".join(f"{brief(file.file)} ({file.tokens:,})" for file in shown)
    more = len(cost.files) - len(shown)
    others = f", and in {more:,} other file{'' if more == 1 else 's'}" if more else ""
    return f"in {names}{others}"

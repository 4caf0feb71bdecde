"""The frame of a packet and its hard tier: what is said whatever the budget."""

from collections.abc import Sequence
from typing import NamedTuple

from ctx.fit.offer import Offer
from ctx.model import Measure, Request, Section, Selection
from ctx.tokens import estimate

READ_ORDER_SHARE = 0.01
"""Of the budget, for names of files beyond the usual ones."""
WARNINGS_SHARE = 0.02
"""Of the budget, for warnings within the packet; all of them go to stderr as well."""


class Frame(NamedTuple):
    """A packet that says nothing but its hard tier."""

    selection: Selection
    spent: int
    """Tokens of it as rendered."""
    full: bool
    """Whether there is no room for anything else."""


def frame(request: Request, rules: Section, choice: Offer, measure: Measure) -> Frame:
    """Return the frame with all ``rules``.

    The read order and the warnings give way when they would push the packet over its
    budget; rules and instruction never do.
    """
    names = choice.read_order
    shown = _shown(names, choice.usual, request.budget)
    bare = Selection((rules,), (), 0, "", ())
    whole = bare._replace(
        read_order=tuple(names[:shown]),
        read_more=len(names) - shown,
        warnings=_fitting(choice.warnings, request.budget),
    )
    over_share = _over_share(request, rules)
    for selection in (whole, whole._replace(warnings=()), bare):
        framed = selection._replace(degraded=over_share)
        spent = measure.whole(framed)
        if spent <= request.budget:
            return Frame(framed, spent, full=False)
    degraded = bare
    for _ in range(2):  # the notice is part of what it gives the cost of
        cost = measure.whole(degraded)
        degraded = bare._replace(
            degraded=f"rules and frame cost {cost:,} tokens with this notice, over the budget "
            f"of {request.budget:,}; nothing else is said."
        )
    return Frame(degraded, measure.whole(degraded), full=True)


def _over_share(request: Request, rules: Section) -> str:
    """Say by how much the rules pass their share of the budget; empty when they do not."""
    share = int(request.hard_share * request.budget)
    if rules.used <= share:
        return ""
    return (
        f"the rules cost {rules.used:,} tokens, over their share of {share:,} "
        f"({request.hard_share:.0%} of {request.budget:,}); they are said whole."
    )


def _shown(names: Sequence[str], usual: int, budget: int) -> int:
    room = int(READ_ORDER_SHARE * budget)
    shown = usual
    for name in names[usual:]:
        room -= estimate(f", {name}")
        if room < 0:
            break
        shown += 1
    return shown


def _fitting(warnings: Sequence[str], budget: int) -> tuple[str, ...]:
    room = int(WARNINGS_SHARE * budget)
    kept: list[str] = []
    for warning in warnings:
        room -= estimate(warning) + 2
        if room < 0:
            kept.append(f"… and {len(warnings) - len(kept)} more on stderr")
            break
        kept.append(warning)
    return tuple(kept)

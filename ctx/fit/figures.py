"""What a packet of the benefit/cost planner says of itself: figures, and a policy for memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import KVPolicy, Measure, Plan, Request, Selection

SHARE = 0.03
"""Of the budget, kept for figures: a packet is for what the agent must know."""
LEAST = 110
"""Tokens that figures take; where the share is smaller, none is kept and nothing is said."""
_STEPS = (1.0, 0.5, 0.25, 0.1, 0.0)
"""Shares of the policy that are tried, where all of it is too long."""


def apart(request: Request) -> int:
    """Return the tokens of the budget that figures may take: none in Markdown."""
    told = request.planner == "acs" or request.memory is not None
    share = int(SHARE * request.budget)
    return share if told and request.format == "json" and share >= LEAST else 0


def furnish(selection: Selection, plan: Plan, request: Request, measure: Measure) -> Selection:
    """Return ``selection`` with as much of its figures as fit their share, the policy first cut.

    A packet that passes its budget as it is has no room for figures; one that says no news has
    none to be told how to keep.
    """
    room = apart(request)
    if not room or selection.is_silent:
        return selection
    most = min(request.budget, measure.whole(selection) + room)
    for told in _shorter(selection, plan, request):
        if measure.whole(told) <= most:
            return told
    return selection


def _shorter(selection: Selection, plan: Plan, request: Request) -> Iterator[Selection]:
    """Yield what could be said, most first; figures are those of the benefit/cost planner.

    A host acts on the policy; the figures can be had otherwise (``ctx plan``, ``--log-json``).
    """
    figured = selection
    if request.planner == "acs":
        figured = selection._replace(metrics=plan.metrics)
    if plan.policy is not None:
        yield from (_with_policy(figured, plan.policy, share) for share in _STEPS)
        yield from (_with_policy(selection, plan.policy, share) for share in _STEPS)
    yield figured
    yield selection._replace(metrics=figured.metrics and figured.metrics._replace(top3=()))


def _with_policy(selection: Selection, policy: KVPolicy, share: float) -> Selection:
    """Return ``selection`` with the first ids to pin; those to evict and to compress are few."""
    kept = policy.pin[: int(share * len(policy.pin))]
    left = len(policy.pin) - len(kept)
    return selection._replace(policy=policy._replace(pin=kept), unpinned=left)

"""What a planner may include, and the share of the budget that each section has."""

from collections.abc import Callable, Mapping, Sequence

from ctx.model import (
    BY_BENEFIT,
    NO_CANDIDATES,
    NO_PLAN,
    Candidates,
    Document,
    Entry,
    Memory,
    Plan,
    Request,
    Scored,
    SectionName,
    Selection,
    Thread,
)
from ctx.typed import NamedTuple

LEAST_VARIANT = 0.20  # share left by settings of shares to decisions, learnings and the like
FIGURES_SHARE = 0.03  # share of the budget for figures: a packet is for what the agent must know
POLICY_SHARE = 0.02  # the same for what a session should keep, beside the figures
LEAST_FIGURES = 120  # tokens that figures take; if the share is smaller, they are left out


def hard_limit(budget: int, share: float) -> int:
    """Return α₁·τ: a hard tier over it, which is included whole all the same, is degraded."""
    return int(share * budget)


def tail_limit(budget: int, share: float, base: int, spent: int) -> int:
    """Return min(max(β·τ, base), τ - hard - soft), 0 or more; ``spent`` is hard and soft."""
    return max(0, min(max(int(share * budget), base), budget - spent))


def apart(request: Request) -> int:
    """Return the tokens for figures: none in Markdown; metrics that are asked for have room."""
    if request.format != "json":
        return 0
    share = int(FIGURES_SHARE * request.budget)
    policy = 0 if request.memory is None else int(POLICY_SHARE * request.budget)
    if request.metrics:
        return max(share, LEAST_FIGURES) + policy
    has_figures = request.planner == BY_BENEFIT or request.memory is not None
    return share + policy if has_figures and share >= LEAST_FIGURES else 0


class Total(NamedTuple):
    """What a section holds, superseded entries apart; the ranker may return fewer."""

    entries: int
    tokens: int  # estimated tokens of all bodies, to divide the budget by


class Offer(NamedTuple):
    """What the planners choose from, each section in its order."""

    ranked: Mapping[SectionName, list[Scored]]
    totals: Mapping[SectionName, Total]
    places: Mapping[SectionName, str]  # the files of each section, as the reader finds them
    documents: Sequence[Document]  # files worth reading, by paths from the working directory
    warnings: Sequence[str]
    found: Sequence[Scored] = ()  # what a query finds, of all sections, best first, before the rest
    thread: Thread | None = None  # the session that the packet is for
    planned: Candidates = NO_CANDIDATES  # of the benefit/cost planner; none for other planners


def anything(entry: Entry) -> bool:  # noqa: ARG001 - whatever it is
    """Return True: an entry may be included."""
    return True


class Weighed(NamedTuple):
    """What a plan was made from."""

    planned: Candidates
    candidates: int  # fragments that could have been chosen
    seconds: float  # duration of the choice
    may_include: Callable[[Entry], bool] = anything  # whether the window's fullness allows an entry


class Delivery(NamedTuple):
    """A packet as it is delivered."""

    selection: Selection  # what is delivered: all of the packet, or only the news
    plan: Plan = NO_PLAN  # with its figures of the session's memory
    memory: Memory | None = None  # what the session knows afterwards; None without a session

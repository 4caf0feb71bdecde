"""``ctx plan``: what a packet would choose, and the figures of it, instead of the packet."""

from collections.abc import Iterator

from ctx.app.options import PacketOptions
from ctx.app.packet import check, figures_of, make, notes
from ctx.app.workspace import focused
from ctx.cli.agent import with_query
from ctx.cli.options import taking
from ctx.cli.terminal import write_answer
from ctx.model import BY_BENEFIT, Packet, Pick
from ctx.streams import complain
from ctx.world import World

LOD = {"title": "macro", "full": "micro", "key": "atomic"}  # what the planner's source calls levels
_DIGITS = 4


@taking(
    "budget", "query", "planner", "focus", "allow-overshoot", "session", "context-length",
    "used-tokens", "threshold-tokens", "dir", "tokenizer", "as-of", "json",
    grouped=True,
)  # fmt: skip
def plan(options: PacketOptions, *, json: bool = False) -> None:
    """Show what a packet would include of what matters now, with benefits, costs and figures.

    Changes neither the delivery log nor the counts. Exit codes: 0 success, 2 usage, 4 no context
    directory, 6 unreadable directory.
    """
    world = World()
    workspace = focused(with_query(options).replace(figures=True), world, complain)
    if workspace.loaded.origins["planner"] == "default":  # acs has most to see of a plan
        workspace = workspace.having(workspace.settings._replace(planner=BY_BENEFIT))
    check(workspace.options, workspace.settings)
    packet = make(workspace)
    for note in notes(packet, workspace):
        complain(note)
    write_answer(_object(packet), _lines(packet), as_json=json)


def _object(packet: Packet) -> dict[str, object]:
    plan = packet.plan
    return {
        "planner": packet.request.planner,
        "budget": packet.request.budget,
        "tokens": packet.tokens,
        "focus_terms": [*plan.focus_terms],
        "fragments": [
            {
                "id": pick.included.entry.id,
                "level": pick.included.level,
                "lod": LOD[pick.included.level],
                "cost_tokens": pick.cost,
                "benefit": round(pick.benefit, _DIGITS),
                "score": round(pick.score, _DIGITS),
                "covers": _covered(pick, packet),
                "title": pick.included.entry.title,
            }
            for pick in plan.picks
        ],
        "overshoot": packet.selection.overshoot,
        "degraded": packet.selection.degraded,
        "metrics": figures_of(plan.metrics),
        "kv_policy": None if plan.policy is None else plan.policy._asdict(),
    }


def _covered(pick: Pick, packet: Packet) -> list[str]:
    return [term for bit, term in enumerate(packet.plan.focus_terms) if pick.covers >> bit & 1]


def _lines(packet: Packet) -> Iterator[str]:
    plan, figures = packet.plan, packet.plan.metrics
    yield (
        f"{packet.request.planner}: {packet.tokens:,} of {packet.request.budget:,} tokens, "
        f"{len(plan.picks):,} of {figures.candidate_count:,} fragments in "
        f"{figures.planner_ms:.0f} ms"
    )
    covered = ""
    if plan.focus_terms:
        yield f"focus terms: {', '.join(plan.focus_terms)}"
        covered = f"covers {figures.coverage_entities:.0%} of the focus terms, "
    if plan.picks:
        yield (
            f"{covered}mean benefit {figures.mean_benefit:.2f}, "
            f"diversity {figures.diversity_score:.2f}"
        )
        yield f"{'level':7}{'tokens':>7}{'benefit':>9}{'score':>8}  entry"
    for pick in plan.picks:
        entry = pick.included.entry
        covers = ", ".join(_covered(pick, packet))
        yield (
            f"{LOD[pick.included.level]:7}{pick.cost:7,}{pick.benefit:9.3f}{pick.score:8.3f}  "
            f"{entry.id} {entry.title}{f' [{covers}]' if covers else ''}"
        )
    if plan.policy is not None:
        for name, ids in plan.policy._asdict().items():
            if ids:
                yield f"{name}: {', '.join(ids)}"

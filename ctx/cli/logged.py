"""The figures of a packet as one line of JSON: never a text of any entry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ctx.model import digest_of

if TYPE_CHECKING:
    from ctx.model import Metrics, Packet


def line(packet: Packet, *, hashed: bool, replayed: bool) -> str:
    """Return the log line of ``packet``, which may have been ``replayed`` from the store.

    ``hashed`` ids are 16 hex digits each, the same for the same entry.
    """
    figures = packet.plan.metrics
    told: dict[str, object] = {
        "event": "ctx.packet",
        **figures_of(figures, hashed=hashed),
        "budget": packet.request.budget,
        "tokens": packet.tokens,
        "degraded": bool(packet.selection.degraded),
        "overshoot": bool(packet.selection.overshoot),
        "replayed": replayed,
    }
    if replayed:
        told["planner_ms"] = 0.0  # nothing was planned
    return json.dumps(told) + "\n"


def figures_of(figures: Metrics, *, hashed: bool = False) -> dict[str, object]:
    """Return metrics by name, as JSON has them."""
    top = [{"id": digest_of(id_) if hashed else id_, "score": score} for id_, score in figures.top3]
    return {**figures._asdict(), "top3": top}

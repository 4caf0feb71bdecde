"""``explain``: why a packet says what it says, as ``ctx explain`` tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.mcp.tool import Argument, Tool

if TYPE_CHECKING:
    from ctx.mcp.tool import Call
    from ctx.model import JsonObject

_TOLD = ("id", "title", "outcome", "reason", "tokens", "score", "takes")
"""What is told of each of many entries; of one that is named all there is."""
_MOST = 100
"""Entries that are told of: more have no room in what an answer may cost."""


def answer(call: Call) -> JsonObject:
    """Return the figures of a packet, and of what it does not say whole why.

    With an id or words all that is known of that one entry.
    """
    from ctx.app.explain.as_json import explained

    workspace = call.workspace(query=call.text("query"), budget=call.typed("budget"))
    told = explained(workspace, call.text("id"), limit=_MOST, whole=False)
    del told["directory"], told["query"]  # known to who asks, and long
    entries = told.pop("entries", None)
    if not isinstance(entries, list):
        return told
    if not told["more"]:
        del told["more"]
    rows = [entry for entry in entries if isinstance(entry, dict)]
    return {**told, "entries": [{name: row[name] for name in _TOLD} for row in rows]}


TOOL = Tool(
    "explain",
    "Why a packet of this query and budget leaves out or shortens entries, and the budget each"
    " would take.",
    (
        Argument("id", help="One entry, by id or words of its title"),
        Argument("query"),
        Argument("budget", "integer", least=1),
    ),
    answer,
    most=4_000,
    run="entries",
    hint="name one by id",
)

"""``packet``: what ``ctx agent`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.errors import UsageError
from ctx.mcp.tool import Argument, Tool

if TYPE_CHECKING:
    from ctx.mcp.tool import Call
    from ctx.model import Packet


def answer(call: Call) -> str:
    """Return a packet as text that costs no more than its budget, to the last brace.

    UsageError where the rules alone, which are never cut, cost more.
    """
    made = packet(call, call.text("format") or "json")
    if made.tokens > made.request.budget:
        raise UsageError(
            f"budget: the rules, which are never cut, cost {made.tokens:,} tokens"
            f" with their frame, over {made.request.budget:,}",
            f"ask with a budget of {made.tokens} or more",
        )
    return made.text


def packet(call: Call, form: str) -> Packet:
    """Return the packet that ``call`` asks for, written as ``form``."""
    from ctx.app.packet import check, count_included, make

    workspace = call.workspace(
        format=form,
        query=call.text("query"),
        budget=call.typed("budget"),
        session=call.text("session") or None,
    )
    check(workspace.options, workspace.settings)
    made = make(workspace)
    if made.tokens <= workspace.settings.budget:
        count_included(workspace.store, made, call.world)
    return made


TOOL = Tool(
    "packet",
    "Start here: project rules, open tasks, and the decisions and learnings that matter to a"
    " query. At most `budget` tokens.",
    (
        Argument("query", help="What the work is about"),
        Argument("budget", "integer", "Tokens; else the settings', 8000", least=1),
        Argument("session", help="Stored session whose last turns are said"),
        Argument("format", choices=("json", "md")),
    ),
    answer,
)

"""``check``: what is wrong in the directory, as ``ctx check`` finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.mcp.tool import Argument, Tool

if TYPE_CHECKING:
    from ctx.mcp.tool import Call
    from ctx.model import JsonObject


def answer(call: Call) -> JsonObject:
    """Return the findings and how many there are. UsageError for a rule that there is not."""
    from ctx.app.check import checked

    told = checked(call.workspace(), call.texts("rule"))
    return {name: told[name] for name in ("errors", "warnings", "findings")}


TOOL = Tool(
    "check",
    "What is wrong in the directory (dead links, duplicates, contradictions, secrets, …), where,"
    " and the remedy.",
    (Argument("rule", "array", "Only these rules; all of them without any"),),
    answer,
    most=4_000,
    run="findings",
    hint="ask for one rule at a time",
)

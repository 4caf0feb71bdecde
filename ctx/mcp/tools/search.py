"""``search``: what ``ctx search`` finds, without the parts of scores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ctx.mcp.tool import Argument, Tool
from ctx.model import KINDS

if TYPE_CHECKING:
    from ctx.mcp.tool import Call


def answer(call: Call) -> dict[str, object]:
    """Return the best results with a snippet each, and whether there is more."""
    from ctx.app.search import Options, found

    asked = Options(
        call.text("query"),
        limit=call.typed("limit"),
        kinds=call.texts("kind"),
        since=call.typed("since"),
        as_json=True,
    )
    answered = found(asked, call.workspace(query=asked.query, format="json"))
    told = json.loads(answered.text)
    for row in told["results"]:
        del row["parts"]  # tokens are for what is found, not for how
    result = {"more": told["more"], "results": told["results"]}
    return {**result, "warnings": answered.warnings} if answered.warnings else result


TOOL = Tool(
    "search",
    "Find entries and past turns, best first, with id, source line and snippet.",
    (
        Argument("query", help="What to look for", required=True),
        Argument("kind", "array", choices=tuple(sorted(KINDS))),
        Argument("since", help="2026-11-01 or 30d"),
        Argument("limit", "integer", "Default 10", least=1),
    ),
    answer,
    most=2_000,
    run="results",
    hint="narrow it by kind, since or a rarer word",
)

"""``add``: one entry more, as ``ctx add`` writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.errors import UsageError
from ctx.mcp.tool import Argument, Tool

if TYPE_CHECKING:
    from ctx.mcp.tool import Call
    from ctx.model import JsonObject

_PARTS = ("context", "decision", "rationale", "consequence", "lesson", "application")


def answer(call: Call) -> JsonObject:
    """Add an entry; return its id and place. Raises as ``ctx.app.add.add``: then nothing is."""
    from ctx.app.add import add
    from ctx.app.addable import Adding, missing

    what = Adding(
        call.text("kind"),
        call.text("title"),
        {name: call.text(name) for name in _PARTS if name in call.given},
        supersedes=call.text("supersedes"),
        phase=call.text("phase"),
        priority=call.text("priority"),
        force=bool(call.given.get("force")),
    )
    lacking = missing(what)
    if lacking:
        raise UsageError(
            f"a {what.kind} has more parts: {', '.join(lacking)}",
            'give each, "" where there is nothing to say',
        )
    return add(call.workspace(), what).as_json()


TOOL = Tool(
    "add",
    "Write down what was decided or learnt, or a task, convention or rule. A decision has context,"
    " decision, rationale, consequence; a learning context, lesson, application.",
    (
        Argument(
            "kind", choices=("decision", "learning", "task", "convention", "rule"), required=True
        ),
        Argument("title", help="One line; of the other kinds all of it", required=True),
        *map(Argument, _PARTS),
        Argument("supersedes", help="Id of the entry it replaces"),
        Argument("phase", help="Heading of a task, convention or rule"),
        Argument("priority", choices=("high", "medium", "low")),
        Argument("force", "boolean", "Even if it repeats an entry"),
    ),
    answer,
    most=1_000,
    run="similar",
    hint="show says all of an entry",
    writes=True,
)

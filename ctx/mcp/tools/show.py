"""``show``: one entry whole, as ``ctx show`` knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.errors import UsageError
from ctx.mcp.answer import FIRST, NEXT
from ctx.mcp.tool import Argument, Tool

if TYPE_CHECKING:
    from ctx.mcp.tool import Call
    from ctx.model import JsonObject

_ALWAYS = ("id", "kind", "title", "file", "line")
_TWICE = ("heading", "tier", "confidence")
"""What is known from the others, or says nothing to an agent."""


def answer(call: Call) -> JsonObject:
    """Return an entry, without what it does not have. UsageError where none is meant clearly."""
    from ctx.app.entries import shown

    told = shown(call.workspace(), call.text("id")).as_json()
    found = {
        name: value
        for name, value in told.items()
        if name in _ALWAYS or (value and name not in _TWICE)
    }
    if found.get("covers") == 1:  # as every entry that is no summary
        del found["covers"]
    begin = call.given.get("line")
    return found if begin is None else _from(found, int(str(begin)))


def _from(found: JsonObject, begin: int) -> JsonObject:
    """Return an entry without the lines of its body before ``begin``, counted from 1."""
    lines = str(found.get("body", "")).splitlines(keepends=True)
    if begin > max(1, len(lines)):
        raise UsageError(f"line: {begin} is behind the last line, {len(lines)}", "ask for less")
    return {**found, FIRST: begin, "body": "".join(lines[begin - 1 :])}


TOOL = Tool(
    "show",
    "One entry, turn or summary whole, with its source, links and successors.",
    (
        Argument("id", help="Or words of its title", required=True),
        Argument("line", "integer", "Line of a long body to begin with", least=1),
    ),
    answer,
    most=4_000,
    run="body",
    hint=f"go on with line {NEXT}",
)

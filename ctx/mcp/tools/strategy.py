"""``strategy``: what ``ctx strategy`` advises."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ctx.app.strategy import SIZES, Options, advised
from ctx.errors import NoDirectoryError, UsageError
from ctx.mcp.tool import Argument, Tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.mcp.tool import Call
    from ctx.model import JsonObject


def answer(call: Call) -> JsonObject:
    """Return the advice, its figures and its steps. UsageError for a path out of the project."""
    paths = call.texts("path")
    _check(paths, call)
    options = Options(
        call.text("query"),
        paths,
        call.typed("chars"),
        call.text("size"),
        call.typed("context_length"),
        call.typed("used_tokens"),
        call.texts("tool"),
    )
    advice, warnings = advised(options, call.world)
    found = advice.as_json(options.query, warnings)
    del found["query"]
    return found


def _check(paths: Sequence[str], call: Call) -> None:
    """Raise UsageError for what lies outside: an agent is not to measure a person's disk."""
    if not paths:
        return
    from ctx.app.workspace import project_of

    world = call.world
    try:
        project = project_of(call.root, "", world.home).root
    except NoDirectoryError:
        project = world.cwd
    inside = os.path.join(os.path.realpath(project), "")
    for path in paths:
        real = os.path.realpath(os.path.join(world.cwd, path)) if "\0" not in path else ""
        if not os.path.join(real, "").startswith(inside):
            raise UsageError(f"path: {path!r} is not in the project", "name a file or folder of it")


TOOL = Tool(
    "strategy",
    "Whether to read content whole, in part, or to look things up, with figures and steps.",
    (
        Argument("query", help="What is asked", required=True),
        Argument("path", "array", "Files or folders of the content"),
        Argument("chars", "integer", "Of the content"),
        Argument("size", help="Of the content", choices=(*SIZES,)),
        Argument("context_length", "integer", "Of the model; default 128000", least=1),
        Argument("used_tokens", "integer"),
        Argument("tool", "array", "Your tools that look things up"),
    ),
    answer,
    most=2_000,
    run="steps",
    hint="ask with a shorter query",
)

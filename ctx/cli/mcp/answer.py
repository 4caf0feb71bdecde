"""From a call to its text: arguments taken, the tool asked, its bound kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.cli.mcp.arguments import Argument, taken
from ctx.cli.mcp.bound import Bound, within
from ctx.cli.mcp.tool import Call
from ctx.errors import CtxError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.cli.mcp.tool import Tool
    from ctx.cli.world import World
    from ctx.model import Counter


def answered(tool: Tool, given: Mapping[str, object], dir_: str, world: World) -> str:
    """Return the result of ``tool`` as text of at most as many tokens as it says.

    Raises CtxError for what cannot be taken or answered.
    """
    call = Call(taken(tool.arguments, given), dir_, world)
    # Before anything is written: what was added must not end as if it had not been.
    bound = Bound(tool.most, _counter(call).count, tool.run, tool.hint)
    result = tool.answer(call)
    return result if isinstance(result, str) else within(result, bound)


def start(given: Mapping[str, object], dir_: str, world: World) -> str:
    """Return the packet of the prompt ``start``: as ``ctx agent`` prints it, also degraded."""
    from ctx.cli.mcp.tools.packet import packet

    return packet(Call(taken((Argument("query"),), given), dir_, world), "md").text


def _counter(call: Call) -> Counter:
    """Return what counts here: by the settings of the directory, else of the user."""
    from ctx.cli.settings import load
    from ctx.text.tokens import counter

    try:
        loaded = call.loaded({})
    except CtxError:  # no directory, which not every tool needs
        loaded = load("", call.world, {})
    return counter(loaded.settings.tokenizer)

"""The tools, one a file, in the order in which clients list them. A new one is a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.mcp.tools import add, check, explain, packet, search, show, strategy

if TYPE_CHECKING:
    from ctx.mcp.tool import Tool

TOOLS: dict[str, Tool] = {
    one.TOOL.name: one.TOOL for one in (packet, search, show, explain, strategy, add, check)
}

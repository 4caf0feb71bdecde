"""The link that adds the MCP server to VS Code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

from ctx.hosts.plugins import Plugin

if TYPE_CHECKING:
    from ctx.hosts.plugins import Kit


def _link(kit: Kit) -> str:
    server = json.dumps({"name": kit.name, **kit.server}, separators=(",", ":"))
    return f"vscode:mcp/install?{quote(server, safe='')}"


PLUGIN = Plugin(
    ("link of VS Code", "JSON in the address", "code.visualstudio.com/docs"),
    link=("VS Code", _link),
)

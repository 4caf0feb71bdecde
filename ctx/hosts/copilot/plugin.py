"""The link that adds the MCP server to VS Code."""

import json
from urllib.parse import quote

from ctx.hosts.plugins import Kit, Plugin


def _link(kit: Kit) -> str:
    text = json.dumps({"name": kit.name, **kit.server}, separators=(",", ":"))
    return f"vscode:mcp/install?{quote(text, safe='')}"


_FORM = ("link of VS Code", "JSON in the address", "code.visualstudio.com/docs")
PLUGIN = Plugin(_FORM, link=("VS Code", _link))

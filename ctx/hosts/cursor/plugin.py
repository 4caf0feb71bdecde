"""The link that adds the MCP server to Cursor."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING
from urllib.parse import quote

from ctx.hosts.plugins import Plugin

if TYPE_CHECKING:
    from ctx.hosts.plugins import Kit


def _link(kit: Kit) -> str:
    server = json.dumps(kit.server, separators=(",", ":"))
    encoded = quote(base64.b64encode(server.encode()).decode(), safe="")
    return f"cursor://anysphere.cursor-deeplink/mcp/install?name={kit.name}&config={encoded}"


PLUGIN = Plugin(
    ("link of Cursor", "base64 of the JSON", "cursor.com/docs/mcp/install-links"),
    link=("Cursor", _link),
)

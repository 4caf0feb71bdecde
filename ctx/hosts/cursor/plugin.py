"""The link that adds the MCP server to Cursor."""

import base64
import json
from urllib.parse import quote

from ctx.hosts.plugins import Kit, Plugin


def _link(kit: Kit) -> str:
    server = json.dumps(kit.server, separators=(",", ":")).encode()
    config = quote(base64.b64encode(server).decode(), safe="")
    return f"cursor://anysphere.cursor-deeplink/mcp/install?name={kit.name}&config={config}"


_FORM = ("link of Cursor", "base64 of the JSON", "cursor.com/docs/mcp/install-links")
PLUGIN = Plugin(_FORM, link=("Cursor", _link))

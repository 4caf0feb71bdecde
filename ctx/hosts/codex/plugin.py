"""The plugin of Codex CLI: hooks, a skill, the MCP server, and a marketplace that lists it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.hosts.plugins import Plugin

if TYPE_CHECKING:
    from ctx.hosts.plugins import Files, Kit
    from ctx.model import JsonObject

_FOLDER = "plugins/codex"


def _files(kit: Kit) -> Files:
    parts = {"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json"}
    return {
        ".mcp.json": {"mcpServers": {kit.name: kit.server}},
        f"skills/{kit.name}/SKILL.md": kit.skill,
        ".codex-plugin/plugin.json": {**kit.about, **kit.author, **parts, **kit.keywords},
    }


def _listings(kit: Kit) -> Files:
    plugin: JsonObject = {
        "name": kit.name,
        "source": {"source": "local", "path": f"./{_FOLDER}"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    shown: JsonObject = {"displayName": kit.name}
    return {
        ".agents/plugins/marketplace.json": {
            "name": kit.name, "interface": shown, "plugins": [plugin],
        }
    }  # fmt: skip


PLUGIN = Plugin(
    (
        "`.codex-plugin/plugin.json`, `.agents/plugins/marketplace.json`",
        "`${PLUGIN_ROOT}`; an entry names a folder below the marketplace",
        "developers.openai.com/plugins/build/plugins.md",
    ),
    _FOLDER,
    "${PLUGIN_ROOT}",
    "hooks (trust them with `/hooks`), a skill, MCP",
    "`codex plugin marketplace add path/to/clone`, then `codex plugin add ctx@ctx`",
    _files,
    _listings,
)

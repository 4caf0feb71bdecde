"""The plugin of Codex CLI: hooks, a skill, the MCP server, and a marketplace that lists it."""

from ctx.hosts.plugins import Files, Kit, Plugin
from ctx.model import JsonObject

_PARTS: JsonObject = {
    "skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json",
}  # fmt: skip
_LISTED: JsonObject = {
    "source": {"source": "local", "path": "./plugins/codex"},
    "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
    "category": "Productivity",
}


def _files(kit: Kit) -> Files:
    shown: JsonObject = {"displayName": kit.name}
    return {
        ".mcp.json": {"mcpServers": {kit.name: kit.server}},
        f"skills/{kit.name}/SKILL.md": kit.skill,
        ".codex-plugin/plugin.json": {**kit.about, **kit.author, **_PARTS, **kit.keywords},
        "/.agents/plugins/marketplace.json": {
            "name": kit.name, "interface": shown, "plugins": [{"name": kit.name, **_LISTED}],
        },
    }  # fmt: skip


PLUGIN = Plugin(
    (
        "`.codex-plugin/plugin.json`, `.agents/plugins/marketplace.json`",
        "`${PLUGIN_ROOT}`; an entry names a folder below the marketplace",
        "developers.openai.com/plugins/build/plugins.md",
    ),
    "plugins/codex", "${PLUGIN_ROOT}", "hooks (trust them with `/hooks`), a skill, MCP",
    "`codex plugin marketplace add path/to/clone`, then `codex plugin add ctx@ctx`", _files,
)  # fmt: skip

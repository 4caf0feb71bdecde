"""The plugin of Claude Code: hooks, a command, the MCP server, and a marketplace that lists it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.hosts.plugins import Plugin

if TYPE_CHECKING:
    from ctx.hosts.plugins import Files, Kit
    from ctx.model import JsonObject

_FOLDER = "plugins/claude"


def _files(kit: Kit) -> Files:
    front = f"---\ndescription: {kit.description}\nargument-hint: [words]\n---\n\n"
    return {
        ".mcp.json": {"mcpServers": {kit.name: kit.server}},
        "README.md": kit.readme,
        f"commands/{kit.name}.md": front + kit.command("$ARGUMENTS"),
        ".claude-plugin/plugin.json": {**kit.about, **kit.author, **kit.keywords},
    }


def _listings(kit: Kit) -> Files:
    plugin: JsonObject = {
        "name": kit.name,
        "source": f"./{_FOLDER}",
        "description": kit.description,
    }
    owner: JsonObject = {"name": f"{kit.name} contributors"}
    return {
        ".claude-plugin/marketplace.json": {"name": kit.name, "owner": owner, "plugins": [plugin]}
    }


PLUGIN = Plugin(
    (
        "`plugin.json` and `marketplace.json` in `.claude-plugin`, `commands/*.md`, `.mcp.json`",
        "`${CLAUDE_PLUGIN_ROOT}` in commands; only the manifest is in `.claude-plugin/`",
        "code.claude.com/docs/en/plugins-reference",
    ),
    _FOLDER,
    "${CLAUDE_PLUGIN_ROOT}",
    "hooks, `/ctx:ctx`, MCP",
    "`/plugin marketplace add path/to/clone`, then `/plugin install ctx@ctx`",
    _files,
    _listings,
)

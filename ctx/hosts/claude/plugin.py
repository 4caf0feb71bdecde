"""The plugin of Claude Code: hooks, a command, the MCP server, and a marketplace that lists it."""

from ctx.hosts.plugins import Files, Kit, Plugin


def _files(kit: Kit) -> Files:
    front = f"---\ndescription: {kit.description}\nargument-hint: [words]\n---\n\n"
    return {
        ".mcp.json": {"mcpServers": {kit.name: kit.server}},
        "README.md": kit.readme.replace(f"`/{kit.name}`", f"`/{kit.name}:{kit.name}`"),
        f"commands/{kit.name}.md": front + kit.command.format(words="$ARGUMENTS"),
        ".claude-plugin/plugin.json": {**kit.about, **kit.author, **kit.keywords},
        "/.claude-plugin/marketplace.json": {
            "name": kit.name, "description": kit.description, "owner": kit.author["author"],
            "plugins": [
                {"name": kit.name, "source": "./plugins/claude", "description": kit.description}
            ],
        },
    }  # fmt: skip


PLUGIN = Plugin(
    (
        "`plugin.json` and `marketplace.json` in `.claude-plugin`, `commands/*.md`, `.mcp.json`",
        "`${CLAUDE_PLUGIN_ROOT}` in commands; only the manifest is in `.claude-plugin/`",
        "code.claude.com/docs/en/plugins-reference",
    ),
    "plugins/claude", "${CLAUDE_PLUGIN_ROOT}", "hooks, `/ctx:ctx`, MCP",
    "`/plugin marketplace add path/to/clone`, then `/plugin install ctx@ctx`", _files,
)  # fmt: skip

"""The extension of Gemini CLI: hooks, a command and the MCP server."""

from ctx.hosts.plugins import Files, Kit, Plugin


def _files(kit: Kit) -> Files:
    text = kit.command.format(words="{{args}}")
    command = f'description = "{kit.description}"\nprompt = """\n{text}"""\n'
    return {
        "gemini-extension.json": {**kit.about, "mcpServers": {kit.name: kit.server}},
        f"commands/{kit.name}.toml": command,
    }


PLUGIN = Plugin(
    (
        "`gemini-extension.json`, `hooks/hooks.json`, `commands/*.toml`",
        "`${extensionPath}`; hooks are in a file of their own",
        "geminicli.com/docs/extensions/reference",
    ),
    "extensions/gemini", "${extensionPath}", "hooks, `/ctx`, MCP",
    "`gemini extensions install path/to/clone/extensions/gemini`", _files,
)  # fmt: skip

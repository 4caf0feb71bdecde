"""The plugins and listings of hosts, all made from one description and the hosts' own modules.

``scripts/generate.py`` writes them. Each folder of ``plugins/`` stands alone: it calls the ``ctx``
that is on the PATH, and says so where there is none. Which form comes from where is in
``docs/plugins.md``.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from ctx import __version__
from ctx.hooks.places import tool_named

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ctx.hooks.host import Tool
    from ctx.model import JsonObject

NAME = "ctx"
PACKAGE = "ctx-packet"
OWNER = "OWNER"
"""Who hosts the repository: to be set once, in the step of the release guide that names it."""
DESCRIPTION = "The rules, tasks, decisions and past sessions of a project, within a token budget."
KEYWORDS = ("context", "memory", "rules", "tokens")
AGENT_PLUGINS = "https://agent-plugins.org/schemas/1.0.0/"
REGISTRY = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
SERVER: JsonObject = {"command": NAME, "args": ["mcp"]}
MISSING = (
    "ctx is not on the PATH, so this plugin does nothing: install it "
    "(docs/start.md in the repository of the plugin) and start a new session."
)
SAID_TO_USERS = ("SessionStart",)
"""The event at which a host is told that ``ctx`` is missing: once a session."""
PROMPT = """\
Run `ctx search {words}` in the shell, or the tool `search` of the MCP server `ctx`, and read what
it finds: rules, tasks, decisions, learnings and past sessions of this project. `ctx show ID` shows
one entry whole. Answer from what was found, and name the file and line of each entry that you use.
If nothing was asked, run `ctx status` and say what there is and what to do first.
"""
SKILL = f"""\
---
name: {NAME}
description: Look up the rules, tasks, decisions, learnings and past sessions of this project with \
ctx. Use before changing what a decision may govern, and when asked why something is as it is.
---

{PROMPT.format(words="WORDS")}
`ctx rules PATH` lists the rules for a file, `ctx add decision TITLE` records a decision, `ctx task
done WORDS` ticks a task. Where `ctx` is not on the PATH, say that it has to be installed first.
"""


README = f"""\
# {NAME}

{DESCRIPTION} The hooks, the command `/{NAME}` and the MCP server of this plugin call the
`{NAME}` on the PATH, and a session starts with a message where there is none. It is made by
`scripts/plugins.py`, of which `docs/plugins.md` has the rest.
"""


START, END = "<!-- generated: by scripts/plugins.py -->\n", "<!-- end of what is generated -->\n"
"""Lines around what is made in documents."""


class Host(NamedTuple):
    """A host whose plugin has hooks."""

    tool: Tool
    folder: str
    root: str
    """What the host replaces in commands by the folder of the plugin."""
    manifest: str


claude, codex, gemini = map(tool_named, ("claude", "codex", "gemini"))
HOSTS = (
    Host(claude, "plugins/claude", "${CLAUDE_PLUGIN_ROOT}", ".claude-plugin/plugin.json"),
    Host(codex, "plugins/codex", "${PLUGIN_ROOT}", ".codex-plugin/plugin.json"),
    Host(gemini, "extensions/gemini", "${extensionPath}", "gemini-extension.json"),
)


def outputs() -> Mapping[str, str]:
    """Return every file of plugins and listings: path from the root to text."""
    made = {
        ".claude-plugin/marketplace.json": _json(_marketplace("./plugins/claude")),
        ".agents/plugins/marketplace.json": _json(_codex_marketplace()),
        "server.json": _json(_server()),
        "plugins/agent/plugin.json": _json(_portable()),
        "plugins/agent/mcp.json": _json(
            {
                "$schema": f"{AGENT_PLUGINS}mcp.schema.json",
                "mcpServers": {NAME: {"type": "stdio", **SERVER}},
            }
        ),
        f"plugins/agent/skills/{NAME}/SKILL.md": SKILL,
    }
    for host in HOSTS:
        made |= {f"{host.folder}/{path}": text for path, text in _plugin(host).items()}
    return made


def _plugin(host: Host) -> Mapping[str, str]:
    about: JsonObject = {"name": NAME, "version": __version__, "description": DESCRIPTION}
    made = {"hooks/hooks.json": _json({"hooks": _hooks(host)}), "hooks/ctx.sh": _script(host.tool)}
    if host.tool is gemini:
        made[host.manifest] = _json({**about, "mcpServers": {NAME: SERVER}})
        text = PROMPT.format(words="{{args}}")
        command = f'description = "{DESCRIPTION}"\nprompt = """\n{text}"""\n'
        return {**made, f"commands/{NAME}.toml": command}
    about |= {"author": {"name": f"{NAME} contributors"}, "license": "Apache-2.0"}
    made[".mcp.json"] = _json({"mcpServers": {NAME: SERVER}})
    if host.tool is codex:
        about |= {"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json"}
        made[f"skills/{NAME}/SKILL.md"] = SKILL
    else:
        made["README.md"] = README
        front = f"---\ndescription: {DESCRIPTION}\nargument-hint: [words]\n---\n\n"
        made[f"commands/{NAME}.md"] = front + PROMPT.format(words="$ARGUMENTS")
    made[host.manifest] = _json({**about, "keywords": [*KEYWORDS]})
    return made


def _hooks(host: Host) -> JsonObject:
    """Return the hooks as ``ctx hook install`` writes them, through the script of the plugin."""
    hooks: JsonObject = {}
    for event in (*host.tool.events, *host.tool.others, *host.tool.captures):
        command = f'sh "{host.root}/hooks/ctx.sh" {event}'
        entry = host.tool.entry(command, f"{NAME} hook run {host.tool.name} {event}")
        matcher = host.tool.others.get(event)
        hooks[event] = [{"matcher": matcher, **entry} if matcher else entry]
    return hooks


def _script(tool: Tool) -> str:
    message = json.dumps({"systemMessage": MISSING})  # without an apostrophe: sh quotes it
    return f"""\
#!/bin/sh
# Made by scripts/plugins.py. Answers an event of {tool.title} by the ctx on the PATH.
if command -v {NAME} >/dev/null 2>&1; then
  {NAME} hook run {tool.name} "$1"
elif [ "$1" = {SAID_TO_USERS[0]} ]; then
  echo '{message}'
fi
exit 0
"""


def _marketplace(source: str) -> JsonObject:
    return {
        "name": NAME,
        "owner": {"name": f"{NAME} contributors"},
        "plugins": [{"name": NAME, "source": source, "description": DESCRIPTION}],
    }


def _codex_marketplace() -> JsonObject:
    plugin: JsonObject = {
        "name": NAME,
        "source": {"source": "local", "path": "./plugins/codex"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    return {"name": NAME, "interface": {"displayName": NAME}, "plugins": [plugin]}


def _portable() -> JsonObject:
    return {
        "$schema": f"{AGENT_PLUGINS}plugin.schema.json",
        "name": NAME,
        "version": __version__,
        "description": DESCRIPTION,
        "author": {"name": f"{NAME} contributors"},
        "license": "Apache-2.0",
        "keywords": [*KEYWORDS],
    }


def server_name() -> str:
    """Return the name in the registry of MCP; the README has it, too, which proves whose it is."""
    return f"io.github.{OWNER}/{NAME}"


def _server() -> JsonObject:
    return {
        "$schema": REGISTRY,
        "name": server_name(),
        "title": NAME,
        "description": DESCRIPTION,
        "version": __version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": PACKAGE,
                "version": __version__,
                "runtimeHint": "uvx",
                "runtimeArguments": [
                    {"type": "named", "name": "--from", "value": f"{PACKAGE}[mcp]=={__version__}"}
                ],
                "packageArguments": [{"type": "positional", "value": "mcp"}],
                "transport": {"type": "stdio"},
            }
        ],
    }


def links() -> Mapping[str, str]:
    """Return the links that add the MCP server to an editor, by its name."""
    config = json.dumps(SERVER, separators=(",", ":"))
    encoded = quote(base64.b64encode(config.encode()).decode(), safe="")
    named = json.dumps({"name": NAME, **SERVER}, separators=(",", ":"))
    return {
        "Cursor": f"cursor://anysphere.cursor-deeplink/mcp/install?name={NAME}&config={encoded}",
        "VS Code": f"vscode:mcp/install?{quote(named, safe='')}",
    }


def documents(root: Path) -> Mapping[str, str]:
    """Return the documents that hold links and the name of the server, with these made anew."""
    marks = {
        "docs/plugins.md": "\n".join(f"- {host}: `{link}`" for host, link in links().items()),
        "README.md": f"<!-- mcp-name: {server_name()} -->",
    }
    made = {}
    for path, text in marks.items():
        above, _, rest = (root / path).read_text("utf-8").partition(START)
        _, _, below = rest.partition(END)
        made[path] = f"{above}{START}{text}\n{END}{below}"
    return made


def _json(value: JsonObject) -> str:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n"

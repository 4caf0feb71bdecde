"""The plugins and listings of hosts, all made from one description and the hosts' own modules.

``scripts/generate.py`` writes them. Each folder of ``plugins/`` stands alone: it calls the ``ctx``
that is on the PATH, and says so where there is none. Which form comes from where is in
``docs/plugins.md``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ctx import __version__
from ctx.hooks.places import tool_named
from ctx.hosts import plugins as hosts
from ctx.hosts.plugins import Kit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx.hosts.host import Hooks
    from ctx.hosts.plugins import Files, Plugin
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


KIT = Kit(
    NAME,
    DESCRIPTION,
    {"name": NAME, "version": __version__, "description": DESCRIPTION},
    {"author": {"name": f"{NAME} contributors"}, "license": "Apache-2.0"},
    {"keywords": [*KEYWORDS]},
    SERVER,
    PROMPT,
    SKILL,
    README,
)
PLUGINS = [(tool_named(name), plugin) for name, plugin in hosts.plugins()]
"""The hosts that have a plugin, or a link."""


def outputs() -> Mapping[str, str]:
    """Return every file of plugins and listings: path from the root to text."""
    made: dict[str, JsonObject | str] = {
        "server.json": _server(),
        "plugins/agent/plugin.json": _portable(),
        "plugins/agent/mcp.json": {
            "$schema": f"{AGENT_PLUGINS}mcp.schema.json",
            "mcpServers": {NAME: {"type": "stdio", **SERVER}},
        },
        f"plugins/agent/skills/{NAME}/SKILL.md": SKILL,
    }
    for host, plugin in PLUGINS:
        if plugin.files:
            files: Files = {
                "hooks/hooks.json": {"hooks": _hooks(host, plugin)},
                "hooks/ctx.sh": _script(host),
                **plugin.files(KIT),
            }
            for path, file in files.items():
                made[path[1:] if path[0] == "/" else f"{plugin.folder}/{path}"] = file
    return {path: file if isinstance(file, str) else _json(file) for path, file in made.items()}


def _hooks(host: Hooks, plugin: Plugin) -> JsonObject:
    """Return the hooks as ``ctx hook install`` writes them, through the script of the plugin."""
    hooks: JsonObject = {}
    for event in (*host.events, *host.others, *host.captures):
        command = f'sh "{plugin.root}/hooks/ctx.sh" {event}'
        entry = host.entry(command, f"{NAME} hook run {host.name} {event}")
        matcher = host.others.get(event)
        hooks[event] = [{"matcher": matcher, **entry} if matcher else entry]
    return hooks


def _script(host: Hooks) -> str:
    message = json.dumps({"systemMessage": MISSING})  # without an apostrophe: sh quotes it
    return f"""\
#!/bin/sh
# Made by scripts/plugins.py. Answers an event of {host.title} by the ctx on the PATH.
if command -v {NAME} >/dev/null 2>&1; then
  {NAME} hook run {host.name} "$1"
elif [ "$1" = {SAID_TO_USERS[0]} ]; then
  echo '{message}'
fi
exit 0
"""


def _portable() -> JsonObject:
    return {
        "$schema": f"{AGENT_PLUGINS}plugin.schema.json",
        **KIT.about,
        **KIT.author,
        **KIT.keywords,
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
    named = [plugin.link for _, plugin in PLUGINS if plugin.link]
    return {title: address(KIT) for title, address in named}


def _json(value: JsonObject) -> str:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n"

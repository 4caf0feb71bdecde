"""Each plugin stands alone: from a copy of its folder, with events as its host sends them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ctx import __version__
from scripts import plugins
from scripts.plugins import KIT, NAME, PLUGINS
from tests.checks.faults import CLEAN, write

if TYPE_CHECKING:
    from ctx.hosts.host import Hooks
    from ctx.hosts.plugins import Plugin

ROOT = Path(__file__).resolve().parent.parent
START = {"session_id": "s", "source": "startup"}
"""The start of a session, as each host with a plugin sends it."""
ASKED = """\
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
"capabilities":{"roots":{}},"clientInfo":{"name":"claude-code","version":"2.0.14"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
"""
"""The first lines that a host writes to a server."""
needs_sh = pytest.mark.skipif(shutil.which("sh") is None, reason="sh is not installed")
OWN = [(host, plugin) for host, plugin in PLUGINS if plugin.files]
each_host = pytest.mark.parametrize(("host", "plugin"), OWN, ids=[host.name for host, _ in OWN])


def tools(folder: Path, *, with_ctx: bool) -> str:
    """Return a PATH that has a shell, and ``ctx`` or not."""
    folder.mkdir()
    (folder / "sh").symlink_to(shutil.which("sh") or "sh")
    if with_ctx:
        program = folder / "ctx"
        call = f"PYTHONPATH={shlex.quote(str(ROOT))} exec {sys.executable} -m ctx"
        program.write_text(f'#!{shutil.which("sh")}\n{call} "$@"\n')
        program.chmod(0o755)
    return str(folder)


def fire(tmp_path: Path, plugin: Plugin, event: str, *, with_ctx: bool) -> str:
    """Let a copy of the plugin, alone, answer an event in a project that its user trusts."""
    alone = tmp_path / "alone"
    shutil.copytree(ROOT / plugin.folder, alone)
    project = write(tmp_path / "shop", CLEAN).parent
    hooks = json.loads((alone / "hooks/hooks.json").read_text("utf-8"))["hooks"]
    command = hooks[event][0]["hooks"][0]["command"]
    assert plugin.root in command
    path = tools(tmp_path / "tools", with_ctx=with_ctx)
    environ = {"PATH": path, "HOME": str(tmp_path), "CTX_HOOK_SECONDS": "600"}
    if with_ctx:
        subprocess.run([Path(path) / "ctx", "trust"], cwd=project, env=environ, check=True)
    given = {**START, "cwd": str(project), "hook_event_name": event}
    done = subprocess.run(
        ["sh", "-c", command.replace(plugin.root, str(alone))],
        cwd=project, env=environ, input=json.dumps({**given, "prompt": "how are refunds booked?"}),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


@needs_sh
@each_host
def test_a_session_starts_with_a_packet(tmp_path: Path, host: Hooks, plugin: Plugin) -> None:
    answer = json.loads(fire(tmp_path, plugin, host.events[0], with_ctx=True))
    assert "Constitution" in answer["hookSpecificOutput"]["additionalContext"]


@needs_sh
@each_host
def test_without_ctx_a_session_says_so_once_and_goes_on(
    tmp_path: Path, host: Hooks, plugin: Plugin
) -> None:
    """A host that is asked at prompts alone, each of which would say so, is told nothing."""
    told = fire(tmp_path, plugin, host.events[0], with_ctx=False)
    starts = host.events[0] in plugins.SAID_TO_USERS
    assert (json.loads(told) if told else {}) == (
        {"systemMessage": plugins.MISSING} if starts else {}
    )
    shutil.rmtree(tmp_path / "alone")
    shutil.rmtree(tmp_path / "tools")
    assert fire(tmp_path, plugin, host.events[-1], with_ctx=False) == ""


@each_host
def test_a_plugin_has_the_events_that_an_install_has_and_no_path_out_of_it(
    host: Hooks, plugin: Plugin
) -> None:
    folder = ROOT / plugin.folder
    hooks = json.loads((folder / "hooks/hooks.json").read_text("utf-8"))["hooks"]
    assert [*hooks] == [*host.events, *host.others, *host.captures]
    files = [path for path in folder.rglob("*") if path.is_file()]
    texts = [path.read_text("utf-8") for path in files]
    assert not [text for text in texts if re.search(r"\.\./|(?<![\w.}])/(?:home|usr|tmp)/", text)]
    assert plugin.files is not None
    every = [file for file in plugin.files(KIT).values() if isinstance(file, dict)]
    (manifest,) = (file for file in every if "version" in file)
    assert (manifest["name"], manifest["version"]) == (NAME, __version__)
    named = [value for value in manifest.values() if isinstance(value, str) and value[:2] == "./"]
    assert all((folder / value).exists() for value in named)


def servers() -> dict[str, Any]:
    """Return the server that each file starts, by the file."""
    found = {}
    for path in plugins.outputs():
        name = Path(path).name
        if name in (".mcp.json", "mcp.json", "gemini-extension.json"):
            found[path] = json.loads((ROOT / path).read_text("utf-8"))["mcpServers"][NAME]
    return found


def test_every_plugin_starts_the_server_that_the_pages_name() -> None:
    assert len(servers()) == 4
    for path, server in servers().items():
        assert (server["command"], server["args"]) == ("ctx", ["mcp"]), path
        assert server.get("type", "stdio") == "stdio"


@needs_sh
@pytest.mark.parametrize("file", servers())
def test_a_plugin_alone_starts_its_server(tmp_path: Path, file: str) -> None:
    alone = shutil.copytree((ROOT / file).parent, tmp_path / "alone")
    text = (alone / Path(file).name).read_text("utf-8")
    server = json.loads(text)["mcpServers"][NAME]
    project = write(tmp_path / "shop", CLEAN).parent
    path = tools(tmp_path / "tools", with_ctx=True)
    command = shutil.which(server["command"], path=path)
    assert command is not None
    done = subprocess.run(
        [command, *server["args"]], cwd=project, env={"PATH": path, "HOME": str(tmp_path)},
        input=ASKED, capture_output=True, text=True, check=True,
    )  # fmt: skip
    begun, listed = (json.loads(line) for line in done.stdout.splitlines())
    assert begun["result"]["serverInfo"]["name"] == NAME
    assert {"packet", "search"} <= {each["name"] for each in listed["result"]["tools"]}


def test_marketplaces_lead_to_folders_that_there_are() -> None:
    claude = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text("utf-8"))
    codex = json.loads((ROOT / ".agents/plugins/marketplace.json").read_text("utf-8"))
    (one,), (other,) = claude["plugins"], codex["plugins"]
    assert (ROOT / one["source"] / ".claude-plugin/plugin.json").is_file()
    assert (ROOT / other["source"]["path"] / ".codex-plugin/plugin.json").is_file()
    assert {*claude} == {"description", "name", "owner", "plugins"}


def test_the_portable_manifest_has_no_member_that_its_schema_has_not() -> None:
    """The schema of Agent Plugins is closed: these are its members."""
    manifest = json.loads((ROOT / "plugins/agent/plugin.json").read_text("utf-8"))
    members = {"$schema", "name", "version", "description", "author", "license", "keywords"}
    assert {*manifest} == members
    skill = (ROOT / f"plugins/agent/skills/{NAME}/SKILL.md").read_text("utf-8")
    assert re.match(rf"---\nname: {NAME}\ndescription: .{{20,1024}}\n---\n", skill)


def test_the_entry_of_the_registry_names_this_package_and_version() -> None:
    entry = json.loads((ROOT / "server.json").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (package,) = entry["packages"]
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert (package["identifier"], package["version"]) == (project["name"], __version__)
    assert project["name"] in project["scripts"]
    assert len(entry["description"]) <= 100
    assert f"mcp-name: {entry['name']} " in (ROOT / "README.md").read_text("utf-8")


def test_the_command_of_gemini_is_toml() -> None:
    text = (ROOT / f"extensions/gemini/commands/{NAME}.toml").read_text("utf-8")
    assert {*tomllib.loads(text)} == {"description", "prompt"}
    assert "{{args}}" in tomllib.loads(text)["prompt"]

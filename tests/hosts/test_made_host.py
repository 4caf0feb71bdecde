"""A host that is made up runs what is in its settings: install, an event, uninstall.

It needs no host and runs on each system: what a host of that system does with its settings is done
here with the standard library.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctx.hosts import all_hooks, hooks_of

HERE = Path(__file__).parent
RULE = "Never delete an order that was paid for"
SHELLS = {
    "windows": ("cmd", "/d", "/s", "/c"),
    "commandWindows": ("cmd", "/d", "/s", "/c"),
    "powershell": ("powershell", "-NoProfile", "-Command"),
}
"""What runs the command under a key, on Windows."""


@pytest.fixture(name="environ")
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a host: ctx is on its PATH, and nobody waits for seconds."""
    home = tmp_path / "home"
    settings = home / ".config" / "ctx" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("hook_seconds = 60\n", encoding="utf-8")
    path = os.pathsep.join((sysconfig.get_path("scripts"), os.environ["PATH"]))
    kept = {
        name: text for name, text in os.environ.items() if not name.startswith(("CTX_", "XDG_"))
    }
    variables = {"CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "AI_AGENT"}
    kept = {name: text for name, text in kept.items() if name not in variables}
    return {**kept, "PATH": path, "HOME": str(home), "USERPROFILE": str(home)}


@pytest.fixture(name="project")
def made(tmp_path: Path) -> Path:
    project = tmp_path / "shop"
    (project / ".context").mkdir(parents=True)
    rules = f"# Constitution\n\n- {RULE}\n"
    (project / ".context" / "CONSTITUTION.md").write_text(rules, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    return project


def ctx(project: Path, environ: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ctx", *words],
        cwd=project, env=environ, check=True, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    return done.stdout


def own_files(project: Path) -> list[Path]:
    return sorted(path for path in project.rglob("*") if ".git" not in path.parts)


def commands(value: object) -> Iterator[dict[str, str]]:
    """Yield what holds a command, wherever a host has it."""
    if isinstance(value, dict) and isinstance(value.get("command"), str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from commands(each)


def call(hook: dict[str, str]) -> list[str]:
    """Return the call of a hook, as hosts of this system make it."""
    if os.name != "nt":
        return ["sh", "-c", hook["command"]]
    for key, shell in SHELLS.items():
        if key in hook:
            return [*shell, hook[key]]
    return [*SHELLS["powershell"], hook["command"]]


def event(name: str, start: str, project: Path) -> bytes:
    """Return the event of a start as the host documents it, for a project."""
    path = min((HERE / name / "events").glob(f"{start}*.json"), key=lambda path: len(path.name))
    data = json.loads(path.read_text("utf-8"))["data"]
    data |= {key: str(project) for key in ("cwd",) if key in data}
    data |= {key: [str(project)] for key in ("workspace_roots",) if key in data}
    data.pop("transcript_path", None)
    return json.dumps(data).encode()


@pytest.mark.parametrize("before", [None, b'{\r\n\t"own": {"name": "\xc3\xa9"}\r\n}\r\n'])
@pytest.mark.parametrize("name", [each.name for each in all_hooks()])
def test_a_host_is_answered_and_gets_its_settings_back(
    name: str, before: bytes | None, project: Path, environ: dict[str, str]
) -> None:
    hooks = hooks_of(name)
    assert hooks
    settings = project / hooks.places[0].path
    if before and not hooks.places[0].owned:
        settings.parent.mkdir(parents=True)
        settings.write_bytes(before)
    there = own_files(project)
    ctx(project, environ, "hook", "install", name)
    (hook,) = commands(json.loads(settings.read_bytes())["hooks"][hooks.events[0]])
    assert shutil.which("ctx", path=environ["PATH"])
    done = subprocess.run(
        call(hook), input=event(name, hooks.events[0], project),
        cwd=project, env=environ, check=True, capture_output=True,
    )  # fmt: skip
    assert RULE in json.dumps(json.loads(done.stdout)), done.stderr
    ctx(project, environ, "hook", "uninstall", name)
    assert own_files(project) == there
    assert (settings.read_bytes() if settings.exists() else None) == (
        None if hooks.places[0].owned else before
    )

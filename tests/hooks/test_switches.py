"""Hooks that a tool does not run although they are installed: the switch is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ctx.cli.main import main
from ctx.hooks.status import status
from ctx.world import World

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
OFF = "disableAllHooks is true: no hooks are run; set it to false, or take it out"


def put(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data))


def advice(tool: str) -> tuple[str, ...]:
    return next(one.advice for one in status("", World()) if one.tool == tool)


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"settings.json": True}, ".claude/settings.json"),
        ({"settings.local.json": True}, ".claude/settings.local.json"),
        ({"~": True}, "~/.claude/settings.json"),
        ({"~": True, "settings.json": False}, ""),
        ({"settings.json": True, "settings.local.json": False}, ""),
        ({"~": False, "settings.json": True}, ".claude/settings.json"),
        ({"settings.json": "true"}, ""),
        ({}, ""),
    ],
)
def test_claude_that_runs_no_hooks(
    files: dict[str, object], named: str, project: Path, home: Path, capsys: Capture
) -> None:
    """The nearest of its settings counts; install says so, and status."""
    for name, value in files.items():
        folder = home if name == "~" else project
        file = "settings.json" if name == "~" else name
        put(folder / ".claude" / file, {"disableAllHooks": value})
    main(["hook", "install", "claude"])
    out = capsys.readouterr().out
    assert (f"  ! {named}: {OFF}\n" in out) is bool(named)
    assert ("! " in out) is bool(named)
    assert advice("claude") == ((f"{named}: {OFF}",) if named else ())
    main(["hook", "uninstall", "claude"])
    assert advice("claude") == (), "nobody is asked, so nothing is switched off"


@pytest.mark.parametrize(
    ("mine", "shared", "says"),
    [
        ({"enabled": False}, {}, "~/.gemini/settings.json: hooksConfig.enabled is false"),
        ({}, {"enabled": False}, ".gemini/settings.json: hooksConfig.enabled is false"),
        ({"enabled": False}, {"enabled": True}, ""),
        ({"disabled": ["ctx"]}, {}, "~/.gemini/settings.json: hooksConfig.disabled names"),
        ({}, {"disabled": ["a", "ctx hook run gemini BeforeAgent; exit 0"]},
         ".gemini/settings.json: hooksConfig.disabled names"),
        ({"disabled": ["other", 7]}, {"enabled": True}, ""),
        ([], "x", ""),
    ],
)  # fmt: skip
def test_gemini_that_runs_no_hooks(
    mine: object, shared: object, says: str, project: Path, home: Path
) -> None:
    put(home / ".gemini/settings.json", {"hooksConfig": mine})
    put(project / ".gemini/settings.json", {"hooksConfig": shared})
    main(["hook", "install", "gemini"])
    assert [line[: len(says)] for line in advice("gemini")] == ([says] if says else [])


@pytest.mark.parametrize(
    ("mine", "shared", "says"),
    [
        ("[features]\nhooks = false\n", "", "~/.codex/config.toml: features.hooks is false"),
        ("", "[features]\ncodex_hooks = false\n",
         ".codex/config.toml: features.codex_hooks is false"),
        ("[features]\nhooks = false\n", "[features]\nhooks = true\n", ""),
        ("", "[[hooks.Stop]]\nmatcher = 'x'\n",
         ".codex/hooks.json and [hooks] in .codex/config.toml both hold hooks"),
        ("", "[hooks.state.'a:b']\ntrusted_hash = 'x'\n", ""),
        ("[[hooks.Stop]]\nmatcher = 'x'\n", "", ""),
        ("[features", "hooks = 7", ""),
    ],
)  # fmt: skip
def test_codex_that_runs_no_hooks_or_warns_of_two_kinds(
    mine: str, shared: str, says: str, project: Path, home: Path
) -> None:
    put(home / ".codex/config.toml", mine)
    put(project / ".codex/config.toml", shared)
    main(["hook", "install", "codex"])
    assert [line[: len(says)] for line in advice("codex")] == ([says] if says else [])

"""``ctx hook status``: which tools ask ctx, from where, what came of it, and what to do."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from ctx.hooks.places import tool_named
from ctx.hooks.status import status
from ctx.hosts import NAMES
from ctx.world import World
from tests.hooks.conftest import ctx, git
from tests.keeping import state

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]


EVENTS = ["SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart", "InstructionsLoaded"]
EVENTS += ["Stop", "SessionEnd"]


def said(capsys: Capture, *arguments: str) -> str:
    capsys.readouterr()
    assert ctx("status", *arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def without(host: str) -> list[str]:
    return [name for name in NAMES if name != host]


def test_without_a_project_there_are_global_settings(home: Path, capsys: Capture) -> None:
    os.chdir(home)
    ctx("install", "gemini", "--global")
    assert said(capsys) == (
        "Gemini CLI\n"
        "  global: ~/.gemini/settings.json (BeforeAgent, AfterTool, AfterAgent, SessionEnd)\n"
        f"not asked by: {', '.join(without('gemini'))}, git (ctx hook install TOOL)\n"
    )


def test_who_asks_and_what_came_of_it(project: Path, capsys: Capture) -> None:
    ctx("install", "claude")
    ctx("install", "git")
    log = state(project / ".context") / "hook.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text(
        "2026-11-21T15:26:01Z\tclaude\tSessionStart\tfault\tFileError\t9 ms\n"
        "2026-11-21T15:27:01Z\tclaude\tUserPromptSubmit\tsaid\t-\t34 ms\n"
    )
    assert said(capsys) == (
        "Claude Code\n"
        "  project: .claude/settings.json (SessionStart, UserPromptSubmit, "
        "PostToolUse, SubagentStart, InstructionsLoaded, Stop, SessionEnd)\n"
        "  last: 2026-11-21T15:27:01Z UserPromptSubmit, said, 34 ms\n"
        "git\n"
        "  project: .git/hooks/post-commit (post-commit)\n"
        f"not asked by: {', '.join(without('claude'))} (ctx hook install TOOL)\n"
    )


def test_a_call_that_went_wrong_is_named(project: Path, capsys: Capture) -> None:
    ctx("install", "codex")
    log = state(project / ".context") / "hook.log"
    log.parent.mkdir(exist_ok=True)
    for outcome, says in (
        ("fault\tno \x1bspace", "went wrong (no \\x1bspace), so nothing was sent"),
        ("deadline\t-", "took too long, so nothing was sent"),
    ):
        log.write_text(f"2026-11-21T15:26:01Z\tcodex\tSessionStart\t{outcome}\t9 ms\n")
        assert f"  ! the last call {says}; hook.log has the others" in said(capsys)


def advice(tool: str) -> tuple[str, ...]:
    return next(one.advice for one in status("", World()) if one.tool == tool)


def test_hooks_in_two_places_are_said_twice(project: Path) -> None:
    ctx("install", "claude")
    ctx("install", "claude", "--global")
    (line,) = advice("claude")
    assert line == (
        "SessionStart and UserPromptSubmit: asked from .claude/settings.json and "
        "~/.claude/settings.json, which costs two calls; ctx hook uninstall claude --global"
    )
    assert (project / ".claude/settings.json").is_file()


def test_hooks_of_another_release_are_named(project: Path) -> None:
    ctx("install", "claude")
    settings = project / ".claude/settings.json"
    settings.write_bytes(settings.read_bytes().replace(b'"timeout": 10', b'"timeout": 3'))
    assert advice("claude") == (
        ".claude/settings.json: of another release; ctx hook install claude --project",
    )
    ctx("install", "claude", "--project")
    assert advice("claude") == ()


def test_an_event_that_is_missing_is_named(project: Path) -> None:
    hook = {"command": "ctx hook run cursor sessionStart --budget 900; exit 0"}
    (project / ".cursor").mkdir()
    (project / ".cursor/hooks.json").write_text(
        json.dumps({"version": 1, "hooks": {"sessionStart": [hook]}})
    )
    assert advice("cursor") == (
        (
            ".cursor/hooks.json: not at beforeSubmitPrompt and postToolUse and preCompact; "
            "ctx hook install cursor --project"
        ),
    )


def test_a_program_that_is_not_found_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx("install", "claude")
    monkeypatch.setenv("PATH", "/nowhere")
    assert advice("claude") == (
        ".claude/settings.json: ctx is not found on the PATH of this shell",
    )
    assert (project / ".claude/settings.json").is_file()


def test_settings_that_cannot_be_read_are_named(project: Path, capsys: Capture) -> None:
    (project / ".gemini").mkdir()
    (project / ".gemini/settings.json").write_text("{")
    out = said(capsys)
    assert "Gemini CLI\n  ! .gemini/settings.json:1: cannot be changed: a name in double" in out


def test_tools_that_run_the_hooks_of_another_are_named(project: Path) -> None:
    ctx("install", "claude")
    ctx("install", "cursor")
    assert advice("cursor") == ()
    (line,) = advice("claude")
    assert line.startswith("Cursor can run the hooks of Claude Code, too")
    assert (project / ".cursor/hooks.json").is_file()


def test_a_hook_of_git_that_is_switched_off_is_named(project: Path) -> None:
    ctx("install", "git")
    (project / ".git/hooks/post-commit").chmod(0o644)
    assert advice("git") == (".git/hooks/post-commit is not executable: git does not run it",)


def test_json_is_one_object(project: Path, capsys: Capture) -> None:
    ctx("install", "claude", "--local")
    data: dict[str, list[dict[str, Any]]] = json.loads(said(capsys, "--json"))
    assert [one["tool"] for one in data["tools"]] == [*NAMES, "git"]
    places = data["tools"][0]["places"]
    assert [(one["scope"], one["events"]) for one in places] == [
        ("project", []),
        ("local", EVENTS),
        ("global", []),
    ]
    assert places[1] == {
        "scope": "local",
        "path": ".claude/settings.local.json",
        "file": str(project / ".claude/settings.local.json"),
        "events": EVENTS,
        "missing": [],
        "by_hand": [],
        "program": "ctx",
        "found": True,
        "current": True,
        "problem": "",
    }
    assert data["tools"][0]["last"] is None


# --- hooks that a tool does not run although they are installed -----------------------------

OFF = "disableAllHooks is true: no hooks are run; set it to false, or take it out"


def put(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data))


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
    ctx("install", "claude")
    out = capsys.readouterr().out
    assert (f"  ! {named}: {OFF}\n" in out) is bool(named)
    assert ("! " in out) is bool(named)
    assert advice("claude") == ((f"{named}: {OFF}",) if named else ())
    ctx("uninstall", "claude")
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
    put(home / ".gemini/trustedFolders.json", {str(project): "TRUST_FOLDER"})
    put(project / ".gemini/settings.json", {"hooksConfig": shared})
    ctx("install", "gemini")
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
    ctx("install", "codex")
    found = [line for line in advice("codex") if "trust" not in line]
    assert [line[: len(says)] for line in found] == ([says] if says else [])


@pytest.mark.parametrize(("tool", "title"), [("claude", "Claude Code"), ("gemini", "Gemini CLI")])
def test_in_a_subfolder_the_hooks_of_the_project_are_not_run(
    project: Path, capsys: Capture, tool: str, title: str
) -> None:
    ctx("install", tool)
    assert "only where" not in said(capsys)
    (project / "lib").mkdir()
    os.chdir(project / "lib")
    text = said(capsys)
    assert f"{title} runs these hooks only where it is started in" in text
    assert f"ctx hook install {tool} --global" in text
    ctx("install", tool)
    assert "only where it is started in" in capsys.readouterr().out
    ctx("install", tool, "--global")
    assert "only where" in said(capsys), "what is committed is for others, too"


def test_local_hooks_of_the_main_checkout_run_in_its_work_trees(
    project: Path, capsys: Capture
) -> None:
    ctx("install", "claude", "--local")
    tree = project.parent / "tree"
    git(project, "commit", "-q", "--allow-empty", "-m", "x")
    git(project, "worktree", "add", "-q", str(tree))
    os.chdir(tree)
    text = said(capsys)
    assert "local: " in text
    assert "work/.claude/settings.local.json" in text


REVIEWED = {  # digests of Codex CLI 0.171.0 (``hooks/list`` of its app-server) for these hooks
    "session_start": "sha256:a4b7917eed9259401ae4988a6315c94789fba40d6b79ef87cd4ad4723ce0dd0e",
}


def _trusted(home: Path, project: Path, states: dict[str, str], level: str = "trusted") -> None:
    lines = [f'[projects."{project}"]', f'trust_level = "{level}"']
    for key, digest in states.items():
        lines += [
            f'[hooks.state."{project}/.codex/hooks.json:{key}"]',
            f'trusted_hash = "{digest}"',
        ]
    put(home / ".codex/config.toml", "\n".join(lines))


@pytest.mark.parametrize(
    ("states", "says"),
    [
        ({"session_start:0:0": REVIEWED["session_start"]}, ""),
        ({}, "SessionStart: not reviewed"),
        ({"session_start:0:0": "sha256:0"}, "SessionStart: changed"),
        ({"session_start:1:0": REVIEWED["session_start"]}, "SessionStart: moved"),
    ],
)
def test_hooks_that_codex_passes_over_are_named(
    states: dict[str, str], says: str, project: Path, home: Path
) -> None:
    """Codex trusts a hook by file, event, place and definition, and says nothing of the others."""
    ctx("install", "codex")
    path = project / ".codex/hooks.json"
    hooks = json.loads(path.read_text())["hooks"]
    path.write_text(json.dumps({"hooks": {"SessionStart": hooks["SessionStart"]}}))
    _trusted(home, project, states)
    found = [line for line in advice("codex") if "does not run them" in line]
    assert [says in line for line in found] == ([True] if says else [])


def test_a_folder_that_codex_does_not_trust_is_named(project: Path, home: Path) -> None:
    ctx("install", "codex")
    assert any("does not trust this folder" in line for line in advice("codex"))
    _trusted(home, project, {})
    assert not any("does not trust this folder" in line for line in advice("codex"))


def test_a_linked_work_tree_has_the_hooks_of_the_main_checkout(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx("install", "codex")
    git(project, "commit", "-q", "--allow-empty", "-m", "x")
    git(project, "worktree", "add", "-q", str(home / "linked"))
    (home / "linked/.context").mkdir()
    monkeypatch.chdir(home / "linked")
    ctx("install", "codex")
    (line,) = (line for line in advice("codex") if "linked work tree" in line)
    assert f"{project}/.codex/hooks.json" in line


@pytest.mark.parametrize(
    ("levels", "is_trusted"),
    [
        ({}, False), ({".": "TRUST_FOLDER"}, True), ({"..": "TRUST_FOLDER"}, True),
        ({"x": "TRUST_PARENT"}, True), ({".": "DO_NOT_TRUST", "..": "TRUST_FOLDER"}, False),
    ],
)  # fmt: skip
def test_a_folder_that_gemini_does_not_trust_is_named(
    levels: dict[str, str], project: Path, home: Path, *, is_trusted: bool
) -> None:
    paths = {os.path.normpath(project / name): level for name, level in levels.items()}
    put(home / ".gemini/trustedFolders.json", paths)
    ctx("install", "gemini")
    assert any("does not trust" in line for line in advice("gemini")) is not is_trusted


@pytest.mark.parametrize("again", [True, False], ids=["renewed", "taken out"])
def test_an_installation_without_the_end_of_a_session_is_of_another_release(
    project: Path, monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    """As it was for Copilot: what is there goes with the rest, and what lacks is named."""
    before = '{"version": 1, "hooks": {"preToolUse": [{"bash": "./check"}]}}'
    path = project / ".github/hooks/ctx.json"
    put(path, before)
    with monkeypatch.context() as older:
        older.setattr(type(tool_named("copilot")), "captures", ("Stop",))
        ctx("install", "copilot")
    old = path.read_text()
    assert advice("copilot") == (
        ".github/hooks/ctx.json: of another release; ctx hook install copilot --project",
    )
    if again:
        ctx("install", "copilot")
        assert old != path.read_text()
        assert "SessionEnd" in json.loads(path.read_text())["hooks"]
        assert advice("copilot") == ()
    ctx("uninstall", "copilot")
    assert path.read_text() == before


def test_a_folder_that_copilot_does_not_trust_is_named(project: Path, home: Path) -> None:
    """Without a file of the CLI nobody uses it: VS Code asks for its own trust."""
    ctx("install", "copilot")
    assert advice("copilot") == ()
    put(home / ".copilot/config.json", '// managed\n{"trustedFolders": ["/other"]}')
    assert "does not trust this folder" in advice("copilot")[0]
    put(home / ".copilot/config.json", {"trustedFolders": [str(project)]})
    assert advice("copilot") == ()

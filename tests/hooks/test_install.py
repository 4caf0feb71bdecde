"""``ctx hook install`` and ``uninstall``: settings get hooks, and come back to the byte."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ctx.edit import atomic
from ctx.errors import FileError
from ctx.hooks import install, settings_file
from ctx.hooks.settings_file import carry_out
from ctx.hosts import NAMES
from tests import deaths
from tests.hooks.conftest import ctx, git
from tests.hooks.golden import cases, form, in_project
from tests.hostile import HANGS

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
CASES = [(name, cases(name)[0]) for name in NAMES]
"""Of each tool one; all are merged and put back in ``test_settings.py``."""
PLACES = {name: str(form(name)["project"]) for name in NAMES}
AT_HOME = {name: str(form(name)["global"]) for name in NAMES}


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below ``folder`` but git's and the store's own, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not {".git", ".gitignore"} & set(path.relative_to(folder).parts)
    }


def written(project: Path, data: str | bytes) -> Path:
    """Write settings of Claude Code; return their file."""
    settings = project / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_bytes(data if isinstance(data, bytes) else data.encode())
    return settings


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_is_installed_in_the_project_and_leaves_no_trace(name: str, project: Path) -> None:
    assert ctx("install", name) == 0
    assert list(files(project)) == [PLACES[name]]
    assert ctx("uninstall", name) == 0
    assert sorted(one.name for one in project.iterdir()) == [".context", ".git"]


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_is_installed_for_all_projects(name: str, project: Path, home: Path) -> None:
    assert ctx("install", name, "--global") == 0
    assert list(files(home)) == [AT_HOME[name]]
    assert files(project) == {}
    assert ctx("uninstall", name, "--global") == 0
    assert sorted(one.name for one in home.iterdir()) == ["work"]


@pytest.mark.parametrize(
    ("name", "path"), CASES, ids=lambda one: one if isinstance(one, str) else one.name
)
def test_settings_of_people_come_back(name: str, path: Path, project: Path) -> None:
    settings = project / PLACES[name]
    settings.parent.mkdir(parents=True)
    settings.write_bytes(path.read_bytes())
    settings.chmod(0o640)
    assert ctx("install", name) == 0
    assert settings.read_bytes() == path.with_suffix(".installed.json").read_bytes()
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    assert git(project, "status", "--porcelain", "-uall").split() == ["??", PLACES[name]]
    assert ctx("uninstall", name) == 0
    assert files(project) == {PLACES[name]: path.read_bytes()}


def test_installing_twice_changes_nothing(project: Path, capsys: Capture) -> None:
    ctx("install", "claude")
    once = files(project)
    when = (project / PLACES["claude"]).stat().st_mtime_ns
    capsys.readouterr()
    assert ctx("install", "claude") == 0
    assert "calls ctx already; nothing to do" in capsys.readouterr().out
    assert files(project) == once
    assert (project / PLACES["claude"]).stat().st_mtime_ns == when


def test_the_line_that_is_proposed_says_it_each_time(project: Path, capsys: Capture) -> None:
    """Not only once a cooldown: a person tries it twice, and then once more."""
    decision = "## [2026-01-05] Postgres\n\n**Decision**: One server.\n"
    (project / ".context/DECISIONS.md").write_text(f"# Decisions\n\n{decision}")
    ctx("install", "claude")
    (line,) = (one for one in capsys.readouterr().out.splitlines() if "see what it gets" in one)
    command = line.partition(": ")[2]
    environ = {**os.environ, "CTX_HOOK_SECONDS": str(HANGS)}
    for _ in range(3):
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=project, env=environ, check=True, capture_output=True, text=True,
        )  # fmt: skip
        assert done.stderr == ""
        assert "One server." in done.stdout


def test_a_dry_run_shows_a_diff_and_changes_nothing(project: Path, capsys: Capture) -> None:
    written(project, '{\n  "model": "opus"\n}')
    before = files(project)
    assert ctx("install", "claude", "--dry-run") == 0
    out = capsys.readouterr().out
    assert out.startswith("--- a/.claude/settings.json\n+++ b/.claude/settings.json\n")
    assert '-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n' in out
    assert "\\ No newline at end of file" in out
    assert files(project) == before
    ctx("install", "claude")
    before = files(project)
    capsys.readouterr()
    assert ctx("uninstall", "claude", "--dry-run") == 0
    assert '-  "hooks": {\n' in capsys.readouterr().out
    assert files(project) == before


def test_a_file_edited_in_between_loses_the_hooks_alone(project: Path, capsys: Capture) -> None:
    settings = written(project, '{\n  "model": "opus" // mine\n}\n')
    ctx("install", "claude")
    settings.write_text(settings.read_text().replace("opus", "sonnet"))
    capsys.readouterr()
    assert ctx("uninstall", "claude") == 0
    assert capsys.readouterr().out == (
        ".claude/settings.json: without the hooks of ctx; all else is left as it is\n"
    )
    assert settings.read_text() == '{\n  "model": "sonnet" // mine\n}\n'


def test_hooks_of_another_release_are_replaced(project: Path) -> None:
    settings = written(project, '{"model": "opus"}')
    ctx("install", "claude")
    now = settings.read_bytes()
    old = now.replace(b'"timeout": 10', b'"timeout": 3').replace(b"; exit 0", b"")
    settings.write_bytes(old)
    assert ctx("install", "claude") == 0
    assert settings.read_bytes() == now
    ctx("uninstall", "claude")
    assert files(project) == {".claude/settings.json": b'{"model": "opus"}'}


def test_a_hook_that_a_person_wrote_around_ctx_stands_for_its_event(
    project: Path, capsys: Capture
) -> None:
    command = "ctx hook run claude UserPromptSubmit --budget 500"
    hook = {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]}}
    settings = written(project, json.dumps(hook))
    ctx("install", "claude")
    assert "UserPromptSubmit: a hook of your own runs ctx there" in capsys.readouterr().out
    data = json.loads(settings.read_bytes())["hooks"]
    assert len(data["UserPromptSubmit"]) == len(data["SessionStart"]) == 1
    ctx("uninstall", "claude")
    assert json.loads(settings.read_bytes()) == hook


def test_uninstalling_here_names_what_is_left_elsewhere(project: Path, capsys: Capture) -> None:
    ctx("install", "claude", "--global")
    ctx("install", "claude")
    capsys.readouterr()
    ctx("uninstall", "claude")
    assert capsys.readouterr().out == (
        ".claude/settings.json: removed; ctx had made it\n"
        "still in ~/.claude/settings.json: ctx hook uninstall claude --global\n"
    )
    assert files(project) == {}


@pytest.mark.parametrize(
    ("variable", "name", "path"),
    [
        ("CLAUDE_CONFIG_DIR", "claude", "settings.json"),
        ("CODEX_HOME", "codex", "hooks.json"),
        ("COPILOT_HOME", "copilot", "hooks/ctx.json"),
    ],
)
def test_a_variable_names_another_folder(
    variable: str, name: str, path: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv(variable, str(home / "else where"))
    assert ctx("install", name, "--global") == 0
    assert list(files(home)) == [f"else where/{path}"]
    assert ctx("uninstall", name, "--global") == 0
    assert list(home.iterdir()) == []


# --- where, and by which command ----------------------------------------------------------


def test_the_project_is_the_folder_of_the_context_directory_or_the_repository(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    below = project / "src" / "deep"
    below.mkdir(parents=True)
    (home / "bare").mkdir()
    for folder, options in ((below, ()), (home, ("--dir", str(project)))):
        monkeypatch.chdir(folder)
        assert ctx("install", "claude", *options) == 0
        assert list(files(project)) == [".claude/settings.json"]
        ctx("uninstall", "claude", *options)
    assert ctx("install", "claude", "--dir", str(home / "nowhere")) == 4
    (project / ".context").rmdir()
    monkeypatch.chdir(below)
    assert ctx("install", "claude") == 0
    assert list(files(project)) == [".claude/settings.json"]
    monkeypatch.chdir(home / "bare")
    capsys.readouterr()
    assert ctx("install", "claude") == 2
    assert capsys.readouterr().err == (
        "ctx: no project here: neither a context directory nor a repository "
        "(`ctx init` makes one; --global is for all projects)\n"
    )
    assert files(home / "bare") == {}


def command_of(path: Path) -> str:
    hooks = json.loads(path.read_bytes())["hooks"]
    command: str = hooks["SessionStart"][0]["hooks"][0]["command"]
    return command


def test_one_persons_command_leads_to_this_program_where_its_name_does_not(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    script = home / "my tools" / "ctx"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    ctx("install", "claude", "--global")
    assert command_of(home / ".claude/settings.json") == (
        f"'{script}' hook run claude SessionStart; exit 0"
    )
    assert capsys.readouterr().err == ""
    ctx("install", "claude")  # shared with people whose ctx is elsewhere
    assert command_of(project / ".claude/settings.json") == (
        "ctx hook run claude SessionStart; exit 0"
    )
    out, err = capsys.readouterr()
    assert "`ctx` is not on the PATH" in err
    assert f"| '{script}' hook run claude UserPromptSubmit --cooldown 0\n" in out
    assert ctx("uninstall", "claude", "--global") == 0
    assert ctx("uninstall", "claude") == 0
    assert list(files(home)) == ["my tools/ctx"]


@pytest.mark.usefixtures("project")
def test_another_ctx_that_is_first_on_the_path_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for folder in ("own", "others", "shims"):
        (home / folder).mkdir()
        for name in ("ctx", "ctx-packet"):
            (home / folder / name).write_text("#!/bin/sh\n")
            (home / folder / name).chmod(0o755)
    (home / "own" / "ctx").rename(home / "own" / "ctx.exe")  # as another system calls it
    (home / "linked").mkdir()
    (home / "linked" / "ctx").symlink_to(home / "own" / "ctx-packet")
    monkeypatch.setattr(sys, "argv", [str(home / "own" / "ctx-packet")])
    told = []
    for path in ("others", "missing", "linked", "shims"):
        monkeypatch.setenv("PATH", str(home / path))
        ctx("install", "claude")
        told.append(capsys.readouterr().err)
    assert f"is another program on the PATH of this shell, {home / 'others' / 'ctx'}," in told[0]
    assert "is not on the PATH" in told[1]
    assert told[2:] == ["", ""]


# --- refusals: one line, exit code 6, nothing changed --------------------------------------


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"a": [}', ".claude/settings.json:1: cannot be changed: there is no value here"),
        (b"\xff\xfe{\x00}\x00", ".claude/settings.json: cannot be read: byte 0 is not UTF-8"),
        (b'{"hooks": "x"}', ".claude/settings.json:1: cannot be changed: no object"),
    ],
)
def test_settings_that_cannot_be_read_are_left(
    data: bytes, says: str, project: Path, capsys: Capture
) -> None:
    written(project, data)
    assert ctx("install", "claude") == 6
    err = capsys.readouterr().err
    assert err.startswith(f"ctx: {says}")
    assert err.count("\n") == 1
    assert files(project) == {".claude/settings.json": data}


def test_settings_that_may_not_be_written_are_left(
    project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the tests run as root, who may write what is read-only."""
    settings = written(project, "{}")
    may = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: not str(path).endswith(".json") and may(path, mode)
    )
    assert ctx("install", "claude") == 6
    assert capsys.readouterr().err == (
        f"ctx: {settings}: is read-only (make it writable, then try again)\n"
    )
    assert files(project) == {".claude/settings.json": b"{}"}


def test_locked_settings_are_left(
    project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = written(project, "{}")
    monkeypatch.setattr(install, "carry_out", lambda file, plan: carry_out(file, plan, timeout=0))
    with atomic.lock(str(settings)):
        assert ctx("install", "claude") == 6
    assert "still locked" in capsys.readouterr().err
    assert files(project) == {".claude/settings.json": b"{}"}


def test_a_link_of_ones_own_is_written_through(project: Path, home: Path) -> None:
    """Settings are often a link into a repository of dotfiles."""
    dotfiles = home / "dotfiles"
    dotfiles.mkdir()
    target = dotfiles / "claude.json"
    target.write_text('{"model": "opus"}\n')
    (home / ".claude").mkdir()
    link = home / ".claude/settings.json"
    link.symlink_to("../dotfiles/claude.json")
    assert ctx("install", "claude", "--global") == 0
    assert link.is_symlink()
    assert b"ctx hook run" in target.read_bytes()
    assert ctx("uninstall", "claude", "--global") == 0
    assert link.is_symlink()
    assert files(dotfiles) == {"claude.json": b'{"model": "opus"}\n'}
    assert sorted(one.name for one in (home / ".claude").iterdir()) == ["settings.json"]
    assert files(project) == {}


def test_what_is_no_file_of_the_project_is_left(project: Path, home: Path, capsys: Capture) -> None:
    """A repository from elsewhere must not choose which of a person's files are changed."""
    (home / "mine.json").write_text("{}")
    settings = written(project, "")
    settings.unlink()
    os.mkfifo(settings)
    assert ctx("install", "claude") == 6
    assert "is not a regular file" in capsys.readouterr().err
    settings.unlink()
    settings.symlink_to("../../mine.json")
    assert ctx("install", "claude") == 6
    assert "not followed: the link " in capsys.readouterr().err
    assert (home / "mine.json").read_text() == "{}"


@pytest.mark.parametrize(("tool", "folder"), [("claude", ".claude"), ("git", ".git/hooks")])
def test_nothing_is_made_in_a_folder_that_leads_out(
    project: Path, home: Path, capsys: Capture, tool: str, folder: str
) -> None:
    (home / "elsewhere").mkdir()
    shutil.rmtree(project / folder, ignore_errors=True)
    (project / folder).parent.mkdir(exist_ok=True)
    (project / folder).symlink_to(home / "elsewhere")
    assert ctx("install", tool) == 6
    assert "not followed: the link " in capsys.readouterr().err
    assert list((home / "elsewhere").iterdir()) == []


def test_a_projects_link_within_it_is_followed(project: Path) -> None:
    (project / "shared").mkdir()
    (project / "shared/settings.json").write_text("{}\n")
    git(project, "init", "-q")
    git(project, "add", "shared")
    (project / ".claude").symlink_to("shared")
    assert ctx("install", "claude") == 0
    assert (project / ".claude").is_symlink()
    assert ctx("uninstall", "claude") == 0
    assert (project / "shared/settings.json").read_text() == "{}\n"


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_a_full_disk_leaves_what_was_there(
    fails: str, project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(project, "{}\n")
    does = getattr(os, fails)

    def full(*arguments: object) -> object:
        if fails == "fsync" or str(arguments[1]).endswith("settings.json"):
            raise OSError(28, "No space left on device")
        return does(*arguments)

    monkeypatch.setattr(os, fails, full)
    assert ctx("install", "claude") == 6
    err = capsys.readouterr().err
    assert ("No space left on device" in err, err.count("\n")) == (True, 1)
    assert files(project) == {".claude/settings.json": b"{}\n"}


def test_what_a_host_writes_meanwhile_is_not_lost(project: Path) -> None:
    """Claude Code writes its settings by itself, without a lock."""
    settings = written(project, '{"model": "opus"}')
    here = in_project("claude", project)
    make = settings_file.to_install(here.wanted("ctx"), "f")
    times: list[int] = []

    def plan(data: bytes | None) -> settings_file.Change:
        change = make(data)
        times.append(1)
        if len(times) == 2:  # under the lock: the host writes after ctx has read
            settings.write_text('{"model": "sonnet"}')
        return change

    settings_file.carry_out(here.file, plan)
    data = settings.read_bytes()
    assert b"sonnet" in data
    assert b"ctx hook run" in data
    ctx("uninstall", "claude")
    assert files(project) == {".claude/settings.json": b'{"model": "sonnet"}'}


def test_settings_that_never_rest_are_left(project: Path) -> None:
    settings = written(project, "{}")
    here = in_project("claude", project)
    make = settings_file.to_install(here.wanted("ctx"), "f")

    def plan(data: bytes | None) -> settings_file.Change:
        change = make(data)
        settings.write_text(settings.read_text() + " ")
        return change

    with pytest.raises(FileError, match="changes while it is written"):
        settings_file.carry_out(here.file, plan)
    assert settings.read_text().strip() == "{}"
    assert list(files(project)) == [".claude/settings.json"]


@pytest.mark.parametrize("way", ["calls", "full"])
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_who_dies_leaves_the_old_file_or_the_new(command: str, way: str, tmp_path: Path) -> None:
    """At every call that changes files, and at every size; and the next run finishes it."""
    deaths.check("tests.hooks.dying", tmp_path, f"{command}-{way}", least=4)


# --- mistakes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("install", "VS Code"), "(did you mean vscode?)"),
        (("uninstall", "../x"), "'../x' is no tool with hooks"),
        (("install", "claude", "--global", "--local"), "--local and --global: choose one"),
        (("install", "codex", "--local"), "--local: Codex CLI has no such settings (it has"),
        (("uninstall", "codex", "--local"), "--local: Codex CLI has no such settings (it has"),
        (("install",), "Missing argument 'TOOL'"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: tuple[str, ...], says: str, project: Path, capsys: Capture
) -> None:
    assert ctx(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1
    assert files(project) == {}


def test_json_is_one_object(project: Path, capsys: Capture) -> None:
    written(project, "{}\n")
    ctx("install", "claude", "--json", "--dry-run")
    shown = json.loads(capsys.readouterr().out)
    assert (shown["command"], shown["dry_run"]) == ("install", True)
    assert shown["files"][0]["diff"][0] == "--- a/.claude/settings.json"
    ctx("install", "claude", "--json")
    assert json.loads(capsys.readouterr().out) == {
        "command": "install",
        "dry_run": False,
        "files": [
            {
                "tool": "claude",
                "scope": "project",
                "path": str(project / ".claude/settings.json"),
                "changed": True,
                "exists": True,
                "left_by_hand": [],
                "diff": None,
            }
        ],
    }
    ctx("uninstall", "claude", "--json")
    done = json.loads(capsys.readouterr().out)["files"]
    assert [(one["scope"], one["changed"]) for one in done] == [("project", True), ("local", False)]

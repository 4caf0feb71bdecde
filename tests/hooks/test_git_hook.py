"""``ctx hook … git``: the hook is put in, reminds once a commit, and is taken out."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from ctx.cli.main import main
from ctx.hooks import reminder as reminding
from tests.hooks.conftest import ctx, git

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
LINE = (
    "ctx: this commit looks like a decision (it says 'switch'); write down why: "
    "ctx add decision 'Switch to Postgres'\n"
)


def commit(folder: Path, subject: str, name: str = "a.py") -> str:
    """Commit a change and return what was said."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{subject} {time.time_ns()}\n")
    git(folder, "add", "-A")
    return git(folder, "commit", "-m", subject)


def script(project: Path, text: str, mode: int = 0o755) -> Path:
    """Write the hook of another; return its file."""
    hook = project / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(text.encode())
    hook.chmod(mode)
    return hook


def test_a_commit_that_looks_like_a_decision_is_told_once(project: Path) -> None:
    ctx("install", "git")
    said = commit(project, "Switch to Postgres")
    assert said.count(LINE) == 1
    assert "ctx:" not in commit(project, "Fix a typo")


ENTRY = "## [2026-01-05] Postgres\n\n**Decision**: One server.\n"
"""An entry of a day, which may be any."""


def write(project: Path, text: str, name: str = "DECISIONS.md") -> Path:
    """Write decisions; return their file."""
    path = project / ".context" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


COMMITTED = 1_780_000_000
"""A moment in 2026."""


def dated(ago: float) -> str:
    """Return an entry that was written ``ago`` seconds before the commit."""
    when = time.strftime("%Y-%m-%d-%H%M%S", time.localtime(COMMITTED - ago))
    return f"# Decisions\n\n## [{when}] Postgres\n"


def test_what_was_written_down_lately_is_not_asked_for(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where decisions are not in git, or come with the next commit."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{COMMITTED} +0000")
    (project / ".gitignore").write_text(".context/\n")
    write(project, dated(60))
    ctx("install", "git")
    assert "ctx:" not in commit(project, "Switch to Postgres")
    write(project, dated(3600))
    assert LINE in commit(project, "Switch to Postgres")
    write(project, dated(60), "decisions/storage.md")
    assert "ctx:" not in commit(project, "Switch to Postgres")


def test_templates_and_a_fresh_clone_are_no_decision(project: Path) -> None:
    """It is an entry that counts, and not the time of a file."""
    ctx("install", "git")
    (project / ".context").rmdir()
    assert main(["init"]) == 0
    assert LINE in commit(project, "Switch to Postgres")
    write(project, f"# Decisions\n\n{ENTRY}")
    commit(project, "Write it down")
    os.utime(project / ".context/DECISIONS.md")
    assert LINE in commit(project, "Switch to Postgres")
    write(project, f"# Decisions\n\nThey are below.\n\n{ENTRY}")
    assert LINE in commit(project, "Switch to Postgres"), "changed, and no entry more"


@pytest.mark.parametrize("name", ["Decisions.md", "decisions/storage.md"])
def test_an_entry_of_the_commit_or_of_the_next_one_counts(project: Path, name: str) -> None:
    ctx("install", "git")
    commit(project, "First")
    write(project, "# Decisions\n", name)
    commit(project, "Second")
    write(project, f"# Decisions\n\n{ENTRY}", name)
    assert "ctx:" not in commit(project, "Switch to Postgres")
    assert LINE in commit(project, "Switch to Postgres")
    write(project, f"# Decisions\n\n## Another\n\n{ENTRY}", name)
    (project / "b.py").write_text("1")
    git(project, "add", "b.py")
    assert "ctx:" not in git(project, "commit", "-m", "Switch to Postgres")


@pytest.mark.parametrize(
    ("subject", "says"),
    [
        ("Fix a typo", "the last commit (Fix a typo) does not look like a decision"),
        ("Switch to Postgres", "a decision was written with it, or in the half hour before it"),
    ],
)
def test_a_person_who_asks_is_told_why_there_is_nothing_to_say(
    subject: str, says: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    write(project, f"# Decisions\n\n{ENTRY}")
    commit(project, subject)
    capsys.readouterr()
    ctx("run", "git", "post-commit")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(reminding, "answers", lambda: True)
    ctx("run", "git", "post-commit")
    assert capsys.readouterr() == ("", f"ctx: nothing to remind of: {says}\n")


def test_a_commit_at_a_terminal_is_not_told_why_there_is_nothing_to_say(project: Path) -> None:
    """A hook of git has no terminal to read from, though it writes to one."""
    ctx("install", "git")
    (project / "a.py").write_text("1")
    git(project, "add", "a.py")
    shows, shown = os.openpty()
    try:
        subprocess.run(
            ["git", "commit", "-q", "-m", "Fix it"], cwd=project, check=True,
            stdin=shown, stdout=shown, stderr=shown,
        )  # fmt: skip
        os.write(shown, b"end")
        assert os.read(shows, 1000) == b"end"
        by_hand = subprocess.run(
            ["ctx", "hook", "run", "git", "post-commit"], cwd=project, check=True,
            stdin=shown, stdout=shown, stderr=shown,
        )  # fmt: skip
        assert by_hand.returncode == 0
        assert b"does not look like a decision" in os.read(shows, 1000)
    finally:
        os.close(shows)
        os.close(shown)


def test_the_hook_of_another_keeps_its_words_and_its_end(project: Path) -> None:
    hook = script(project, "#!/bin/sh\necho from another\nexec sh -c 'exit 3'\n")
    before = hook.read_bytes()
    assert ctx("install", "git") == 0
    said = commit(project, "Switch to Postgres")
    assert LINE in said
    assert "from another" in said
    assert subprocess.run([hook], cwd=project, check=False, capture_output=True).returncode == 3
    assert ctx("uninstall", "git") == 0
    assert hook.read_bytes() == before
    assert os.access(hook, os.X_OK)


def test_where_ctx_is_not_found_a_commit_is_as_quiet_as_before(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx("install", "git")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    said = commit(project, "Switch to Postgres")
    assert "ctx" not in said
    assert "not found" not in said


def test_a_hooks_path_is_respected(project: Path, capsys: Capture) -> None:
    git(project, "config", "core.hooksPath", "tools/hooks")
    assert ctx("install", "git") == 0
    assert capsys.readouterr().out == (
        "tools/hooks/post-commit: reminds after a commit of decisions that nobody wrote down\n"
        "  core.hooksPath: it is for all who work in this repository\n"
        "see its output for the last commit: ctx hook run git post-commit\n"
    )
    assert LINE in commit(project, "Switch to Postgres")
    ctx("uninstall", "git")
    assert not (project / "tools/hooks/post-commit").exists()


def test_husky_is_given_its_own_file(project: Path, capsys: Capture) -> None:
    (project / ".husky/_").mkdir(parents=True)
    git(project, "config", "core.hooksPath", ".husky/_")
    assert ctx("install", "git") == 0
    assert "husky runs it" in capsys.readouterr().out
    assert (project / ".husky/post-commit").read_bytes().startswith(b"# >>> ctx >>>")
    assert list((project / ".husky/_").iterdir()) == []
    assert ctx("uninstall", "git") == 0
    assert not (project / ".husky/post-commit").exists()


def test_a_worktree_shares_the_hook_of_its_repository(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(project, "First", ".context/TASKS.md")
    git(project, "worktree", "add", "-q", str(home / "tree"))
    monkeypatch.chdir(home / "tree")
    assert ctx("install", "git") == 0
    assert (project / ".git/hooks/post-commit").is_file()
    assert LINE in commit(home / "tree", "Switch to Postgres")
    assert ctx("uninstall", "git") == 0
    assert not (project / ".git/hooks/post-commit").exists()


def test_commits_that_are_made_again_are_not_told_again(project: Path) -> None:
    """A rebase of twenty commits would say it twenty times."""
    commit(project, "First")
    git(project, "checkout", "-q", "-b", "side")
    commit(project, "Switch to Postgres", "b.py")
    git(project, "checkout", "-q", "main")
    commit(project, "Second", "c.py")
    git(project, "checkout", "-q", "side")
    ctx("install", "git")
    assert "ctx:" not in git(project, "rebase", "main")


def test_a_merge_is_not_told(project: Path) -> None:
    commit(project, "First")
    git(project, "checkout", "-q", "-b", "side")
    commit(project, "Other", "b.py")
    git(project, "checkout", "-q", "main")
    commit(project, "Second", "c.py")
    ctx("install", "git")
    said = git(project, "merge", "--no-ff", "-m", "Switch to Postgres", "side")
    assert "ctx:" not in said
    assert ctx("run", "git", "post-commit") == 0


def test_run_says_nothing_and_ends_well_where_something_is_wrong(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert ctx("run", "git", "post-commit") == 0  # no commit yet
    assert ctx("run", "git", "pre-push") == 0  # not an event of ours
    commit(project, "Switch to Postgres")
    monkeypatch.setattr(reminding, "SECONDS", 0.000_001)
    assert ctx("run", "git", "post-commit") == 0  # git is too slow
    monkeypatch.setenv("PATH", "/nowhere")
    assert ctx("run", "git", "post-commit") == 0  # no git
    os.chdir(home)
    assert ctx("run", "git", "post-commit") == 0  # no context directory
    assert capsys.readouterr() == ("", "")


def test_what_a_subject_holds_cannot_steer_a_terminal_or_a_shell(
    project: Path, capsys: Capture
) -> None:
    commit(project, "Switch to $(rm -rf x) 'and' \x1b[31mred\x07 " + "long " * 40)
    capsys.readouterr()
    assert ctx("run", "git", "post-commit") == 0
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "\x1b" not in err
    assert "\x07" not in err
    command = err.partition("write down why: ")[2]
    echoed = subprocess.run(
        ["/bin/sh", "-c", f'ctx() {{ printf "%s|" "$@"; }}; {command}'],
        check=True,
        capture_output=True,
        text=True,
    )
    words = echoed.stdout.split("|")
    assert words[:2] == ["add", "decision"]
    assert words[2].startswith("Switch to $(rm -rf x) 'and' ")
    assert len(words[2]) <= 80  # of 70, some written out


# --- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "mode", "says"),
    [
        (
            "#!/usr/bin/env python3\n",
            0o755,
            "is no shell script: nothing was changed (let it run: ",
        ),
        ("#!/bin/sh\n", 0o644, "is not executable: git does not run it"),
    ],
)
def test_a_hook_that_cannot_take_the_block_is_refused(
    text: str, mode: int, says: str, project: Path, capsys: Capture
) -> None:
    hook = script(project, text, mode)
    assert ctx("install", "git") == 6
    assert capsys.readouterr().err.startswith(f"ctx: .git/hooks/post-commit: {says}")
    assert hook.read_text() == text


def test_a_link_of_the_repository_out_of_it_is_refused(
    project: Path, home: Path, capsys: Capture
) -> None:
    (home / "profile").write_text("#!/bin/sh\n")
    (home / "profile").chmod(0o755)
    (project / "hooks").mkdir()
    (project / "hooks/post-commit").symlink_to(home / "profile")
    git(project, "config", "core.hooksPath", "hooks")
    assert ctx("install", "git") == 6
    assert "not followed: the link " in capsys.readouterr().err
    assert (home / "profile").read_text() == "#!/bin/sh\n"


@pytest.mark.parametrize("scope", ["--global", "--local"])
def test_git_has_one_place(scope: str, project: Path, capsys: Capture) -> None:
    assert ctx("install", "git", scope) == 2
    assert capsys.readouterr().err == f"ctx: {scope}: a hook of git is of one repository\n"
    assert not (project / ".git/hooks/post-commit").exists()


def test_without_a_repository_there_is_no_hook(home: Path, capsys: Capture) -> None:
    (home / "plain/.context").mkdir(parents=True)
    os.chdir(home / "plain")
    assert ctx("install", "git") == 2
    assert capsys.readouterr().err == "ctx: no repository here (`git init` makes one)\n"


def test_a_dry_run_and_json(project: Path, capsys: Capture) -> None:
    assert ctx("install", "git", "--dry-run") == 0
    out = capsys.readouterr().out
    assert out.startswith("--- /dev/null\n+++ b/.git/hooks/post-commit\n@@")
    assert not (project / ".git/hooks/post-commit").exists()
    assert ctx("install", "git", "--json") == 0
    file = json.loads(capsys.readouterr().out)["files"][0]
    assert (file["tool"], file["changed"], file["exists"]) == ("git", True, True)
    assert ctx("install", "git") == 0
    assert "nothing to do" in capsys.readouterr().out
    assert ctx("uninstall", "git") == 0
    assert capsys.readouterr().out == ".git/hooks/post-commit: removed; ctx had made it\n"
    assert ctx("uninstall", "git") == 0
    assert capsys.readouterr().out == "no lines of ctx in .git/hooks/post-commit\n"


def test_a_text_in_a_hook_that_ends_lines_otherwise_spoils_no_line_of_ctx(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ``-e`` a line of ctx that the shell cannot read would end the hook of another."""
    hook = script(project, "#!/bin/sh -e\nprintf 'a\r\nb'\necho from another\n")
    before = hook.read_bytes()
    ctx("install", "git")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    said = commit(project, "Switch to Postgres")
    assert "from another" in said
    assert "not found" not in said
    ctx("uninstall", "git")
    assert hook.read_bytes() == before


@pytest.mark.parametrize("made", [True, False])
def test_lines_that_a_person_wrote_into_the_block_stay(project: Path, made: bool) -> None:
    hook = project / ".git/hooks/post-commit"
    if not made:
        script(project, "#!/bin/sh\necho old\n")
    ctx("install", "git")
    hook.write_text(hook.read_text().replace("# <<< ctx", "echo mine\n# <<< ctx"))
    ctx("install", "git")
    assert hook.read_text().count("ctx >>>") == 1
    assert "mine\n" in commit(project, "Fix it")
    ctx("uninstall", "git")
    assert hook.read_text() == "#!/bin/sh\necho mine\n" + ("" if made else "echo old\n")


def test_a_hooks_path_that_is_no_folder_is_said(project: Path, capsys: Capture) -> None:
    git(project, "config", "core.hooksPath", os.devnull)
    assert ctx("install", "git") == 2
    assert capsys.readouterr().err == (
        f"ctx: core.hooksPath: {os.devnull} is no folder: git runs no hooks here "
        "(`git config core.hooksPath FOLDER` names one)\n"
    )


def test_a_script_that_others_share_gets_no_path_of_this_machine(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """A link in git's own folder leads to a file of the repository."""
    script = project / "scripts/post-commit"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    hook = project / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.symlink_to(script)
    monkeypatch.setattr("ctx.world.World.named", lambda *_: ("", False))
    ctx("install", "git")
    assert "&& ctx hook run git post-commit || :\n" in script.read_text()
    assert f"it is a link to {os.path.realpath(script)}" in capsys.readouterr().out
    ctx("uninstall", "git")
    assert script.read_text() == "#!/bin/sh\n"
    assert hook.is_symlink()


def test_a_folder_with_a_line_end_in_its_name_keeps_the_hook_in_its_repository(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project.parent / "odd\nname"
    (folder / ".context").mkdir(parents=True)
    git(folder, "init")
    monkeypatch.chdir(folder)
    assert ctx("install", "git") == 0
    assert (folder / ".git/hooks/post-commit").is_file()
    assert sorted(os.listdir(folder)) == [".context", ".git"]

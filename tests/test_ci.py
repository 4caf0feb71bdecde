"""What other repositories run of this one: the step of the action, and hooks of pre-commit."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checks.faults import CLEAN, DECISIONS, write
from tests.rank.hands import call

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
LINK = {**CLEAN, DECISIONS: CLEAN[DECISIONS] + "\nSee [that](gone.md).\n"}
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


def step(root: Path, **given: str) -> tuple[int, str, dict[str, str]]:
    """Run the step in the project of ``root``; return its code, what it printed, its outputs."""
    tools = root.parent.parent / "tools"
    tools.mkdir()
    ctx = tools / "ctx"
    ctx.write_text(
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {sys.executable} -m ctx "$@"\n'
    )
    ctx.chmod(0o755)
    (step,) = (each for each in ACTION["runs"]["steps"] if each.get("id") == "check")
    defaults = {
        name: ACTION["inputs"][re.sub(r".*inputs\.(.*) }}", r"\1", value)]["default"]
        for name, value in step["env"].items()
        if "inputs." in value
    }
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tools),
        "RUNNER_TEMP": str(tools),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(tools / "output"),
        "GITHUB_STEP_SUMMARY": str(tools / "summary"),
        "CTX_ACTION_PROGRAM": str(ctx),
        **defaults,
        **{f"CTX_ACTION_{name}": value for name, value in given.items()},
    }
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=root.parent, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    outputs = tools / "output"
    lines = outputs.read_text().splitlines() if outputs.exists() else []
    return done.returncode, done.stdout + done.stderr, dict(line.split("=", 1) for line in lines)


@needs_bash
def test_the_step_annotates_and_reports(tmp_path: Path) -> None:
    code, said, outputs = step(write(tmp_path / "shop", LINK), EXPORT="claude")
    assert code == 1
    assert re.search(r"^::warning file=\.context/DECISIONS\.md,line=\d+,title=", said, re.MULTILINE)
    assert re.search(r"^::error title=ctx export::.*CLAUDE\.md", said, re.MULTILINE)
    assert outputs["findings"] == "true"
    assert '"ruleId": "dead-link"' in Path(outputs["sarif"]).read_text("utf-8")
    report = Path(outputs["report"]).read_text("utf-8")
    assert report.startswith("### Context packet\n")
    assert (tmp_path / "tools" / "summary").read_text("utf-8") == report
    assert {*outputs} == {*ACTION["outputs"]}


@needs_bash
@pytest.mark.parametrize(
    ("files", "given", "code", "outputs"),
    [
        (CLEAN, {}, 0, "false"),
        (LINK, {"SEVERITY": "error"}, 0, "false"),
        (LINK, {"FAIL": "false"}, 0, "true"),
        (CLEAN, {"DIRECTORY": "missing"}, 4, None),
        (CLEAN, {"EXPORT": "emacs"}, 2, None),
    ],
)
def test_the_step_ends_as_it_is_asked_to(
    tmp_path: Path, files: dict[str, str], given: dict[str, str], code: int, outputs: str | None
) -> None:
    ended, said, told = step(write(tmp_path / "shop", files), **given)
    assert (ended, told.get("findings")) == (code, outputs), said


def test_no_script_of_the_action_is_made_of_its_inputs() -> None:
    assert not [each for each in ACTION["runs"]["steps"] if "${{" in each.get("run", "")]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_of_pre_commit_fails_where_something_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hook: dict[str, Any]
) -> None:
    arguments: list[str] = hook.get("args", [])
    program, *words = [*shlex.split(hook["entry"]), *arguments]
    assert program == "ctx"
    monkeypatch.chdir(write(tmp_path, LINK).parent)
    assert call(*words).code == 1
    mended = {"ctx-check": CLEAN, "ctx-export": LINK}[hook["id"]]
    write(tmp_path, mended)
    if hook["id"] == "ctx-export":
        assert call("export", *hook["args"]).code == 0
    assert call(*words).code == 0

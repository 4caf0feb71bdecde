"""A project and a home of its own for each test of a hook."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ctx.cli.main import main
from tests.hostile import REPOSITORY
from tests.keeping import trust

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without anything, on a machine whose PATH finds ctx."""
    folder = tmp_path / "home"
    folder.mkdir()
    tools = tmp_path / "bin"
    tools.mkdir()
    script = tools / "ctx"
    script.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {REPOSITORY!r})\n"
        "from ctx.cli.main import main\nsys.exit(main())\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)  # and back in the end, wherever a test goes from here
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "argv", [str(script)])
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CTX_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    return folder


@pytest.fixture
def shop(shop: Path) -> Path:
    """The sample project, whose user trusts it."""
    trust(shop / ".context")
    return shop


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a context directory, as working directory."""
    folder = home / "work"
    (folder / ".context").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "A")
    git(folder, "config", "user.email", "a@example.com")
    monkeypatch.chdir(folder)
    trust(folder / ".context")
    return folder


def git(folder: Path, *arguments: str) -> str:
    """Run git in ``folder`` and return what it says."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


def ctx(*arguments: str) -> int:
    """Run ``ctx hook`` in this process."""
    return main(["hook", *arguments])

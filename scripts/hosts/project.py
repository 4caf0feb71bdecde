"""The project in which hosts are run: each text in it has a mark of its own."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from scripts.hosts.windows import MARK

ROOT = Path(__file__).resolve().parents[2]
WEBSHOP = ROOT / "fixtures" / "webshop"
PATHS = '---\npaths: ["src/**/*.py"]\n---\n'
FILES = {
    "AGENTS.md": "# Agents\n\n- Always write money as whole cents (mark-agents).\n",
    "CLAUDE.md": "# Shop\n\n- Never log card numbers (mark-claude).\n\nSee @docs/time.md\n",
    "docs/time.md": "- Always keep time in UTC (mark-import).\n",
    ".claude/rules/all.md": "- Never add up prices as floats (mark-rules).\n",
    ".claude/rules/src.md": (
        f"{PATHS}# Callers\n\n- Always check what callers pass to src (mark-src-rules).\n"
    ),
    "src/CLAUDE.md": "# Source\n\n- Must keep src free of printing (mark-src-claude).\n",
    "src/AGENTS.md": "# Functions\n\n- Must type each function of src (mark-src-agents).\n",
    "GEMINI.md": "- Never send letters to customers from tests (mark-gemini).\n",
    "src/GEMINI.md": "# Units\n\n- Must name units in src (mark-src-gemini).\n",
    ".github/copilot-instructions.md": "- Always close files that are open (mark-copilot).\n",
    ".github/instructions/src.instructions.md": (
        '---\napplyTo: "src/**"\n---\n# Waiting\n\n- Never sleep in src (mark-src-copilot).\n'
    ),
    ".context/CONSTITUTION.md": "# Constitution\n\n- Never delete a paid order (mark-law).\n",
    ".context/CONVENTIONS.md": "# Conventions\n\n- Queries live in `queries.py` (mark-usage).\n",
    ".context/DECISIONS.md": (
        "# Decisions\n\n## [2026-03-02] Refunds are new records\n\n**Status**: Accepted\n\n"
        "**Decision**: A refund is a record of its own (mark-decision).\n"
    ),
    ".context/LEARNINGS.md": (
        "# Learnings\n\n## [2026-03-05] Webhooks come twice\n\n"
        "**Lesson**: The provider repeats a webhook (mark-learning).\n"
    ),
    ".context/TASKS.md": "# Tasks\n\n- [ ] Write the refund form (mark-task)\n",
    "src/pay.py": "def pay(cents):\n    return cents\n",
    "src/more.py": "def more(cents):\n    return cents + 1\n",
    "web/page.py": "def page():\n    return ''\n",
}
RULES = ("mark-agents", "mark-claude", "mark-import", "mark-rules", "mark-law")
BELOW = "mark-src-"
"""How marks of texts begin that are for files of ``src`` alone."""


class Needs(NamedTuple):
    """Which marks of a project an agent needs."""

    everybody: frozenset[str]
    """Rules for all files: the session and its subagents."""
    session: frozenset[str]
    """What else a packet holds: the session."""
    source: frozenset[str]
    """Rules for files of ``src``: who touched one."""


def needs(files: dict[str, str]) -> Needs:
    """Return what agents need of a project of these files."""
    found: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    for path, text in files.items():
        for mark in MARK.findall(text):
            is_packet = path.startswith(".context/") and "CONSTITUTION" not in path
            place = 2 if mark.startswith(BELOW) else int(is_packet)
            found[place].add(mark)
    return Needs(*map(frozenset, found))


def written(folder: Path, files: dict[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def made(folder: Path, files: dict[str, str], base: Path | None = None) -> None:
    """Make a repository of files, beside those of ``base``, with one commit."""
    if base:
        shutil.copytree(base, folder, dirs_exist_ok=True)
    written(folder, files)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=Start")


def worktree(folder: Path, other: Path) -> None:
    """Make a linked worktree of a project, with all that was changed in it."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=Go on")
    git(folder, "worktree", "add", "--quiet", "-b", "side", str(other))


def git(folder: Path, *words: str) -> None:
    """Run git as nobody in particular."""
    config = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    named = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    subprocess.run(
        ["git", *named, *words], cwd=folder, check=True, env={**os.environ, **config}
    )  # fmt: skip

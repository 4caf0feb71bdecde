"""Links of a clone: no writer of ctx changes what lies outside of it, or what belongs to git."""

from __future__ import annotations

import hashlib
import itertools
import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.attacks.odd_input import run
from scripts.attacks.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WRITERS: Mapping[str, tuple[str, ...]] = {  # by what is called, the paths that may be links
    "export agents": ("AGENTS.md",),
    "export claude": ("CLAUDE.md",),
    "export cursor": (".cursor", ".cursor/rules", ".cursor/rules/ctx.mdc"),
    "export copilot": (".github", ".github/copilot-instructions.md"),
    "export gemini": ("GEMINI.md",),
    "init": (".context",),
    "add task 'Mend it'": (".context", ".context/TASKS.md"),
    "add rule 'Never guess'": (".context", ".context/CONSTITUTION.md"),
    "add convention 'Use tabs'": (".context", ".context/CONVENTIONS.md"),
    "add learning 'Locks' --context a --lesson b --application c": (".context/LEARNINGS.md",),
    "add decision 'Use it' --context a --decision b --rationale c --consequence d": (
        ".context", ".context/DECISIONS.md",
    ),
    "task done 'return labels'": (".context", ".context/TASKS.md"),
    "archive": (".context", ".context/archive", ".context/TASKS.md"),
    "import docs/adr": (".context", ".context/decisions", ".context/decisions/0001-first.md"),
    "explain --html page.html": ("page.html",),
    "explain --html pages/page.html": ("pages",),
    "session promote --yes": (".context", ".context/DECISIONS.md", ".context/CONVENTIONS.md"),
    "hook install claude": (".claude", ".claude/settings.json"),
    "hook install codex": (".codex", ".codex/hooks.json"),
    "hook install cursor": (".cursor", ".cursor/hooks.json"),
    "hook install gemini": (".gemini", ".gemini/settings.json"),
    "hook install copilot": (".github", ".github/hooks", ".github/hooks/ctx.json"),
    "status": (".context",), "index": (".context",), "agent": (".context",), "trust": (".context",),
    "hook uninstall claude": (".claude", ".claude/settings.json"),
}  # fmt: skip
LEADS = (  # where a link leads: below the folder of the project
    ".git", ".git/config", ".git/hooks", ".git/hooks/post-checkout", ".git/info/exclude",
    "../outside", "../outside/file", "../home/.bashrc", "../home", "untracked", "untracked/file",
    "../other", "../other/.git/config",
)  # fmt: skip
GOOD = {"CLAUDE.md": "AGENTS.md", ".context/TASKS.md": ".context/todo.md", ".claude": "shared"}
FILES = {
    "AGENTS.md": "- Never lie.\n", ".context/CONSTITUTION.md": "- Never guess.\n",
    ".context/TASKS.md": "- [ ] return labels\n- [x] closed\n",
    ".context/todo.md": "- [ ] return labels\n",
    ".context/DECISIONS.md": "## [2026-01-02] Use Redis\n\nIt is fast.\n", "shared/a.md": "a\n",
    "docs/adr/0001-first.md": "# First\n\nAccepted\n\n## Decision\n\nWe use it.\n",
}  # fmt: skip


def attack(*, full: bool) -> Iterator[Result]:
    """Yield what writers did about links that lead away, and about those that do not."""
    cases = [
        (words, place, leads, *how)
        for words, places in WRITERS.items()
        for place in places
        for leads in LEADS
        for how in itertools.product((True, False), (True, False))
    ]
    chosen = cases if full else cases[::29]
    for git in (True, False):
        own = [case for case in chosen if case[3] == git and (git or ".git" not in case[2])]
        failed = [wrong for case in own if (wrong := _away(*case))]
        what = "in a clone" if git else "in a folder without git"
        yield Result(f"links that lead away, {what}", len(own), tuple(failed))
    failed = [wrong for words, place in _GOOD if (wrong := _inside(words, place))]
    yield Result("links to what git tracks in the same work tree", len(_GOOD), tuple(failed))


_GOOD = (
    ("export claude", "CLAUDE.md"), ("task done 'return labels'", ".context/TASKS.md"),
    ("hook install claude", ".claude"), ("add task 'Mend it'", ".context/TASKS.md"),
)  # fmt: skip


def _prepared(base: Path, *, git: bool) -> tuple[Path, dict[str, str]]:
    project = base / "project"
    for name, text in FILES.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in ("home", "outside", "other"):
        (base / name).mkdir()
    (base / "home/.bashrc").write_text("# mine\n")
    (base / "outside/file").write_text("mine\n")
    environ = {
        "HOME": str(base / "home"), "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull,
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "LANG": "C.UTF-8",
        "CTX_STATE_DIR": str(base / "state"), "CTX_CACHE_DIR": str(base / "cache"),
    }  # fmt: skip
    subprocess.run(["git", "init", "-q", base / "other"], check=True)
    if git:
        subprocess.run(["git", "init", "-q", project], check=True)
        subprocess.run(["git", "-C", project, "add", "."], check=True)
        (project / ".git/hooks").mkdir(exist_ok=True)
        (project / ".git/hooks/post-checkout").write_text("#!/bin/sh\n")
    (project / "untracked").mkdir()
    (project / "untracked/file").write_text("mine\n")
    return project, environ


def _linked(project: Path, place: str, leads: str, *, whole: bool) -> None:
    """Put a link at ``place``; an absolute one where it is not ``whole``."""
    path = project / place
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        path.rename(project.parent / "aside")
    path.parent.mkdir(parents=True, exist_ok=True)
    target = project / leads
    path.symlink_to(os.path.relpath(target, path.parent) if whole else os.path.abspath(target))


def _state(base: Path, *left: str) -> dict[str, str]:
    """Return a digest of each file below ``base``, but for those below ``left``."""
    found = {}
    for folder, _, names in os.walk(base):
        for name in names:
            path = Path(folder, name)
            shown = str(path.relative_to(base))
            if not shown.startswith(left) and path.is_file():
                found[shown] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


_OWN = ("state", "cache", "home/.config", "project/.git/ctx-id", "project/.git/index")
"""What ctx may write: what it keeps, and the id of a repository."""


def _is_free(name: str) -> bool:
    """Return whether a file is in the project, and none of git's."""
    return name.startswith("project/") and not name.startswith("project/.git/")


def _away(words: str, place: str, leads: str, git: bool, whole: bool) -> str:  # noqa: FBT001 - a case
    with tempfile.TemporaryDirectory() as folder:
        base = Path(os.path.realpath(folder))
        project, environ = _prepared(base, git=git)
        _linked(project, place, leads, whole=whole)
        before = _state(base, *_OWN)
        ran = run(shlex.split(words), project, environ)
        after = _state(base, *_OWN)
        changed = sorted(
            name
            for name in before.keys() | after.keys()
            if before.get(name) != after.get(name)
            and (not _is_free(name) or (git and "untracked" in name))
        )
        if "Traceback" in ran.err or ran.code == 3:  # noqa: PLR2004 - a bug
            changed.append(ran.err[-200:])
        return f"{place} -> {leads}: ctx {words}: {changed}" if changed else ""


def _inside(words: str, place: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(os.path.realpath(folder))
        project, environ = _prepared(base, git=True)
        _linked(project, place, GOOD[place], whole=True)
        before = _state(base / "project", ".git", ".context/.")
        ran = run(shlex.split(words), project, environ)
        after = _state(base / "project", ".git", ".context/.")
        is_link = (project / place).is_symlink()
        return "" if ran.code == 0 and is_link and before != after else f"{words}: {ran}"

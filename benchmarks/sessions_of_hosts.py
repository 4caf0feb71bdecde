"""Sessions of Claude Code, Codex and Cursor, replayed: which rules their windows hold at an edit.

    python benchmarks/sessions_of_hosts.py PROJECT CHANGES [--last N] [--json]

PROJECT is copied, with a repository of its own, and trusted; CHANGES has a line for each commit,
with its ``paths`` (``bench/scoped/dev.jsonl``). For each host a session is told in the form of its
events: a start, and for each change a prompt and the files one by one, read and then edited, every
fourth written without being read; every fifth change is made by a subagent; half way the window is
compacted. Hooks are asked at the events that ``ctx hook install`` puts in, and no others.

A window holds a file of rules where a packet or an answer at a file names it, and where its host
loads it: at its start, or as it reads a file (``loads.py`` of a host). *missing* counts files of
rules that ``ctx rules FILE`` lists and the window does not hold right after an edit of FILE;
*again* those that ctx sent to a window that held them. Exit code 1 where either is not 0.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

REPOSITORY = str(Path(__file__).parent.parent)
sys.path.insert(0, REPOSITORY)

from ctx.hosts import hooks_of  # noqa: E402 - behind the path to it
from ctx.text.tokens import counter  # noqa: E402

EVENTS = {
    "claude": ("SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart"),
    "codex": ("SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart"),
    "cursor": ("sessionStart", "beforeSubmitPrompt", "postToolUse", ""),
}
"""What each host calls a start, a prompt, the use of a tool, and the start of a subagent."""
_LOADS = {
    ("claude", "start"): r"^CLAUDE\.md|^\.claude/rules/",
    ("claude", "read"): r"CLAUDE\.md|^\.claude/rules/",
    ("codex", "start"): r"^AGENTS\.md",
    ("cursor", "start"): r"^AGENTS\.md|^\.cursor/rules/",
    ("cursor", "read"): r"AGENTS\.md|^\.cursor/rules/",
}
"""What each host loads by itself, and when."""
_POINTS = ("> The rules cost", "Read these files before you go on")
"""The beginnings of lines that name files of rules to read."""
_PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch"


class Project:
    """A copy of a project, trusted, with a state of its own."""

    def __init__(self, source: Path, folder: Path) -> None:
        """Copy ``source`` into ``folder``."""
        self.root = folder / source.name
        shutil.copytree(source, self.root, symlinks=True)
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CTX_") and name != "PYTHONDONTWRITEBYTECODE"
        } | {"HOME": str(folder / "home"), "XDG_STATE_HOME": str(folder / "state"),
             "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": REPOSITORY}  # fmt: skip
        self.command = [sys.executable, "-m", "ctx", "hook", "run"]
        self.run("trust")
        time.sleep(1.5)  # until the times of the files can show a change
        self.run("agent")

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run ctx in the project; return what it printed."""
        return subprocess.run(
            [sys.executable, "-m", "ctx", *arguments],
            input=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.root,
            env=self.environ, check=True,
        ).stdout  # fmt: skip

    def ask(self, host: str, event: str, data: dict[str, object]) -> str:
        """Return what a hook puts in front of the model."""
        stdin = json.dumps(data).encode()
        out = self.run("hook", "run", host, event, "--deadline", "60", stdin=stdin)
        if not out:
            return ""
        answer = json.loads(out)
        answer = answer.get("hookSpecificOutput", answer)
        return str(answer.get("additionalContext") or answer.get("additional_context") or "")

    def text(self, path: str) -> str:
        """Return a file of the project."""
        return (self.root / path).read_text("utf-8")

    @cache  # noqa: B019 - a project lives as long as the program
    def rules(self, *paths: str) -> list[dict[str, str]]:
        """Return the files of rules for ``paths``."""
        found = json.loads(self.run("rules", "--json", *paths))["rules"]
        return [rule for rule in found if rule["mode"] in ("always", "match")]


class Figures(NamedTuple):
    """What came of a session."""

    host: str
    edits: int
    windows: int
    answers: int
    """Answers at files that were not empty."""
    tokens: int
    """Of those answers."""
    missing: list[str]
    again: list[str]


class Session:
    """A session of a host."""

    def __init__(self, project: Project, host: str, paths: list[str]) -> None:
        """Begin it; ``paths`` are the files of all its changes."""
        self.project, self.host = project, host
        self.names = EVENTS[host]
        rules = (*project.rules(), *project.rules(*paths))
        self.every = {rule["source"]: rule for rule in rules}
        self.known: dict[str, list[dict[str, str]]] = {}
        self.aliases = {
            str(path.relative_to(project.root)): str(path.parent.relative_to(project.root) / other)
            for path in project.root.rglob("CLAUDE.md")
            if path.read_text("utf-8").strip() in ("AGENTS.md", "@AGENTS.md")
            for other in ("AGENTS.md",)
        }
        self.window: set[str] = set()
        self.by_host: set[str] = set()
        """What the host loads into each window at its start."""
        self.edits = self.answers = self.tokens = 0
        self.windows = 1
        self.missing: list[str] = []
        self.again: list[str] = []
        self.agent = ""
        self.start("startup")

    def tell(self, event: str, *, at_file: bool = False, **more: object) -> None:
        """Ask a hook, where it is installed, and take note of what its answer names."""
        tool = hooks_of(self.host)
        if not event or tool is None or event not in (*tool.events, *tool.others):
            return
        own = {"conversation_id" if self.host == "cursor" else "session_id": "s1"}
        agent = {"agent_id": self.agent} if self.agent else {}
        if self.agent and self.host == "cursor":
            own, agent = {"conversation_id": self.agent}, {}
        data = {**own, **agent, "cwd": str(self.project.root), "hook_event_name": event, **more}
        text = self.project.ask(self.host, event, data)
        sent = {path for path in self.every if f"({path})" in text or f"({path}:" in text}
        held = self.window if at_file else self.by_host
        self.again += [f"{event}: {path}" for path in sorted(sent & held)]
        pointed = [line for line in text.splitlines() if line.startswith(_POINTS)]
        words = {word.strip(",") for line in pointed for word in line.split()}
        named = words & {*self.every} - sent
        if at_file:
            self.again += [f"{event}: {path}" for path in sorted(named & held)]
        self.window |= sent | named
        if at_file and text:
            self.answers += 1
            self.tokens += counter("heuristic").count(text)

    def start(self, source: str) -> None:
        """Open a window: at the start of the session, or after a compaction."""
        self.window = self.loaded("start")
        self.by_host = {*self.window}
        if self.host == "cursor" and source == "compact":
            self.tell("preCompact", trigger="auto")
            return
        self.tell(self.names[0], source=source)

    def loaded(self, moment: str, file: str = "") -> set[str]:
        """Return what the host loads by itself at a start, or as it reads ``file``."""
        rules = self.project.rules(file) if file else self.every.values()
        wanted = ("match",) if file else ("always",)
        found = {rule["source"] for rule in rules if rule["mode"] in wanted}
        own = _LOADS.get((self.host, moment))
        found = {path for path in found if own and re.search(own, path)}
        found |= {self.aliases[path] for path in found if path in self.aliases}
        if self.host == "claude":
            reached = list(found)
            for path in reached:  # which grows: it follows imports
                folder, text = os.path.dirname(path), self.project.text(path)
                names = (os.path.join(folder, name) for name in re.findall(r"@(\S+\.md)\b", text))
                new = {os.path.normpath(name) for name in names} & {*self.every} - {*reached}
                reached += sorted(new)
            found = {*reached}
        return found

    def rules(self, file: str) -> list[dict[str, str]]:
        """Return the files of rules for ``file``, without those that are others by their names."""
        if file not in self.known:
            rules = self.project.rules(file)
            self.known[file] = [one for one in rules if one["source"] not in self.aliases]
        return self.known[file]

    def change(self, number: int, paths: list[str]) -> None:
        """Make one change: read and edit its files."""
        before = self.window, self.by_host
        if number % 5 == 4:
            self.agent, self.windows = f"agent{number}", self.windows + 1
            self.window = self.loaded("start") if self.host != "codex" else set()
            if self.host == "claude":
                self.window = {path for path in self.window if path[:8] != ".claude/"}
            self.by_host = {*self.window}
            self.tell(self.names[3], agent_type="coder")
        else:
            self.tell(self.names[1], prompt=f"Please make change {number} of {paths[0]}")
        for place, path in enumerate(paths):
            if place % 4 != 3:
                self.use("Read", path)
                self.window |= self.loaded("read", path)
            self.use("Edit" if place % 4 != 3 else "Write", path)
            self.edits += 1
            wanted = {one["source"] for one in self.rules(path)}
            self.missing += [f"{path}: {source}" for source in sorted(wanted - self.window)]
        if self.agent:
            self.agent, self.window, self.by_host = "", *before

    def use(self, tool: str, path: str) -> None:
        """Use a tool on a file, as the host tells it."""
        if self.host == "codex":
            if tool != "Read":  # which it does in its shell
                patch = {"command": _PATCH.format(path)}
                self.tell(self.names[2], at_file=True, tool_name="apply_patch", tool_input=patch)
            return
        full = {"file_path": str(self.project.root / path)}
        self.tell(self.names[2], at_file=True, tool_name=tool, tool_input=full)


def replay(project: Project, host: str, changes: list[list[str]]) -> Figures:
    """Return what came of a session of ``host`` that makes ``changes``."""
    session = Session(project, host, [path for paths in changes for path in paths])
    for number, paths in enumerate(changes):
        if number == len(changes) // 2:
            session.windows += 1
            session.start("compact")
        session.change(number, paths)
    return Figures(
        host, session.edits, session.windows, session.answers, session.tokens,
        session.missing, session.again,
    )  # fmt: skip


def main() -> int:
    """Replay, print, and judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("project", type=Path)
    parser.add_argument("changes", type=Path)
    parser.add_argument("--last", type=int, default=20)
    parser.add_argument("--host", nargs="+", default=list(EVENTS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    lines = options.changes.read_text("utf-8").splitlines()[-options.last :]
    changes = [json.loads(line)["paths"][:8] for line in lines]
    figures = []
    for host in options.host:
        with tempfile.TemporaryDirectory() as folder:
            figures.append(replay(Project(options.project, Path(folder)), host, changes))
    if options.json:
        print(json.dumps([one._asdict() for one in figures], indent=1))
    else:
        print("host    edits  windows  answers  tokens  missing  again")
        for one in figures:
            print(
                f"{one.host:8}{one.edits:5}{one.windows:9}{one.answers:9}{one.tokens:8,}"
                f"{len(one.missing):9}{len(one.again):7}"
            )
            for line in (*one.missing[:5], *one.again[:5]):
                print(f"  {line}")
    return int(any(one.missing or one.again for one in figures))


if __name__ == "__main__":
    raise SystemExit(main())

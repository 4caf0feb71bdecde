"""Whether a hook's first call sends the rules while the machine is busy: ten busy loops beside it.

Each call is the first one of a session, in a trusted project whose packets nobody has made yet:
after an install, which keeps the rules ready, and without one, where they have to be made. What
counts is an answer that is empty. The deadline is the usual one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.attacks.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
LOOPS = 10
HOSTS = {  # the event of a session's start, of a prompt, and of a touch
    "claude": ("SessionStart", "UserPromptSubmit", "PreToolUse"),
    "codex": ("SessionStart", "UserPromptSubmit", "PostToolUse"),
    "gemini": ("SessionStart", "BeforeAgent", "AfterTool"),
    "copilot": ("SessionStart", "UserPromptSubmit", "PostToolUse"),
    "cursor": ("sessionStart", "postToolUse"),
}
PROMPT = "How do we round a partial refund of an invoice to whole cents?"


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keep ``loops`` processes busy meanwhile."""
    spin = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(spin) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def called(home: Path, *argv: str, event: dict[str, object] | None = None) -> bytes:
    """Return what ``ctx`` prints in the project below ``home``, which is its user's home."""
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "ctx", *argv],
        input=json.dumps(event or {}).encode(), capture_output=True, cwd=home / "shop",
        env=environ, check=False,
    )  # fmt: skip
    return done.stdout


def project(home: Path, host: str, *, installed: bool) -> None:
    """Make a trusted project below ``home`` with nothing in its cache but what an install keeps."""
    shutil.copytree(ROOT / "fixtures" / "webshop", home / "shop")
    subprocess.run(["git", "init", "-q", home / "shop"], check=True)
    rules = home / "shop" / ".cursor" / "rules"
    rules.mkdir(parents=True)
    (rules / "a.mdc").write_text("---\nglobs: shop/*.py\n---\n\n- Never paint the door green\n")
    os.utime(rules / "a.mdc", (1_700_000_000, 1_700_000_000))
    if installed:
        called(home, "hook", "install", host, "--no-capture")
    else:
        called(home, "trust")


def first(host: str, name: str, *, installed: bool) -> str:
    """Call a hook for the first time; return what is wrong with the answer, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        project(home, host, installed=installed)
        event: dict[str, object] = {"session_id": "s", "source": "startup"}
        if name.lower() in {"userpromptsubmit", "beforeagent"}:
            event["prompt"] = PROMPT
        if "tool" in name.lower():
            file = str(home / "shop" / "shop" / "money.py")
            event |= {"tool_name": "Edit", "tool_input": {"file_path": file}}
        out = called(home, "hook", "run", host, name, event=event)
        log = next(iter(home.rglob("hook.log")), None)
        last = log.read_text().splitlines()[-1] if log else "no line in hook.log"
        return "" if out.strip() else f"{host} {name}: empty; {last}"


def attack(*, full: bool) -> Iterator[Result]:
    """Count empty answers of first calls, of each event of each host."""
    hosts = HOSTS if full else {"claude": HOSTS["claude"]}
    times = 10 if full else 2
    with busy(LOOPS):
        for installed in (True, False):
            how = "after an install" if installed else "without an install"
            for moment in range(3):
                calls = [
                    (host, names[moment])
                    for host, names in hosts.items()
                    if moment < len(names)
                    for _ in range(times)
                ]
                wrong = [first(*call, installed=installed) for call in calls]
                what = ("first event", "second", "third")[moment]
                yield Result(f"{what} of a host, {how}", len(calls), tuple(filter(None, wrong)))

"""A host that runs ctx as its hook: sends an event, takes what comes, reads the log."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from typing import IO, TYPE_CHECKING, NamedTuple

from ctx.app.options import HookOptions
from ctx.hooks.answer import answer
from ctx.hooks.ask import ask
from ctx.hooks.call import FIELDS, NAME, Call
from ctx.hosts import hooks_of
from ctx.text.tokens import counter
from ctx.world import World
from tests.forked import forked
from tests.hostile import HANGS, REPOSITORY, environment
from tests.keeping import keeping, state

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ctx.hooks.deadline import Answer
    from ctx.model import Json, JsonObject

COMMAND = [sys.executable, "-m", "ctx", "hook", "run"]
PROMPT = "How do we round a partial refund of an invoice to whole cents?"
OTHER = "Which warehouse imports its inbox with the retry queue at night?"
PATIENT = f"--deadline={HANGS}"
SETTLE = 0.25
"""Seconds until the times of a new file can show a change."""


class Answered(NamedTuple):
    """What came of a call."""

    out: bytes
    err: bytes
    code: int
    log: dict[str, str]
    """The line of the call in the log, empty where there is none."""

    @property
    def text(self) -> str:
        """What is put in front of the model."""
        return told(self.out)


def told(out: bytes) -> str:
    """Return what an answer puts in front of the model, in whatever form; empty for none."""
    if not out:
        return ""
    answer = json.loads(out)
    inner = answer.get("hookSpecificOutput", answer)
    (text,) = (inner[key] for key in inner if key != "hookEventName")
    assert isinstance(text, str)
    return text


def event(session: str = "s1", prompt: str = PROMPT, **more: Json) -> JsonObject:
    """Return an event as most tools tell it; without a ``prompt`` nothing is asked."""
    return {"session_id": session, **({"prompt": prompt} if prompt else {}), **more}


def environ(home: Path | str, **variables: str) -> dict[str, str]:
    """Return the environment of a hook, in which nobody set up anything."""
    return environment(HOME=str(home), **variables)


def run(
    place: Path,
    data: Mapping[str, Json] | bytes,
    tool: str = "claude",
    name: str = "UserPromptSubmit",
    *options: str,
    **variables: str,
) -> Answered:
    """Run a hook in the project ``place``; with a PYTHONPATH of its own, Python starts for it.

    Without ``--deadline`` or a setting of it, it may take as long as any run.
    """
    stdin = data if isinstance(data, bytes) else json.dumps(data).encode()
    if "CTX_HOOK_SECONDS" not in variables and not any("--deadline" in one for one in options):
        options = (*options, PATIENT)
    env = environ(place.parent, **variables)
    if "PYTHONPATH" not in variables:
        done = forked(("hook", "run", tool, name, *options), place, env, stdin=stdin)
        return Answered(done.out, done.err.encode(), done.code, logged(place))
    ran = subprocess.run(
        [*COMMAND, tool, name, *options],
        input=stdin,
        capture_output=True,
        cwd=place,
        env=env,
        check=False,
        timeout=HANGS,
    )
    return Answered(ran.stdout, ran.stderr, ran.returncode, logged(place))


def started(
    shop: Path,
    *options: str,
    stdin: int | IO[bytes] = subprocess.PIPE,
    start: tuple[str, ...] = (),
    **variables: str,
) -> subprocess.Popen[bytes]:
    """Start a hook, by the command ``start``, whose pipes are ours."""
    return subprocess.Popen(
        [*start, *COMMAND, "claude", "UserPromptSubmit", *options],
        cwd=shop, env=environ(shop.parent, **variables), bufsize=0,
        stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def process(
    shop: Path, *start: str, stdout: int | IO[bytes] = subprocess.PIPE, limit: int = 0
) -> subprocess.CompletedProcess[bytes]:
    """Send an event to a hook, by the command ``start``, whose files grow to ``limit`` at most."""

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    ran = subprocess.run(
        [*start, *COMMAND, "claude", "UserPromptSubmit", PATIENT],
        input=json.dumps(event()).encode(), stdout=stdout, stderr=subprocess.PIPE,
        cwd=shop, env=environ(shop.parent), check=False, timeout=HANGS,
        preexec_fn=limited if limit else None,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran


def planted(folder: Path, *lines: str, module: str = "ctx.hooks.fitting") -> str:
    """Return a PYTHONPATH by which importing ``module`` runs ``lines``."""
    body = "".join(f"            {line}\n" for line in lines)
    (folder / "sitecustomize.py").write_text(
        "import os, signal, sys, time\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n{body}"
        "sys.meta_path.insert(0, Finder())\n"
    )
    return os.pathsep.join([str(folder), REPOSITORY])


def logged(place: Path) -> dict[str, str]:
    """Return the last line of the log below ``place``."""
    log = state(place / ".context") / NAME
    if log.is_symlink() or not log.is_file() or not log.read_bytes():
        return {}
    lines = log.read_text(errors="replace").splitlines()
    return dict(zip(FIELDS, lines[-1].split("\t"), strict=True))


def lines(place: Path) -> int:
    """Return how many lines the log has."""
    log = state(place / ".context") / NAME
    return len(log.read_bytes().splitlines()) if log.exists() else 0


class Inside:
    """Asks within this process, where the clock and what is told can be watched."""

    def __init__(self, place: Path | str, *options: tuple[str, str], **variables: str) -> None:
        """Ask about the project ``place``, with ``options`` and environment ``variables``."""
        self._options = HookOptions(**{name.replace("-", "_"): value for name, value in options})
        self._variables = variables
        self._place = str(place)
        self.later = 60.0
        """Seconds that the clock is ahead, so that all that was written counts."""
        self.day = "2026-02-01"

    def ask(self, data: JsonObject, tool: str = "claude", name: str = "UserPromptSubmit") -> Answer:
        """Return the answer to an event; nothing is noted yet."""
        world = World()
        world.environ = {**keeping(), **self._variables}
        world.home, world.cwd, world.today = "/-", self._place, self.day
        world.now_ns = time.time_ns() + int(self.later * 1e9)
        found_tool = hooks_of(tool)
        assert found_tool is not None
        found = found_tool.read(name, data)
        assert found is not None
        asked = ask(Call(tool, name, self._options), found_tool, found, world)
        return answer(asked, world, _plenty)

    def tell(self, data: JsonObject, tool: str = "claude", name: str = "UserPromptSubmit") -> str:
        """Return what is told of an event, and note that it was."""
        found = self.ask(data, tool, name)
        found.note()
        return told(found.out)


def _plenty(_seconds: float) -> float:
    return 60.0


def cost(out: bytes, name: str = "heuristic") -> int:
    """Return the tokens of what was printed."""
    return counter(name).count(out.decode())


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until ``condition`` holds; fail where it does not for long."""
    end = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Whether a process is there and does something."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False

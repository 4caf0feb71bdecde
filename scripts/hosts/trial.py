"""One host in one scenario: a home, a project, and the processes that run in them."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

PATIENCE = 120.0
"""Seconds that a process may take."""
HOOK_SECONDS = "8"
"""The time of a hook: texts are counted, and on a busy machine a late hook would send less."""
NICE = ("nice",) if shutil.which("nice") else ()
SYSTEM = ("/usr/local/bin", "/usr/bin", "/bin")


class Screen(NamedTuple):
    """What a process printed."""

    out: str
    err: str
    code: int

    @property
    def lines(self) -> list[str]:
        """All lines that hold something, of both streams."""
        return [each.strip() for each in (self.out + "\n" + self.err).splitlines() if each.strip()]


class Trial:
    """Folders below ``root``, and an environment that names nothing outside of them."""

    def __init__(self, root: Path, program: Path, ctx: Path | None, node: str = "") -> None:
        """Make the folders; ``ctx`` is the program that hooks will find, None without hooks."""
        self.root, self.program, self.has_ctx = root, program, ctx is not None
        self.path = Path(ctx) if ctx else Path(sys.executable).with_name("ctx")
        self.home, self.bin = root / "home", root / "bin"
        self.main = self.project = root / "work" / "shop"
        self.session_ids: dict[str, str] = {}
        self.more: list[str] = []
        for folder in (self.home, self.bin, self.project):
            folder.mkdir(parents=True)
        for name, path in (("node", node), ("ctx", ctx)):
            if path:
                (self.bin / name).symlink_to(Path(path).absolute())
        self.environ = {
            "PATH": os.pathsep.join([str(self.bin), *SYSTEM]),
            "HOME": str(self.home), "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "SHELL": "/bin/sh", "TMPDIR": str(self.root / "tmp"),
            "CTX_HOOK_SECONDS": HOOK_SECONDS,
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "ada", "GIT_COMMITTER_NAME": "ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_COMMITTER_EMAIL": "ada@example.org",
        }  # fmt: skip
        (root / "tmp").mkdir()
        for name in ("CACHE", "CONFIG", "DATA", "STATE"):
            self.environ[f"XDG_{name}_HOME"] = str(self.home / f".{name.lower()}")
        self.put(self.home / ".config/ctx/config.toml", 'capture = "on"\n')

    def put(self, path: Path, value: object) -> None:
        """Write a text, or a value as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value, indent=2) + "\n"
        path.write_text(text, encoding="utf-8")

    @contextlib.contextmanager
    def started(
        self, command: list[str], more: Mapping[str, str] | None = None, *, talks: bool = False
    ) -> Iterator["subprocess.Popen[str]"]:
        """Start a process in the project; it and all that it started are ended after the block."""
        process = subprocess.Popen(
            [*NICE, *command], cwd=self.project, env={**self.environ, **(more or {})}, text=True,
            stdin=subprocess.PIPE if talks else subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()

    def run(self, *command: str, **more: str) -> Screen:
        """Run a process in the project to its end."""
        with self.started(list(command), more) as process:
            try:
                out, err = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                return Screen("", f"no end after {PATIENCE:.0f} s", 124)
        out, err = (text.replace(str(self.root), "~") for text in (out, err))
        return Screen(out, err, process.returncode)

    def talk(self, process: "subprocess.Popen[str]", text: str) -> None:
        """Send a prompt to a process as a line of JSON, and read to the line that has its end."""
        content = {"role": "user", "content": text}
        self.exchange(process, {"type": "user", "message": content}, '"type":"result"')

    def exchange(
        self, process: "subprocess.Popen[str]", message: dict[str, object], until: str
    ) -> list[str]:
        """Send a line of JSON, and read to a line that holds ``until``; empty: none is read.

        Returns the lines; none where the process ends or takes too long.
        """
        lines: list[str] = []
        if not (process.stdin and process.stdout):
            return lines
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        guard = threading.Timer(PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
        guard.start()
        try:
            while until:
                line = process.stdout.readline()
                lines.append(line)
                if until in line:
                    return lines
                if not line:
                    return []
        finally:
            guard.cancel()
        return lines

    def ctx(self, *words: str) -> Screen:
        """Run ctx, in the project, as its person would."""
        return self.run(str(self.path), *words)

    def hooks_ran(self) -> bool:
        """Whether a hook of ctx ran: it notes each event."""
        return any(path.stat().st_size for path in self.home.rglob("hook.log"))

    def stored(self) -> list[dict[str, str]]:
        """Return the turns that ctx stored, of all sessions of the project."""
        listed = self.ctx("session", "list", "--json").out
        names = [each["id"] for each in json.loads(listed or "{}").get("sessions", ())]
        shown = [self.ctx("session", "show", name, "--json").out for name in names]
        return [json.loads(line) for text in shown for line in text.splitlines()]

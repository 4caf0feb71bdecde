"""A week of sessions that hooks store, in the forms and by the events of their hosts.

    python benchmarks/week.py [--days N] [--requests N]

Every day five sessions of Claude Code, Codex and Gemini CLI in turn, in a repository and a worktree
of it, each with a compaction; every fifth is resumed in a copy of its transcript. A request is a
message, a call of a tool, its result and an answer; every third ends with half a line, which is
completed later. Gemini writes a message again once its call is done. In every third request
secrets are planted, whole and, private keys, in two records. After each request the host's event
is sent to a process of its own.

Printed: turns written, stored, stored twice; secrets found in any file of state and cache, bytes of
transcripts and of what is kept, events that failed or printed something, processes left, and for
each host and event the median and the 95th percentile of CPU time in bare ``python -c pass``.
Exit code 1 where a turn is missing or doubled, a secret is kept, an event fails or a process stays.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from tests.keeping import opened  # noqa: E402 - behind the path to it
from tests.text.planted import ALNUM, key_block, noise  # noqa: E402

HOSTS = ("claude", "codex", "gemini")
ENDS = {"claude": "Stop", "codex": "Stop", "gemini": "AfterAgent"}
_MARK = re.compile(r"T\d+-\d+-\d")


def secrets(number: int) -> list[str]:
    """Return secrets of several kinds, other ones for each ``number``."""

    def made(length: int) -> str:
        return noise(length, ALNUM, f"{number}-{length}")

    return [
        f"ghp_{made(36)}", f"sk_live_{made(24)}", f"xoxb-{made(40)}", f"glpat-{made(20)}",
        f"sk-ant-api03-{made(60)}", f"AIza{made(35)}",
    ]  # fmt: skip


class Session:
    """A session: its transcript in the form of its host, and its events."""

    def __init__(self, host: str, number: int, place: Path, folder: Path) -> None:
        """Begin an empty transcript in ``folder``; the host works in ``place``."""
        self.host, self.number, self.place = host, number, place
        self.id = f"0199c0de-0000-7000-8000-{number:012}"
        self.path = folder / f"{self.id}.jsonl"
        self.lines: list[str] = []
        self.time = 0
        self.half = ""
        if host == "codex":
            about = {"id": self.id, "cwd": str(place), "git": {"branch": "main"}}
            self.add({"type": "session_meta", "payload": about})
        elif host == "gemini":
            self.add({"sessionId": self.id, "projectHash": "0" * 64, "kind": "main"})

    def add(self, record: Mapping[str, object]) -> None:
        """Append a record, with the time that it has in its form."""
        self.time += 1
        clock = f"{self.time // 3600:02}:{self.time // 60 % 60:02}:{self.time % 60:02}"
        stamp = f"2026-11-{1 + self.number // 5:02}T{clock}.{self.number:03}Z"
        self.lines.append(json.dumps({"timestamp": stamp, **record}) + "\n")

    def message(self, role: str, text: str, *, call: str = "", result: str = "") -> None:
        """Append what ``role`` wrote, with a call of a tool and its result."""
        uid = f"{self.number}-{self.time}"
        if self.host == "claude":
            about = {"sessionId": self.id, "cwd": str(self.place), "gitBranch": "main"}
            content: list[Mapping[str, object]] = [{"type": "text", "text": text}]
            if call:
                use = {"type": "tool_use", "id": uid, "name": "Bash", "input": {"command": call}}
                content.append(use)
            body: dict[str, object] = {"role": role, "content": content}
            self.add({"type": role, "uuid": f"u{uid}", **about, "message": body})
            if result:
                done = {"type": "tool_result", "tool_use_id": uid, "content": result}
                body = {"role": "user", "content": [done]}
                self.add({"type": "user", "uuid": f"r{uid}", **about, "message": body})
        elif self.host == "codex":
            item: dict[str, object] = {"type": "message", "role": role, "content": [{"text": text}]}
            self.add({"type": "response_item", "payload": item})
            if call:
                item = {"type": "function_call", "name": "shell", "arguments": call}
                self.add({"type": "response_item", "payload": {**item, "call_id": uid}})
                item = {"type": "function_call_output", "output": result, "call_id": uid}
                self.add({"type": "response_item", "payload": item})
        else:
            kind = "user" if role == "user" else "gemini"
            body = {"id": f"m{uid}", "type": kind, "content": text}
            self.add(body)
            if call:
                used = {"id": f"c{uid}", "name": "run_shell_command", "args": {"command": call}}
                self.add({**body, "toolCalls": [{**used, "result": [{"text": result}]}]})

    def write(self, *, torn: bool) -> None:
        """Write the transcript as it is; ``torn`` leaves half of the last line for later."""
        data = "".join(self.lines)
        if torn:
            data = data[: len(data) - len(self.lines[-1]) // 2]
        with self.path.open("a") as file:
            file.write(data[self.path.stat().st_size :])

    def compact(self) -> None:
        """Append what a compaction leaves in a transcript."""
        if self.host == "claude":
            summary = {"role": "user", "content": "This session is continued."}
            about = {"uuid": f"s{self.number}", "sessionId": self.id, "message": summary}
            self.add({"type": "user", "isCompactSummary": True, **about})
        elif self.host == "codex":
            self.add({"type": "compacted", "payload": {"message": "This session is continued."}})
        else:
            self.add({"$set": {"lastUpdated": "2026-11-30T00:00:00.000Z"}})

    def resumed(self) -> Session:
        """Return the session as its host copies it to another transcript."""
        copy = Session(self.host, self.number, self.place, self.path.parent)
        copy.id = f"0199c0de-0000-7000-9000-{self.number:012}"
        copy.path = self.path.with_name(f"{copy.id}.jsonl")
        copy.lines, copy.time = [line.replace(self.id, copy.id) for line in self.lines], self.time
        if self.host == "codex":
            whole = json.loads(copy.lines[0])
            whole["payload"]["forked_from_id"] = self.id
            copy.lines[0] = json.dumps(whole) + "\n"
        return copy


class Week:
    """The project, its state, and what comes of each event."""

    def __init__(self, folder: Path) -> None:
        """Make a repository with a worktree in ``folder``."""
        self.folder, self.root = folder, folder / "shop"
        drop = ("CTX_", "PYTHONDONTWRITE")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(drop)}
        self.environ = {
            **kept, "HOME": str(folder / "home"), "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": str(REPOSITORY),
            "CTX_CAPTURE": "on", "WEEK": str(folder),
        }  # fmt: skip
        for path in (folder / "home", folder / "transcripts", self.root / ".context"):
            path.mkdir(parents=True)
        (self.root / ".context" / "CONVENTIONS.md").write_text("- Use tabs.\n")
        author = ("-c", "user.name=a", "-c", "user.email=a@b")
        for command in ("init", "add .", "commit -m x", "worktree add ../worktree"):
            git = ["git", *author, *command.split()]
            subprocess.run(git, cwd=self.root, check=True, capture_output=True)
        self.ratios: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.failed = 0

    def send(self, session: Session, event: str) -> None:
        """Send an event of a session to the hook."""
        about = {"session_id": session.id, "transcript_path": str(session.path)}
        data = {**about, "cwd": str(session.place), "hook_event_name": event}
        command = [sys.executable, "-m", "ctx", "hook", "run", session.host, event]
        spent, code, out = self._run(command, json.dumps(data).encode(), session.place)
        self.failed += bool(code or out)
        bare = self._run([sys.executable, "-c", "pass"], b"", session.place)[0]
        self.ratios[session.host, event].append(spent / bare)

    def _run(self, command: list[str], data: bytes, place: Path) -> tuple[float, int, bytes]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command, input=data, stdout=subprocess.PIPE, env=self.environ, cwd=place, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return spent, done.returncode, done.stdout

    def left(self) -> int:
        """Return how many processes of the week still run."""
        mark, count = f"WEEK={self.folder}".encode(), 0
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                count += mark in path.read_bytes()
            except OSError:
                continue
        return count

    def kept(self) -> tuple[int, list[bytes]]:
        """Return the bytes of state and cache, and what is in their files, opened."""
        files = [path for name in ("state", "cache") for path in (self.folder / name).rglob("*")]
        files = [path for path in files if path.is_file()]
        parts = [
            part
            for path in files
            for part in (path.read_bytes(), *(opened(path) if path.suffix == ".db" else ()))
        ]
        return sum(path.stat().st_size for path in files), parts


def request(session: Session, number: int, draw: random.Random) -> tuple[list[str], list[str]]:
    """Append a request; return the marks of its turns, and what must not be kept of it."""
    marks = [f"T{session.number}-{number}-{part}" for part in range(4)]
    planted, key, middle = ["it"] * 6, "nothing", 0
    if number % 3 == 1:
        planted = secrets(session.number * 1000 + number)
        key = key_block("RSA PRIVATE", f"{session.number}-{number}")
        middle = key.index("\n", len(key) // 2) + 1
    words = " ".join(draw.choices(("ledger", "refund", "handler", "merchant", "retry"), k=60))
    session.message("user", f"{marks[0]} Use {planted[0]} and {planted[1]}: {words}")
    session.message(
        "assistant",
        f"{marks[1]} I look at it. {words}",
        call=f"curl -H 'Authorization: Bearer {planted[2]}' {planted[3]} {marks[2]}",
        result=f"{words}\n{key[:middle]}",
    )
    session.message("assistant", f"{key[middle:]}\n{marks[3]} {planted[4]} {planted[5]} {words}")
    hidden = [*planted, *(line for line in key.split("\n") if "-----" not in line)]
    return marks, hidden if middle else []


def replay(week: Week, days: int, requests: int) -> tuple[list[str], list[str]]:
    """Replay all sessions; return the marks of what was written, and the secrets in it."""
    written: list[str] = []
    planted: list[str] = []
    draw = random.Random(7)
    for number in range(5 * days):
        place = (week.root, week.root.parent / "worktree")[number % 2]
        session = Session(HOSTS[number % 3], number, place, week.folder / "transcripts")
        session.path.touch()
        for count in range(requests):
            if count == requests // 2:
                session.compact()
                if session.host == "claude":
                    session.write(torn=False)
                    week.send(session, "PreCompact")
            if number % 5 == 4 and count == requests - 1 and session.host != "gemini":
                session = session.resumed()
                session.path.touch()
            marks, hidden = request(session, count, draw)
            written, planted = written + marks, planted + hidden
            session.write(torn=count % 3 == 2)
            week.send(session, ENDS[session.host])
        session.write(torn=False)
        week.send(session, ENDS[session.host] if session.host == "codex" else "SessionEnd")
    return written, planted


def main() -> int:
    """Replay a week, print what came of it, and judge it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--requests", type=int, default=6, help="of each session")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        week = Week(Path(folder))
        written, planted = replay(week, options.days, options.requests)
        size, parts = week.kept()
        files = [*Path(folder, "state").rglob("sessions/*.jsonl")]
        found = Counter(mark for path in files for mark in _MARK.findall(path.read_text()))
        source = sum(path.stat().st_size for path in Path(folder, "transcripts").iterdir())
        leaks = [secret for secret in planted if any(secret.encode() in part for part in parts)]
        left = week.left()
    missing = [mark for mark in written if mark not in found]
    doubled = sum(found.values()) - len(found)
    print(f"{5 * options.days} sessions of {', '.join(HOSTS)} in {len(files)} files")
    print(f"turns written {len(written):,}, stored {len(found):,}, stored twice {doubled:,}")
    print(f"secrets planted {len(planted):,}, kept {len(leaks):,}")
    print(f"transcripts {source:,} bytes, kept {size:,} ({size / source:.2f} of it)")
    print(f"events that failed or printed something {week.failed}, processes left {left}")
    for (host, event), ratios in sorted(week.ratios.items()):
        late = sorted(ratios)[int(0.95 * len(ratios))]
        print(
            f"{host:7} {event:11} {len(ratios):4} calls, bare starts: "
            f"median {statistics.median(ratios):.2f}, 95th percentile {late:.2f}"
        )
    return int(bool(missing or doubled or leaks or week.failed or left))


if __name__ == "__main__":
    raise SystemExit(main())

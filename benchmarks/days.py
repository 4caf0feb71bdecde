"""Days of work to replay: what a context directory held at each step of one.

A day is a repository's history, a transcript, or made from what a directory holds.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ctx import rank
from ctx import read as files
from ctx.cli.main import main as ctx
from ctx.model import Entry, Turn
from ctx.sessions.transcripts import read
from ctx.store.no_cache import NoCache

NAME = ".context"
MADE = "day"
"""The session of steps that belong to no transcript."""
MOST_BYTES = 2**26
"""Of a file that is read."""
DAY = 24
"""Steps of a made day."""


class Step(NamedTuple):
    """A moment at which a packet is asked for."""

    day: str = ""
    """``YYYY-MM-DD`` that ages are counted from; empty for today."""
    query: str = ""
    session: str = MADE


def steps_of(state: Path, options: argparse.Namespace) -> Iterator[Step]:
    """Yield the steps of a day, each when the project in ``state`` is as it was then."""
    state.mkdir()
    if options.git:
        return _commits(options.git, state, options.last)
    if options.session:
        _copy(options.dir, state)
        return _turns(options.session, state, options.last)
    _copy(options.day, state)
    return _work(Work(state / NAME), options.steps)


def _copy(directory: Path, state: Path) -> None:
    """Copy a context directory, and the documents beside it, into the project ``state``."""
    directory = directory.resolve()
    shutil.copytree(directory, state / NAME, ignore=shutil.ignore_patterns(".ctx"))
    for document in directory.parent.glob("*.md"):
        shutil.copy(document, state)
    for path in (state, *state.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)  # the original may be read-only


def _commits(repository: Path, state: Path, last: int) -> Iterator[Step]:
    log = _git(repository, "log", "--first-parent", "--reverse", "--format=%H %cs", "--", NAME)
    for line in log.decode().splitlines()[-last:]:
        commit, day = line.split()
        names = _git(repository, "ls-tree", "--name-only", commit).decode().splitlines()
        kept = [name for name in names if name == NAME or name.endswith(".md")]
        for path in state.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if NAME not in kept:
            continue
        archive = io.BytesIO(_git(repository, "archive", "--format=tar", commit, "--", *kept))
        with tarfile.open(fileobj=archive) as held:
            held.extractall(state, filter="data")
        shutil.rmtree(state / NAME / ".ctx", ignore_errors=True)
        yield Step(day)


def _git(repository: Path, *arguments: str) -> bytes:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], check=True, capture_output=True
    )
    return done.stdout


def _turns(transcript: Path, state: Path, last: int) -> Iterator[Step]:
    lines = transcript.read_bytes().splitlines(keepends=True)
    with transcript.open("rb") as stream:
        asked = [
            (found.line, found.what)
            for found in read(stream, transcript.name, session=transcript.stem).found
            if isinstance(found.what, Turn) and found.what.role == "user"
        ]
    before = state.parent / transcript.name
    for line, turn in asked[-last:]:
        before.write_bytes(b"".join(lines[: line - 1]))
        if line > 1:
            run("session", "import", str(before), "--dir", str(state / NAME))
        yield Step(turn.ts[:10], turn.text, turn.session)


def _work(work: Work, steps: int) -> Iterator[Step]:
    """Yield before any work, and after each of ``steps`` changes."""
    yield Step()
    for number in range(steps):
        ROUND[number % len(ROUND)](work)
        yield Step()


class Work:
    """What people do to a list of tasks, the same every time.

    They take the most urgent task, write notes below it, finish it, and take the next; in
    between they add what they find, change their minds about what is urgent, and get stuck.
    """

    def __init__(self, root: Path) -> None:
        """Work on the tasks in ``root``."""
        self._root = root
        self._hand: Entry
        """The task in hand, as it was when it was taken."""

    def start(self) -> None:
        """Take the most urgent task that nobody has begun."""
        self._hand = next(one for one in self._open() if not one.status)
        self._label(self._hand, "#in-progress")

    def note(self) -> None:
        """Write a note below the task in hand."""
        note = "  Found: the old behaviour is documented, so it has to stay for one release."
        self._insert(self._hand, note)

    def finish(self) -> None:
        """Mark the task in hand as done."""
        task = self._hand
        lines = self._lines(task)
        at = task.line - 1
        for mark in ("[ ]", "[]"):
            if mark in lines[at]:
                lines[at] = lines[at].replace(mark, "[x]", 1)
                break
        self._write(task, lines)

    def add(self) -> None:
        """Add a task at the end of the section of the most urgent one."""
        tasks = self._open()
        last = max(
            (one for one in tasks if (one.source, one.group) == (tasks[0].source, tasks[0].group)),
            key=lambda one: one.end_line,
        )
        self._insert(last, f"- [ ] Write a test for what was found: {self._hand.title}")

    def hurry(self) -> None:
        """Make a task in the middle of the list urgent."""
        tasks = self._open()
        task = tasks[len(tasks) // 2]
        lines = self._lines(task)
        for at in range(task.line - 1, task.end_line):
            lines[at] = re.sub(r" ?#priority:\w+", "", lines[at])
        self._write(task, lines)
        self._label(task, "#priority:high")

    def block(self) -> None:
        """Get stuck with a task that nobody has begun."""
        tasks = [one for one in self._open() if not one.status]
        task = tasks[len(tasks) // 3]
        self._label(task, "#blocked")
        self._insert(task, "  Blocked: waits for an answer.")

    def _open(self) -> list[Entry]:
        limits = files.Limits(MOST_BYTES, allow_links=False)
        found = files.read(str(self._root), NoCache(), limits)
        tasks = (one for one in found.entries if one.kind == "task")
        return [one.entry for one in rank.by_urgency(tasks)]

    def _lines(self, task: Entry) -> list[str]:
        return (self._root / task.source).read_text("utf-8").split("\n")

    def _write(self, task: Entry, lines: list[str]) -> None:
        (self._root / task.source).write_text("\n".join(lines), "utf-8")

    def _label(self, task: Entry, label: str) -> None:
        lines = self._lines(task)
        lines[task.line - 1] += f" {label}"
        self._write(task, lines)

    def _insert(self, task: Entry, line: str) -> None:
        lines = self._lines(task)
        lines.insert(task.end_line, line)
        self._write(task, lines)


ROUND: tuple[Callable[[Work], None], ...] = (
    Work.start, Work.note, Work.finish, Work.add, Work.start, Work.hurry, Work.finish, Work.block,
)  # fmt: skip
"""What a day is made of, again and again."""


def run(*arguments: str) -> str:
    """Return what a command of ctx writes on standard output; SystemExit where it fails."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = ctx(arguments)
    if code:
        message = err.buffer.getvalue().decode(errors="replace")
        raise SystemExit(f"ctx {arguments[0]} failed: {message}")
    return out.buffer.getvalue().decode()

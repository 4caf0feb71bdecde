"""A directory that grows, in any order, killed at any moment: nothing that was written is lost.

    python -m tests.growing EXAMPLES

Imports, compaction, archiving, promotion and hand edits as hypothesis draws them, some of them
killed before one of their calls to the system. A program of its own, so that it can fork.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from ctx.cli import app, archive  # noqa: F401 - all that a run imports: forks start from here
from ctx.cli.main import main
from ctx.cli.session import compact, expand, import_, promote, show  # noqa: F401 - likewise
from tests.edit.dying import WAYS
from tests.imported import sessions_of

MARKDOWN = ("TASKS.md", "DECISIONS.md", "LEARNINGS.md")
TEXTS = (
    "We decided to use SQLite because it needs no server, and Mira merged it on 2026-01-10.",
    "Never deploy on Friday.",
    "Ok.",
    "The root cause was the retry loop in src/pay/retry.py: fixed in 3f2a9c1.",
    "Thanks!",
    "I live in Lyon and prefer tea; my sister Anna visits on 3 May.",
    "決済サービスは再試行します。",
    "QUJDREVGR0g=" * 60,
)
SESSIONS = ("a", "b")


def run(*arguments: str, dies: int = -1) -> tuple[int, bytes]:
    """Run ``ctx`` in a fork; return its status and output. It is killed at a call, from 0."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.environ["CTX_NO_CACHE"] = "1"
        if dies >= 0:
            WAYS["calls"](dies)()
        os._exit(main(list(arguments)))
    os.close(writing)
    with open(reading, "rb") as file:
        said = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


REFUSED = 6
"""The exit code where a file was edited after a run that was killed."""
deaths = st.one_of(st.just(-1), st.integers(0, 60))
"""Before which call a run is killed; -1 for one that lives."""


class Growth(RuleBasedStateMachine):
    """A directory, and everything that was ever written into it."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.root = self.folder / ".context"
        self.root.mkdir()
        for name in MARKDOWN:
            (self.root / name).write_text(f"# {name}\n\n", encoding="utf-8")
        self.told: dict[str, list[dict[str, str]]] = {name: [] for name in SESSIONS}
        self.number = 0
        self.settled = False
        """Whether a person settled what a killed run and an edit left: lines may stand twice."""

    def teardown(self) -> None:
        if not hasattr(self, "root"):
            return
        self.move_closed()
        self.ctx("session", "compact", "--size", "3")
        for name in SESSIONS:
            self.check_session(name)
        shutil.rmtree(self.folder)

    def ctx(self, *arguments: str, dies: int = -1) -> bytes:
        status, said = run(*arguments, "--dir", str(self.root), dies=dies)
        assert status == (0 if dies < 0 else status), (arguments, status)
        assert status in (0, -signal.SIGKILL), (arguments, status)
        return said

    # --- what happens ---------------------------------------------------------------------

    @rule(
        session=st.sampled_from(SESSIONS),
        texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=12),
        dies=deaths,
    )
    def import_turns(self, session: str, texts: list[str], dies: int) -> None:
        for text in texts:
            self.number += 1
            role = ("user", "assistant", "tool")[self.number % 3]
            turn = {"id": f"t{self.number}", "session": session, "ts": "", "role": role}
            self.told[session].append({**turn, "text": f"{text} ({self.number})"})
        source = self.folder / "transcript.jsonl"
        lines = [json.dumps(turn) for turn in self.told[session]]
        source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self.ctx("session", "import", str(source), dies=dies)
        self.ctx("session", "import", str(source))

    @rule(dies=deaths, size=st.sampled_from(["2", "3", "20"]))
    def compact(self, dies: int, size: str) -> None:
        before = self.sessions()
        self.ctx("session", "compact", "--size", size, dies=dies)
        assert self.sessions() == before

    @rule(dies=deaths)
    def archive(self, dies: int) -> None:
        self.move_closed(dies)

    @rule(dies=deaths)
    def promote(self, dies: int) -> None:
        before, sessions = self.lines(), self.sessions()
        self.ctx("session", "promote", "--yes", dies=dies)
        assert not before - self.lines()
        assert self.sessions() == sessions

    @rule(mark=st.sampled_from("x -"), phase=st.booleans())
    def write_task(self, mark: str, *, phase: bool) -> None:
        self.number += 1
        heading = f"## Phase {self.number}\n\n" if phase else ""
        with (self.root / "TASKS.md").open("a", encoding="utf-8") as file:
            file.write(f"{heading}- [{mark}] Task {self.number}\n  a note of {self.number}\n\n")

    @rule(gone=st.booleans())
    def decide(self, *, gone: bool) -> None:
        self.number += 1
        status = "**Status**: Superseded by another\n\n" if gone else ""
        with (self.root / "DECISIONS.md").open("a", encoding="utf-8") as file:
            file.write(f"## [2020-01-01] Decision {self.number}\n\n{status}Why {self.number}.\n\n")

    # --- what must hold -------------------------------------------------------------------

    def lines(self) -> Counter[bytes]:
        files = [self.root / name for name in MARKDOWN]
        files += [path for path in (self.root / "archive").glob("*.md") if path.name[0] != "."]
        return Counter(line for path in files for line in path.read_bytes().split(b"\n") if line)

    def sessions(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (sessions_of(self.root)).glob("*.jsonl")}

    def move_closed(self, dies: int = -1) -> None:
        """Archive: nothing is lost; where no run was killed, nothing is there twice.

        What a killed run left is finished by the next one, unless the file was edited since: that
        is refused, and a person settles it as the message says, by deleting the copy.
        """
        before, copy = self.lines(), self.root / "archive" / ".ctx-copy"
        torn = copy.exists()
        status, _ = run("archive", "--dir", str(self.root), dies=dies)
        after = self.lines()
        assert not (set(before) - set(after) if torn else before - after)
        assert (
            status == 0 or (dies >= 0 and status == -signal.SIGKILL) or (torn and status == REFUSED)
        )
        if status == REFUSED:
            assert after == before
            copy.unlink()
            self.settled = True
        if status == 0 and not self.settled:
            assert max(Counter(line for line in after if b"Task" in line).values(), default=1) == 1
            for line, count in after.items():
                if b"Decision " in line or b"Task " in line or b"Phase " in line:
                    assert count == 1, line

    def check_session(self, name: str) -> None:
        path = sessions_of(self.root) / f"{name}.jsonl"
        if not self.told[name]:
            return
        stored = path.read_bytes()
        told = [json.loads(line) for line in stored.splitlines()]
        assert [one["text"] for one in told] == [one["text"] for one in self.told[name]]
        assert self.ctx("session", "show", name, "--json") == stored
        whole = stored.splitlines(keepends=True)
        place = sessions_of(self.root) / "summaries" / f"{name}.jsonl"
        records = (
            [json.loads(line) for line in place.read_bytes().splitlines()] if place.exists() else []
        )
        covered: Counter[int] = Counter()
        levels: dict[str, int] = {}
        for record in records:
            if record["type"] == "elevated":
                covered[record["line"]] += 1
            if record["type"] not in ("summary", "declined"):
                continue
            lines = [at for first, last in record["lines"] for at in range(first, last + 1)]
            if record["type"] == "summary":
                assert record["id"] not in levels
                assert all(
                    levels.get(source, 0) == record["level"] - 1 for source in record["sources"]
                )
                levels[record["id"]] = record["level"]
                said = self.ctx("session", "expand", record["id"], "--json")
                assert said == b"".join(whole[at - 1] for at in lines)
                if record["level"] > 1:
                    continue
            covered.update(lines)
        assert set(covered.values()) <= {1}
        assert max(covered, default=0) <= len(whole) - min(4, len(whole))


def machine(examples: int) -> None:
    """Run ``examples`` of what may happen; AssertionError, with the steps, for what must not."""
    run_state_machine_as_test(
        Growth,
        settings=settings(
            max_examples=examples, stateful_step_count=10, deadline=None, database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip


if __name__ == "__main__":
    machine(int(sys.argv[1]))
    sys.stdout.write("all of it is there\n")

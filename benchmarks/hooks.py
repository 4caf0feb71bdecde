"""What a hook costs at an edit, and where it stores a turn, in bare ``python -c pass``.

    python benchmarks/hooks.py PROJECT [--runs N] [--applies FILE] [--not FILE]

PROJECT is copied, with a repository of its own, and trusted. Measured is the CPU time of whole
processes, pairs of a call and a bare start, of which the median ratio is printed: an edit of a file
to which no rule applies; of one to whose rules the session has come before; and of one whose
rules are sent (each time to a new session); then the end of an answer that adds one turn to a
transcript of 50 MB, which is stored. Exit code 1 where the first two take more than 3 bare starts,
the third more than 6, or the last more than 4.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.sessions_of_hosts import Project

MOST = {
    "nothing applies": 3.0, "received before": 3.0, "rules are sent": 6.0, "a turn is stored": 4.0,
}  # fmt: skip
TRANSCRIPT = 50_000_000
"""Bytes of the transcript."""


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("project", type=Path)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--applies", default="frontend/src/pages/New.tsx")
    parser.add_argument("--not", dest="free", default="scripts/free/none.lua")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = Project(options.project, Path(folder))
        ratios: dict[str, list[float]] = {name: [] for name in MOST}
        project.ask("claude", "PostToolUse", _edit(project, options.applies, "warm"))
        for run in range(options.runs):
            for name, file, session in (
                ("nothing applies", options.free, "warm"),
                ("received before", options.applies, "warm"),
                ("rules are sent", options.applies, f"new{run}"),
            ):
                command = [*project.command, "claude", "PostToolUse"]
                data = json.dumps(_edit(project, file, session)).encode()
                spent, out = cpu(command, data, project.environ)
                if bool(out) != (name == "rules are sent"):
                    raise SystemExit(f"{name}: answered with {out!r}")
                ratios[name].append(spent / cpu([sys.executable, "-c", "pass"], b"")[0])
        ratios["a turn is stored"] = _stored(project, Path(folder) / "long.jsonl", options.runs)
    medians = {name: statistics.median(values) for name, values in ratios.items()}
    for name, ratio in medians.items():
        print(f"{name:18}{ratio:6.2f} bare starts (at most {MOST[name]:.0f})")
    return int(any(ratio > MOST[name] for name, ratio in medians.items()))


def _edit(project: Project, file: str, session: str) -> dict[str, object]:
    path = str(project.root / file)
    return {
        "session_id": session, "cwd": str(project.root), "hook_event_name": "PostToolUse",
        "tool_name": "Write", "tool_input": {"file_path": path, "content": "x"},
    }  # fmt: skip


def _stored(project: Project, path: Path, runs: int) -> list[float]:
    """Return what it costs to store one more turn of a long transcript, each time."""
    turns = 0

    def write(most: int) -> None:
        nonlocal turns
        with path.open("a") as file:
            while file.tell() < most:
                turns += 1
                message = {"role": "assistant", "content": "A turn about the parser. " * 40}
                line = {"type": "assistant", "uuid": f"u{turns}", "sessionId": "long"}
                day = "2026-11-21T10:00:00Z"
                file.write(json.dumps({**line, "timestamp": day, "message": message}) + "\n")

    event = {"session_id": "long", "cwd": str(project.root), "transcript_path": str(path)}
    data, command = json.dumps(event).encode(), [*project.command, "claude", "Stop"]
    environ = {**project.environ, "CTX_CAPTURE": "on"}
    write(TRANSCRIPT)
    kept: list[Path] = []
    while not kept or kept[0].read_bytes().count(b"\n") < turns:
        cpu(command, data, environ)
        kept = [*Path(project.environ["XDG_STATE_HOME"]).rglob("sessions/long.jsonl")]
    ratios = []
    for _ in range(runs):
        write(path.stat().st_size + 1)
        ratios.append(cpu(command, data, environ)[0] / cpu([sys.executable, "-c", "pass"], b"")[0])
    if kept[0].read_bytes().count(b"\n") != turns:
        raise SystemExit("a turn is not stored, or twice")
    return ratios


def cpu(
    command: list[str], data: bytes, environ: dict[str, str] | None = None
) -> tuple[float, bytes]:
    """Return the CPU seconds of a process and its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, input=data, stdout=subprocess.PIPE, env=environ or {**os.environ}, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
